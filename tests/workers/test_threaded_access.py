"""Access to a distant frontier, without a crawl."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from focuscrawl.errors import FocuscrawlError, FrontierError, FrontierUnavailableError
from focuscrawl.frontier import Ack, Candidate, Lease, Pushed, State, Waiting
from focuscrawl.frontier.frontier_protocol import Hosts
from focuscrawl.scheduling.page_in_flight import LeasedPage
from focuscrawl.scheduling.page_keys import key_of_page
from focuscrawl.workers import patient_calls
from focuscrawl.workers.threaded_access import PrefetchedLeases, ThreadedAccess
from tests.frontier.distant_frontier import SECONDS, DistantFrontier, open_distant
from tests.workers.conftest import quiet_engine

A, B = "a.test", "b.test"


class Crawl:
    """An engine that only counts, and an access to a distant frontier."""

    access: ThreadedAccess
    frontier: DistantFrontier

    def __init__(self, most: int = 4, retry_seconds: float = 5.0) -> None:
        self.counts: Counter[str] = Counter()
        self.pushed: list[Pushed] = []
        self.errors: list[FocuscrawlError] = []
        self.news = asyncio.Event()
        self.is_closing = self._is_closed = False
        self._most, self._retry_seconds = most, retry_seconds

    async def open(self) -> None:
        engine = quiet_engine(
            wake=self.news.set,
            count=lambda name, number: self.counts.update({name: number}),
            count_pushed=self.pushed.append,
            fail=self.errors.append,
            is_closing=lambda: self.is_closing,
            most=self._most,
        )
        self.access = await ThreadedAccess.open(engine, self._retry_seconds, self._opened)

    async def close(self) -> None:
        """Close the access, if it is open."""
        if not self._is_closed:
            self._is_closed = self.is_closing = True
            await self.access.settle()
            await self.access.close()

    async def leases(self, count: int) -> list[Lease]:
        """Lease that many URLs as a crawl does."""
        found: list[Lease] = []
        while len(found) < count:
            self.news.clear()
            leases = self.access.lease(1, time.time())
            found += leases
            if not leases:
                await asyncio.wait_for(self.news.wait(), 10)
        return found

    async def rescored(self) -> None:
        """Wait until nothing is left to be scored again."""
        task = self.access._rescoring
        assert task is not None
        await task

    def _opened(self) -> DistantFrontier:
        self.frontier = open_distant(
            "redis://local", "test", arguments={}, slots=9, follows_best=False
        )
        return self.frontier


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(SECONDS, "0.01")
    return tmp_path


def link(path: str, score: float = 0.0, host: str = A) -> Candidate:
    url = f"http://{host}/{path}"
    return Candidate(key_of_page(url), url, host, score)


def paths(leases: list[Lease]) -> list[str]:
    return [lease.url.rpartition("/")[2] for lease in leases]


@pytest.fixture
async def crawl(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Crawl]:
    made = Crawl(**getattr(request, "param", {}))
    await made.open()
    yield made
    await made.close()


# One by one, no lease is fetched ahead.
one_by_one = pytest.mark.parametrize("crawl", [{"most": 1}], indirect=True)


async def test_what_waits_for_a_round_is_sent_in_one_call_of_each_kind(crawl: Crawl) -> None:
    access = crawl.access
    for number in range(9):
        access.push([link(str(number), -number)])
    leases = await crawl.leases(6)
    crawl.frontier.calls.clear()
    for number, lease in enumerate(leases):
        access.free_slot(lease)
        access.found(lease, [link(f"from-{number}", -100)])
        if number % 2:
            access.ack_many([Ack(lease, [link(f"also-from-{number}", -100)])])
    await access.look_up([], [], {})
    calls = Counter(crawl.frontier.calls)
    assert (calls["found_many"], calls["ack_many"], calls["free_slot"]) == (1, 1, 3)
    assert sum(pushed.new for pushed in crawl.pushed) == 9 + 6 + 3


async def test_links_on_their_way_are_known(crawl: Crawl) -> None:
    access = crawl.access
    access.push([link("0")])
    await crawl.leases(1)
    access.push([link("1"), link("2", host=B)])
    lookup = asyncio.ensure_future(access.look_up([link("1").url, link("3").url], [A, B], {}))
    await asyncio.sleep(0.005)
    # By now the question is under way.
    access.push([link("3")])
    known = await lookup
    states = known.states([link("1").url, link("3").url, link("4").url])
    assert states == dict.fromkeys([link("1").url, link("3").url], State.WAITING)
    assert known.waiting_at([A, B]) == {A: 2, B: 1}


@one_by_one
async def test_links_of_pages_in_flight_are_known_unless_they_wait_already(crawl: Crawl) -> None:
    access = crawl.access
    access.push([link("0"), link("1", -1)])
    (lease,) = await crawl.leases(1)
    page = LeasedPage(lease, None)
    page.add(link("1"))
    page.add(link("2"))
    known = await access.look_up([], [A], {lease.seq: page})
    assert known.waiting_at([A]) == {A: 2}


@one_by_one
async def test_waiting_urls_are_scored_again_in_the_background(crawl: Crawl) -> None:
    def _reversed(entries: list[Waiting]) -> list[float]:
        return [-entry.score for entry in entries]

    access = crawl.access
    access.push([link(str(n), float(n)) for n in range(5)])
    access.push([link("other", 2.5, B)])
    access.rescore(_reversed, host=A)
    await crawl.rescored()
    assert paths(await crawl.leases(6)) == ["other", "0", "1", "2", "3", "4"]


@one_by_one
async def test_new_scores_are_written_with_the_hosts_of_their_urls(crawl: Crawl) -> None:
    hosts: list[Hosts] = []
    access = crawl.access
    access.push([link("1"), link("2", 1.0, B)])
    rescore = crawl.frontier.rescore
    crawl.frontier.rescore = lambda scores, of: hosts.append(of) or rescore(scores, of)  # type: ignore[method-assign]
    access.rescore(lambda entries: [1.0] * len(entries))
    await crawl.rescored()
    await crawl.close()
    assert hosts == [{link("1").key: A}]


@one_by_one
async def test_a_scope_is_scored_once_however_often_it_was_wanted(crawl: Crawl) -> None:
    scored: list[int] = []

    def scores(entries: list[Waiting]) -> list[float]:
        scored.append(len(entries))
        return [0.0] * len(entries)

    access = crawl.access
    access.push([link(str(n)) for n in range(5)])
    for _ in range(9):
        access.rescore(scores, host=A)
    await crawl.rescored()
    await crawl.close()
    assert scored == [5]


async def test_a_dropped_host_is_not_leased_even_if_its_lease_was_fetched(crawl: Crawl) -> None:
    dropped: list[int] = []
    access = crawl.access
    access.push([link(str(n), 5) for n in range(5)] + [link("other", 0, B)])
    while not len(access._store):
        await asyncio.wait_for(crawl.news.wait(), 10)
        crawl.news.clear()
    access.drop_host(A, "unwanted", dropped.append)
    assert paths(await crawl.leases(1)) == ["other"]
    await crawl.close()
    assert dropped == [5]


@one_by_one
async def test_ended_urls_come_in_batches(crawl: Crawl) -> None:
    access = crawl.access
    access.push([link(str(n), -n) for n in range(3)])
    ended = []
    for lease in await crawl.leases(3):
        access.ack_many([Ack(lease)])
    async for batch in access.each_ended():
        ended += [one.url for one in batch]
    assert ended == [link(str(n)).url for n in range(3)]
    access.push([link(str(n)) for n in range(3, 6)])
    last = link("5").url
    assert await access.drop_where(lambda entry: entry.url == last, "last") == 1
    assert paths(await crawl.leases(2)) == ["3", "4"]


async def test_the_lease_of_a_page_that_others_have_is_counted_and_harms_no_other(
    crawl: Crawl,
) -> None:
    def _lose(frontier: DistantFrontier, lease: object) -> None:
        frontier.abandon(lease)

    access = crawl.access
    access.push([link(str(n), -n) for n in range(2)])
    leases = await crawl.leases(2)
    await access.ask(partial(_lose, lease=leases[0]))
    access.found(leases[0], [link("lost")])
    access.ack_many([Ack(leases[1], [link("kept")])])
    await access.look_up([], [], {})
    access.ack_many([Ack(leases[0])])
    await access.look_up([], [], {})
    assert crawl.counts == {"frontier/lost": 2}
    known = await access.look_up([link("kept").url, link("lost").url], [], {})
    assert set(known.states([link("kept").url, link("lost").url])) == {link("kept").url}
    await crawl.close()
    assert crawl.errors == []


async def test_a_lease_that_was_fetched_ahead_and_lost_is_not_sent(crawl: Crawl) -> None:
    access = crawl.access
    access.push([link("1", 1), link("2")])
    while not (held := access._store.held()):
        await asyncio.wait_for(crawl.news.wait(), 10)
        crawl.news.clear()
    await access.ask(lambda frontier: frontier.abandon(held[0]))
    await access.look_up([], [], {})
    assert paths(await crawl.leases(1)) == ["2"]


async def test_after_a_stop_nothing_is_sent_until_the_server_has_confirmed_the_leases(
    crawl: Crawl,
) -> None:
    access = crawl.access
    access.push([link("1")])
    while not access._store.held():
        await asyncio.wait_for(crawl.news.wait(), 10)
        crawl.news.clear()
    later = time.time() + 600
    assert access.lease(1, later) == []
    assert access.next_due(later) is None
    assert paths(await crawl.leases(1)) == ["1"]


async def test_a_server_that_is_away_for_a_while_costs_nothing(crawl: Crawl, folder: Path) -> None:
    (folder / "away").touch()
    crawl.access.push([link("1")])
    await asyncio.sleep(0.3)
    (folder / "away").unlink()
    assert paths(await crawl.leases(1)) == ["1"]
    await crawl.close()
    assert crawl.errors == []


async def test_a_stream_that_the_server_interrupts_is_complete(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [link(str(number), host=f"{number}.test") for number in range(2500)]
    crawl.access.push(links)
    await crawl.access.ask(lambda frontier: frontier.waiting)
    stream, errors = crawl.frontier.each_waiting, iter([True, False])

    def interrupted(host: str | None = None) -> Iterator[Waiting]:
        entries = stream(host)
        yield from islice(entries, 1200)
        if next(errors):
            raise FrontierUnavailableError("does not answer")
        yield from entries

    monkeypatch.setattr(crawl.frontier, "each_waiting", interrupted, raising=False)
    await crawl.access.drop_where(lambda entry: True, "unwanted")
    assert await crawl.access.ask(lambda frontier: frontier.waiting) == 0
    await crawl.close()
    assert crawl.errors == []


@pytest.mark.parametrize("crawl", [{"retry_seconds": 0.2}], indirect=True)
async def test_a_server_that_stays_away_ends_the_crawl_and_leaves_nobody_waiting(
    crawl: Crawl, folder: Path
) -> None:
    (folder / "away").touch()
    with pytest.raises(FrontierError, match="does not answer"):
        await crawl.access.look_up([link("1").url], [A], {})
    with pytest.raises(FrontierError, match="does not answer"):
        await crawl.access.ask(lambda frontier: frontier.waiting)
    crawl.access.push([link("1")])
    assert crawl.access.lease(1, time.time()) == []
    (folder / "away").unlink()
    await crawl.close()
    (error,) = crawl.errors
    assert "does not answer" in str(error)


@pytest.mark.parametrize("crawl", [{"retry_seconds": 3600}], indirect=True)
async def test_a_crawl_that_is_being_closed_waits_less(
    crawl: Crawl, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_calls, "_LAST_WAIT", 0.1)
    (folder / "away").touch()
    crawl.is_closing = True
    with pytest.raises(FrontierError, match="does not answer"):
        await crawl.access.look_up([link("1").url], [A], {})
    (folder / "away").unlink()
    await crawl.close()
    assert len(crawl.errors) == 1


async def test_an_unexpected_error_ends_the_crawl_with_a_sentence(crawl: Crawl) -> None:
    crawl.access.push([link("1", float("nan"))])
    with pytest.raises(FrontierError, match="not a finite score"):
        await crawl.access.look_up([], [], {})
    await crawl.close()
    (error,) = crawl.errors
    assert str(error).startswith("redis://distant failed (ValueError")


async def test_an_idle_worker_is_busy_until_the_crawl_is_over(folder: Path) -> None:
    (folder / "others").touch()
    crawl = Crawl()
    await crawl.open()
    assert crawl.access.is_busy
    assert crawl.access.next_due(time.time()) is None
    (folder / "others").unlink()
    while crawl.access.is_busy:
        await asyncio.wait_for(crawl.news.wait(), 10)
        crawl.news.clear()
    assert "tend" in crawl.frontier.calls
    await crawl.close()


# Leases that are fetched ahead: order, number, pauses.

NOW = 1000.0


def lease(seq: int, score: float = 0.0, host: str = "a.test") -> Lease:
    return Lease(seq, f"http://{host}/{seq}", host, score, {}, seq)


def seqs(leases: list[Lease]) -> list[int]:
    return [one.seq for one in leases]


def test_the_best_is_first_and_of_equals_the_first_to_arrive() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(3, 1), lease(1, 1)], None, NOW)
    store.add([lease(2, 5)], None, NOW)
    assert store.best_score(NOW) == 5
    assert seqs(store.take(2, NOW)) == [2, 1]
    assert seqs(store.take(2, NOW)) == [3]
    assert store.best_score(NOW) is None


def test_one_is_wanted_while_a_better_url_waits() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1, 1)], 1.0, NOW)
    assert store.wanted(NOW, 0.1) == 0
    assert store.add([], 2.0, NOW) == []
    assert store.wanted(NOW, 0.1) == 1
    store.add([lease(2, 2)], 1.0, NOW)
    assert seqs(store.take(5, NOW)) == [2, 1]


def test_of_too_many_the_worst_are_released() -> None:
    store = PrefetchedLeases(2)
    assert store.add([lease(n, n) for n in range(1, 7)], 9.0, NOW) == []
    assert seqs(store.add([lease(7, 7), lease(8, 8)], 9.0, NOW)) == [2, 1]
    assert len(store) == 6


def test_leases_that_others_have_are_forgotten() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1), lease(2)], None, NOW)
    store.remove([lease(1)])
    assert seqs(store.take(2, NOW)) == [2]


def test_as_many_are_wanted_as_are_sent_in_two_fetches_and_one_more() -> None:
    store = PrefetchedLeases(4)
    assert store.wanted(NOW, 0.5) == 1
    store.add([lease(n) for n in range(3)], None, NOW)
    assert store.wanted(NOW, 0.5) == 0
    store.take(3, NOW)
    assert store.wanted(NOW + 0.9, 0.5) == 4
    assert store.wanted(NOW + 1.1, 0.5) == 1
    store.add([lease(n) for n in range(20)], None, NOW)
    store.take(20, NOW)
    assert store.wanted(NOW, 0.5) == 8


def test_one_by_one_a_lease_is_wanted_only_on_request() -> None:
    store = PrefetchedLeases(1)
    assert store.wanted(NOW, 1) == 0
    assert store.take(1, NOW) == []
    assert store.wanted(NOW, 1) == 1
    store.add([lease(1)], None, NOW)
    assert store.wanted(NOW, 1) == 0
    assert seqs(store.take(1, NOW)) == [1]
    assert store.wanted(NOW, 1) == 0


def test_during_a_short_pause_a_lease_is_kept_and_does_not_count() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1, 9), lease(2, 1, "b.test")], None, NOW)
    assert store.pause("a.test", NOW + 2, NOW) == []
    assert store.pause("a.test", NOW + 1, NOW) == []
    assert store.next_due(NOW) == NOW + 2
    assert seqs(store.take(2, NOW)) == [2]
    assert store.wanted(NOW, 0) == 1
    assert seqs(store.take(2, NOW + 2)) == [1]


@pytest.mark.parametrize("is_late", [False, True])
def test_for_a_long_pause_a_lease_is_released(*, is_late: bool) -> None:
    store = PrefetchedLeases(16)
    leases = [lease(1), lease(2, host="b.test")]
    released = [] if is_late else store.add(leases, None, NOW)
    released += store.pause("a.test", NOW + 600, NOW)
    # The server gave it away before it knew of the pause.
    released += store.add(leases, None, NOW) if is_late else []
    assert seqs(released) == [1]
    assert seqs(store.take(2, NOW)) == [2]


def test_leases_of_a_host_can_be_removed() -> None:
    store = PrefetchedLeases(16)
    store.add([lease(1), lease(2, host="b.test"), lease(3)], None, NOW)
    assert seqs(store.remove_host("a.test")) == [1, 3]
    assert seqs(store.remove(store.held())) == [2]
    assert len(store) == 0
