"""Several workers of one crawl: shards, links between them, workers that die or fall behind."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from focuscrawl.frontier import Candidate, Lease, NotLeasedError, State
from focuscrawl.frontier.seen_url_caches import LockedCache
from focuscrawl.workers import shared_state
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.redis_calls import Call, Reply
from focuscrawl.workers.redis_frontier import RedisFrontier
from tests.frontier.frontier_runs import kill, link, take_all, urls
from tests.workers.conftest import Workers

HOSTS = [f"{number}.example" for number in range(40)]


def links(count: int = 1, score: float = 0.0) -> list[Candidate]:
    return [link(number, score, host) for host in HOSTS for number in range(count)]


def take_in_turns(*workers: RedisFrontier) -> list[Lease]:
    taken: list[Lease] = []
    while found := [lease for worker in workers for lease in worker.lease(1, 0)]:
        for worker in workers:
            for lease in found:
                if lease.seq in worker._memory.leased:
                    worker.ack(lease)
        taken += found
    return taken


def count_trips(worker: RedisFrontier, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows with each round trip of a worker."""
    trips: list[int] = []
    send = worker._calls._send

    def counted(calls: Mapping[int, Call]) -> dict[int, Reply]:
        trips.append(len(calls))
        return send(calls)

    monkeypatch.setattr(worker._calls, "_send", counted)
    return trips


def test_workers_share_the_hosts(workers: Workers) -> None:
    one = workers.start()
    one.push(links(2))
    two = workers.start()
    workers.settle()
    assert len(one._owned) == len(two._owned) == 128
    assert one.waiting + two.waiting == 80
    taken = take_in_turns(one, two)
    assert sorted(urls(taken)) == sorted(found.url for found in links(2))
    assert one.is_over()
    assert two.is_over()


def test_links_reach_the_worker_that_owns_the_host(workers: Workers) -> None:
    one, two = workers.start(), workers.start()
    workers.settle()
    one.push(links())
    pages = one.lease(1, 0)
    assert pages
    assert one.waiting + one.leased < len(HOSTS)
    assert not two.is_over()
    two.tend()
    assert one.waiting + one.leased + two.waiting == len(HOSTS)
    one.ack(pages[0], [link("new", 5, host) for host in HOSTS])
    two.tend()
    found = [lease for worker in (one, two) for lease in worker.lease(99, 0)]
    assert {lease.score for lease in found} == {5}
    assert len(found) == len(HOSTS)
    assert two.known([found[0].key]) == {found[0].key: State.LEASED}


def test_of_two_that_follow_the_best_one_without_urls_asks_once(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.start(follows_best=True), workers.start(follows_best=True)
    workers.settle()
    own, other, third = (
        [host for host in HOSTS if worker._shards.of_host(host)][number]
        for worker, number in ((one, 0), (two, 0), (two, 1))
    )
    monkeypatch.setattr(shared_state, "LOOKS_AGAIN", 1e9)
    assert one.lease(1, 0) == []
    trips = count_trips(one, monkeypatch)
    assert one.lease(1, 0) == []
    assert trips == []
    two.push([link(0, 2, other), link(0, 2, third)])
    (page,) = two.lease(1, 0)
    one.push([link(0, 1, own)])
    assert one.lease(1, 0) == []  # the URL of the other one is better
    two.ack(page)
    trips = count_trips(two, monkeypatch)
    (page,) = two.lease(1, 0)
    assert len(trips) == 1  # with it, the others are told that none is left
    assert [lease.score for lease in one.lease(1, 0)] == [1]
    two.ack(page)
    assert two.lease(1, 0) == []


def test_a_link_to_a_host_of_another_worker_is_sent_once(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = workers.start(), workers.start()
    workers.settle()
    host = next(host for host in HOSTS if two._shards.of_host(host))
    one.push([link(0, 1, host)])
    trips = count_trips(one, monkeypatch)
    assert one.push([link(0, 1, host), link(0, 0.5, host)]).known == 2
    assert trips == []
    one.push([link(0, 2, host)])
    assert trips == [1]
    two.tend()
    assert [lease.score for lease in two.lease(9, 0)] == [2]


def test_states_and_counts_are_looked_up_in_one_round_trip(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = workers.start()
    one.push(links(2))
    keys = {found.key: found.host for found in links(3)}
    known, counted = one.known(keys, keys), one.counts(HOSTS).hosts
    trips = count_trips(one, monkeypatch)
    states, counts = one.look_up(keys, HOSTS)
    assert len(trips) == 1
    assert (states, counts) == (known, counted)
    assert (len(states), counts[HOSTS[0]].waiting) == (80, 2)
    assert one.look_up({}, []) == ({}, {})


def test_an_inbox_of_many_small_groups_is_emptied_at_once(workers: Workers) -> None:
    one, two = workers.start(), workers.start()
    workers.settle()
    host = next(host for host in HOSTS if two._shards.of_host(host))
    for number in range(150):
        one.push([link(number, 0, host)])
    two.tend()
    assert two.waiting == 150


def test_a_link_that_is_delivered_twice_counts_once(workers: Workers) -> None:
    one, two = workers.start(), workers.start()
    workers.settle()
    one.push(links())
    one._memory.cache = LockedCache()
    one.push(links())
    two.tend()
    assert one.waiting + two.waiting == len(HOSTS)


def test_a_leaving_worker_hands_over_at_once(workers: Workers) -> None:
    one, two = workers.start(), workers.start()
    workers.settle()
    one.push(links())
    two.tend()
    out = two.lease(3, 0)
    two.close()
    workers.living.remove(two)
    workers.settle()
    assert len(one._owned) == 256
    assert one.recovered == 0
    taken = take_all(one)
    assert len(taken) == len(HOSTS)
    assert {lease.url for lease in out} <= set(urls(taken))


def test_a_dead_workers_urls_go_to_the_others(workers: Workers) -> None:
    one, two = workers.start(), workers.start()
    workers.settle()
    one.push(links())
    two.tend()
    out = two.lease(3, 0)
    kill(two)
    workers.living.remove(two)
    workers.settle()
    assert one.recovered == len(out) == 3
    taken = take_all(one)
    assert len(taken) == len(HOSTS)
    assert {lease.url for lease in taken if lease.lost} == {lease.url for lease in out}


def test_a_worker_that_was_stopped_for_too_long_changes_nothing(workers: Workers) -> None:
    zombie = workers.start()
    zombie.push(links(2))
    out = zombie.lease(5, 0)
    workers.stop(zombie)
    assert zombie.lease(5, 0) == []
    heir = workers.start()
    workers.settle()
    assert heir.recovered == 5
    zombie.push([link("late", 9, host) for host in HOSTS])
    zombie.ack(out[0])
    with pytest.raises(NotLeasedError):
        zombie.ack(out[0])
    workers.tend(zombie)
    assert zombie.leased == 0
    assert heir.counts().total().done == 0
    heir.tend()
    assert len(take_all(heir)) == 3 * len(HOSTS)


def test_a_host_is_never_two_workers(workers: Workers) -> None:
    one = workers.start(slots=5)
    one.push(links(4))
    out = one.lease(60, 0)
    two = workers.start(slots=5)
    for _ in range(4):
        workers.settle()
        assert not {lease.host for lease in two.lease(9, 0)} & {lease.host for lease in out}
    for lease in out:
        one.ack(lease)
    workers.settle()
    assert len(two._owned) == 128


def test_a_shard_whose_claim_had_no_reply_is_claimed_again(workers: Workers) -> None:
    one, other = workers.start(), workers.start()
    workers.settle()
    shard = next(iter(one._owned))
    key = f"{one._keys.shard(shard)}:owner"
    del one._owned[shard]
    workers.settle()
    assert shard not in one._owned
    one._calls.one(key, "DEL", key)
    workers.settle()
    assert len(one._owned) == len(other._owned) == 128


def test_a_crawl_is_not_over_while_a_worker_may_push_its_seeds(valkey_url: str) -> None:
    one = open_crawl(valkey_url, "joined", arguments={}, slots=1)
    two = open_crawl(valkey_url, "joined", arguments={}, slots=1)
    one.close()
    two.push([link(1)])
    two.close()
    three = open_crawl(valkey_url, "joined", arguments={}, slots=1)
    assert urls(take_all(three)) == [link(1).url]
    three.close()
    four = open_crawl(valkey_url, "joined", arguments={}, slots=1)
    assert four.counts().total().done == 0
    four.close()


def test_clocks_an_hour_apart(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: now + 3600)
        fast = workers.start()
    fast.push([link(1), link(2)._replace(not_before=now + 3600 + 100)])
    fast.retry(fast.lease(1, now + 3600)[0], now + 3600 + 50)
    assert fast.next_due(now + 3600) == pytest.approx(now + 3600 + 50, abs=2)
    assert fast.explain(link(1).key).not_before == pytest.approx(now + 3600 + 50, abs=2)
    fast.close()
    workers.living.remove(fast)
    right = workers.start()
    assert right.next_due(now) == pytest.approx(now + 50, abs=2)
    assert right.lease(1, now + 40) == []
    assert urls(right.lease(9, now + 60)) == [link(1).url]
    right.limit_delays(now + 70)
    assert right.next_due(now + 60) == pytest.approx(now + 70, abs=2)


def test_hosts_of_another_worker_are_paused_at_first(workers: Workers) -> None:
    one = workers.start()
    one.push(links())
    now = time.time()
    assert one.lease(1, now)
    two = workers.start(claim_pause=60.0)
    workers.settle()
    assert two.waiting > 0
    assert two.lease(99, now) == []
    assert two.next_due(now) == pytest.approx(now + 60, abs=30)
    assert len(two.lease(99, now + 90)) == two.leased > 0


def test_hosts_without_waiting_urls_when_their_shard_moved_are_paused_too(workers: Workers) -> None:
    one = workers.start()
    one.push(links())
    take_all(one)
    two = workers.start(claim_pause=60.0)
    workers.settle()
    now = time.time()
    one.push([link("late", 0, host) for host in HOSTS])
    workers.settle()
    assert two.waiting > 0
    assert two.lease(99, now) == []
    assert len(two.lease(99, now + 90)) == two.leased > 0


def test_a_lasting_lease_keeps_no_other_url_of_its_shard_from_being_leased(
    workers: Workers,
) -> None:
    shard_of = CrawlKeys("test").shard_of
    beside = next(f"{n}.example" for n in range(9999) if shard_of(f"{n}.example") == shard_of("x"))
    one = workers.start(lasting="x")
    one.push([link(0, 9, "x"), link(1, 1, beside)])
    (lasting,) = one.lease(1, 0)
    others = [workers.start(lasting="x") for _ in range(3)]
    workers.settle()
    assert [len(worker._owned) for worker in others] == [64, 64, 63]
    assert urls(one.lease(9, 0)) == urls([link(1, 1, beside)])

    kill(one)
    workers.living.remove(one)
    workers.settle()
    (heir,) = [worker for worker in others if shard_of("x") in worker._owned]
    found = heir.lease(9, 0)
    assert [lease.host for lease in found] == [lasting.host, beside]
    assert all(lease.lost for lease in found)


def test_a_better_link_to_a_page_in_flight_hides_no_later_one(workers: Workers) -> None:
    one = workers.start()
    one.push([link(1, 0.1)])
    (lease,) = one.lease(1, 0)
    one.push([link(1, 9.0)])
    one.retry(lease, 0)
    assert one.push([link(1, 5.0)]).raised == 1


def test_pauses_that_have_ended_are_forgotten(workers: Workers) -> None:
    one = workers.start()
    one.pause("a.example", 9000)
    for number in range(3000):
        one.pause(f"{number}.example", number)
        one.lease(1, number)
    assert len(one._memory._pauses) < 1100
    one.push([link(1)])
    assert one.lease(1, 8000) == []
    assert len(one.lease(1, 9000)) == 1
