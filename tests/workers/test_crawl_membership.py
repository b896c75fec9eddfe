"""Ends of crawls, and the generations that follow them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from redis import Redis
from redis.cluster import RedisCluster

from focuscrawl.errors import FrontierError, FrontierUnavailableError
from focuscrawl.frontier.frontier_entries import RUNS_LEFT_OUT
from focuscrawl.workers import crawl_membership
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.crawl_membership import delete_crawl, open_crawl
from focuscrawl.workers.crawl_overview import stored_crawls
from focuscrawl.workers.redis_calls import Call, RedisCalls, Reply, connect, script
from focuscrawl.workers.redis_frontier import RedisFrontier
from focuscrawl.workers.shard_rows import _read, forgive
from tests.frontier.frontier_runs import kill, link, take_all, urls

LINKS = [link(number, 0, f"{number}.example") for number in range(8)]


@pytest.fixture
def client(valkey_url: str) -> Iterator[Redis]:
    with Redis.from_url(valkey_url) as made:
        yield made


def joined(url: str, **arguments: object) -> RedisFrontier:
    return open_crawl(url, "ends", arguments=arguments, slots=1)


def keys_of(client: Redis, generation: int) -> list[bytes]:
    """Return the keys of the crawl that belong to a generation."""
    return [
        *client.keys(f"focuscrawl:{{ends/{generation}/*"),
        *client.keys(f"focuscrawl:{{ends}}:{generation}:*"),
    ]


def keys_on_all_nodes(calls: RedisCalls) -> set[bytes]:
    client = calls._client
    options = {"target_nodes": RedisCluster.PRIMARIES} if isinstance(client, RedisCluster) else {}
    return set(client.keys("*", **options))


@pytest.mark.parametrize("server", ["valkey_url", "redis7_url", "cluster_url"])
def test_a_crawl_whose_last_worker_was_killed_at_its_end_begins_again(
    server: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(server)
    one = joined(url)
    one.push(LINKS)
    assert len(take_all(one)) == len(LINKS)
    kill(one)
    two = joined(url, max_pages=5)
    two.push(LINKS)
    assert len(take_all(two)) == len(LINKS)
    assert two._keys.generation == 2
    two.close()


def test_a_worker_that_has_joined_counts_before_it_owns_anything(
    valkey_url: str, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(crawl_membership, "RedisFrontier", lambda *_, **__: None)
        joined(valkey_url)
    two = joined(valkey_url)
    assert two._keys.generation == 1
    two.close()
    assert client.hget("focuscrawl:{ends}", "state") == b"open"


def test_the_deletion_of_a_generation_is_finished_by_who_joins_next(
    valkey_url: str, client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = joined(valkey_url)
    one.push(LINKS)
    take_all(one)
    one.close()
    run = RedisCalls.run

    def dies(self: RedisCalls, calls: list[Call]) -> list[Reply]:
        if any(call.script == script("delete_shard") for call in calls):
            run(self, calls[:100])
            raise FrontierUnavailableError("it dies here")
        return run(self, calls)

    with monkeypatch.context() as patch:
        patch.setattr(RedisCalls, "run", dies)
        with pytest.raises(FrontierUnavailableError):
            joined(valkey_url)
    assert keys_of(client, 1)
    two = joined(valkey_url)
    assert not keys_of(client, 1)
    assert two._keys.generation == 2
    assert not client.exists("focuscrawl:{ends}:ended")
    two.close()


@pytest.mark.parametrize("fate", ["ended and begun", "deleted", "deleted and begun"])
def test_a_worker_that_was_stopped_beyond_the_end_is_told_and_leaves_nothing(
    valkey_url: str, client: Redis, fate: str
) -> None:
    zombie = joined(valkey_url)
    zombie.push(LINKS)
    (lease,) = zombie.lease(1, 0)
    client.delete(*client.keys("*:owner"), *client.keys("*:workers"))
    if fate == "ended and begun":
        heir = joined(valkey_url)
        assert len(take_all(heir)) == len(LINKS)
        heir.close()
    else:
        with closing(connect(valkey_url)) as calls:
            delete_crawl(calls, "ends")
    two = None if fate == "deleted" else joined(valkey_url)
    zombie.ack(lease, [link(number, 0, f"{number}.late") for number in range(9)])
    zombie._ownership._next_turn = 0
    with pytest.raises(FrontierError, match="ended and was begun again while this worker was stop"):
        zombie.tend()
    zombie.close()
    two = two or joined(valkey_url)
    assert two.counts().total().waiting == 0
    two.close()
    joined(valkey_url).close()
    assert not keys_of(client, 1)


def test_a_deleted_crawl_leaves_only_the_number_of_its_generation(redis_url: str) -> None:
    one = joined(redis_url)
    one.push(LINKS)
    take_all(one)
    one.close()
    two = joined(redis_url)
    two.push(LINKS)
    two.ack(two.lease(1, 0)[0], LINKS[:2])
    two.close()
    with closing(connect(redis_url)) as calls:
        for _ in range(2):
            delete_crawl(calls, "ends")
            assert keys_on_all_nodes(calls) == {b"focuscrawl:crawls", b"focuscrawl:{ends}"}
            assert stored_crawls(calls) == []
    again = joined(redis_url)
    assert again._keys.generation > two._keys.generation
    assert again.counts().total().waiting == 0
    again.close()


def test_a_slow_deletion_does_not_touch_what_was_begun_meanwhile(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = joined(valkey_url)
    one.push(LINKS)
    one.close()
    met: list[RedisFrontier] = []
    delete = crawl_membership.delete_generation

    def another_is_faster(calls: RedisCalls, keys: CrawlKeys) -> None:
        monkeypatch.setattr(crawl_membership, "delete_generation", delete)
        delete_crawl(calls, "ends")
        met.append(joined(valkey_url))
        met[0].push(LINKS)
        delete(calls, keys)

    monkeypatch.setattr(crawl_membership, "delete_generation", another_is_faster)
    with closing(connect(valkey_url)) as calls:
        delete_crawl(calls, "ends")
        assert [crawl.name for crawl in stored_crawls(calls)] == ["ends"]
    (two,) = met
    assert len(take_all(two)) == len(LINKS)
    two.close()


def test_a_crawl_at_work_is_not_deleted(valkey_url: str) -> None:
    worker = joined(valkey_url)
    worker.push(LINKS)
    with (
        closing(connect(valkey_url)) as calls,
        pytest.raises(FrontierError, match=r"1 workers crawl ends at .*; stop them first"),
    ):
        delete_crawl(calls, "ends")
    assert len(take_all(worker)) == len(LINKS)
    worker.close()


def test_a_worker_that_joins_during_a_deletion_keeps_its_links(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = joined(valkey_url)
    one.push(LINKS[:3])
    one.close()
    met: list[RedisFrontier] = []
    delete = crawl_membership.delete_generation

    def meets_a_worker(calls: RedisCalls, keys: CrawlKeys) -> None:
        delete(calls, keys)
        monkeypatch.setattr(crawl_membership, "delete_generation", delete)
        met.append(joined(valkey_url))
        met[0].push(LINKS[3:])

    monkeypatch.setattr(crawl_membership, "delete_generation", meets_a_worker)
    with closing(connect(valkey_url)) as calls:
        delete_crawl(calls, "ends")
    (two,) = met
    assert two._keys.generation == 3
    assert sorted(urls(take_all(two))) == sorted(entry.url for entry in LINKS[3:])
    two.close()


def crawl_with_a_killer(url: str, killer: str) -> RedisFrontier:
    """Return the worker that has found out that a page kills workers; the other pages are done."""
    worker = joined(url)
    worker.push(LINKS)
    while not worker.fatal_urls:
        while leases := worker.lease(1, 0):
            (lease,) = leases
            worker.process(lease)
            if lease.url == killer:
                break
            worker.ack(lease)
        kill(worker)
        worker = joined(url)
    take_all(worker)
    return worker


@pytest.mark.parametrize("server", ["valkey_url", "cluster_url"])
def test_a_page_that_kills_workers_is_left_out_by_the_next_generations(
    server: str, request: pytest.FixtureRequest
) -> None:
    url, killer = request.getfixturevalue(server), LINKS[3].url
    assert _read({b"\0" * 8: b"http://a/b c", b"\1" + b"\0" * 7: b"3 http://a/b c"}) == {
        0: (0, "http://a/b c"), 1 << 56: (3, "http://a/b c"),
    }  # fmt: skip
    crawl_with_a_killer(url, killer).close()
    for generation in range(2, RUNS_LEFT_OUT + 2):
        one, two = joined(url), joined(url)
        assert one._keys.generation == two._keys.generation == generation
        assert list(one.fatal_urls) == list(two.fatal_urls) == [killer]
        assert two.changes_nothing(LINKS[3].key, 99.0)
        two.push(LINKS)
        two.close()
        one.tend()
        done = urls(take_all(one))
        assert sorted(done) == sorted({found.url for found in LINKS} - {killer})
        one.close()
    last = joined(url)
    last.push(LINKS)
    assert not last.fatal_urls
    assert killer in urls(take_all(last))
    last.close()


@pytest.mark.parametrize("generations", [1, 2])
def test_a_page_that_is_forgiven_is_tried_by_the_next_generation(
    valkey_url: str, generations: int
) -> None:
    worker = crawl_with_a_killer(valkey_url, LINKS[3].url)
    for _ in range(generations - 1):
        worker.close()
        worker = joined(valkey_url)
        worker.push(LINKS)
        take_all(worker)
    assert forgive(worker._calls, worker._keys) == 1
    worker.close()
    worker = joined(valkey_url)
    worker.push(LINKS)
    assert len(take_all(worker)) == len(LINKS)
    worker.close()


@pytest.mark.parametrize("fault", ["flushall", "flushdb", "mark", "joined"])
def test_workers_are_told_that_the_server_has_lost_the_crawl(
    valkey_url: str, client: Redis, fault: str
) -> None:
    workers = [joined(valkey_url), joined(valkey_url)]
    workers[0].push(LINKS)
    for worker in workers:
        take_all(worker)
        worker._ownership._next_turn = 0
    if fault == "mark":
        client.delete(*client.keys("*:mark"))
    else:
        getattr(client, "flushdb" if fault == "joined" else fault)()
    again = joined(valkey_url) if fault == "joined" else None
    for worker in workers:
        with pytest.raises(FrontierError, match=r"has lost .*set appendonly yes"):
            worker.tend()
        # However far the server has been filled again.
        worker._reader.is_over = lambda: True
        with pytest.raises(FrontierError, match="has lost"):
            worker.is_over()
        worker.close()
    if again:
        again.push(LINKS)
        assert len(take_all(again)) == len(LINKS)
        again.close()


def test_a_node_that_has_lost_the_shards_of_another_worker(valkey_url: str, client: Redis) -> None:
    one, two = joined(valkey_url), joined(valkey_url)
    for worker in (one, two, one, two):
        worker._ownership._next_turn = 0
        worker.tend()
    shards = sorted(two._owned)
    assert shards
    kill(two)
    one._ownership._next_turn = 0
    one.tend()
    for shard in shards:
        client.delete(*client.keys(f"{one._keys.shard(shard)}:*"))
    client.delete("focuscrawl:{ends}:workers")
    one._ownership._next_turn = 0
    with pytest.raises(FrontierError, match="has lost"):
        one.tend()
    kill(one)
