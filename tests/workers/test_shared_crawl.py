"""The joining of a crawl: the walk that one of several workers makes, and the seeds that they share."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from focuscrawl.errors import FocuscrawlError, FrontierError
from focuscrawl.items import Seed, SeedState
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.redis_frontier import RedisFrontier
from focuscrawl.workers.shared_crawl import CHOICE_HOST, SharedSeeds, SharedWalk
from tests.frontier.frontier_runs import kill
from tests.stores.record_examples import seed
from tests.workers.conftest import quiet_engine

pytestmark = pytest.mark.server


class Worker:
    """A walk, and what its crawl is told."""

    def __init__(self, url: str, site: str = "a") -> None:
        self.reports: list[str] = []
        self.errors: list[FocuscrawlError] = []
        self.is_closing = False
        self._url, self._site = url, site
        engine = quiet_engine(fail=self.errors.append, is_closing=lambda: self.is_closing)
        self.walk = SharedWalk("list-a", engine, 0, self.reports.append)

    async def begin(self) -> bool:
        return await self.walk.begin(self._opened)

    def _opened(self) -> RedisFrontier:
        return open_crawl(
            self._url, "list-a", arguments={"site": self._site}, slots=1, lease_seconds=3
        )

    def hang(self) -> None:
        """Stop renewing the lease, as a process does that is killed or stopped."""
        assert self.walk._keeping
        self.walk._keeping.cancel()


async def stands_by(worker: Worker) -> asyncio.Task[bool]:
    """Return the wait of a worker for the walk, once it stands by."""
    waiting = asyncio.ensure_future(worker.begin())
    while not worker.reports:
        await asyncio.sleep(0.01)
        assert not waiting.done()
    assert worker.reports == ["another worker crawls; this one stands by"]
    return waiting


Pair = tuple[Worker, Worker]


@pytest.fixture
async def pair(valkey_url: str) -> AsyncIterator[Pair]:
    """Two workers of one crawl."""
    workers = Worker(valkey_url), Worker(valkey_url)
    yield workers
    for worker in workers:
        await worker.walk.end(is_finished=False)


async def test_a_walk_that_has_ended_is_not_walked_again(pair: Pair) -> None:
    first, second = pair
    assert await first.begin()
    assert first.walk.is_own
    waiting = await stands_by(second)
    await first.walk.end(is_finished=True)
    assert not await waiting
    assert second.reports[1:] == ["another worker has done all of this crawl"]


async def test_a_walk_that_was_stopped_is_taken_over_at_once(pair: Pair) -> None:
    first, second = pair
    assert await first.begin()
    waiting = await stands_by(second)
    await first.walk.end(is_finished=False)
    assert await waiting
    assert second.walk.is_own


async def test_a_dead_worker_is_replaced_and_does_nothing_when_it_returns(pair: Pair) -> None:
    first, second = pair
    assert await first.begin()
    waiting = await stands_by(second)
    first.hang()
    assert await waiting
    assert second.reports[1:] == ["continues after a worker that has died"]
    assert not first.walk.is_own
    assert first.walk._frontier
    assert first.walk._lease
    await first.walk._keep(first.walk._frontier, first.walk._lease)
    assert "list-a is no longer this worker's" in str(first.errors)
    assert second.walk.is_own


async def test_a_worker_that_stands_by_can_be_stopped(pair: Pair) -> None:
    first, second = pair
    assert await first.begin()
    waiting = await stands_by(second)
    second.is_closing = True
    assert not await waiting
    assert first.walk.is_own


async def test_a_walk_with_other_arguments_is_refused(pair: Pair, valkey_url: str) -> None:
    first, _ = pair
    assert await first.begin()
    with pytest.raises(FrontierError, match=r"other arguments \(site=a there, b here\)"):
        await Worker(valkey_url, "b").begin()


# Seeds that workers share: one leader, each site at one worker, nothing lost by a death.

CRAWLED: list[SeedState] = ["useful", "useless", "failed"]
SEEDS = [seed(number, url=f"http://firm{number}.example/", window=2) for number in range(20)]


def state_of(one: Seed) -> SeedState:
    return CRAWLED[one.rank % 3]


class Crawl:
    """Workers of one crawl in one process, which crawl sites in no time."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.crawled: Counter[str] = Counter()

    async def join(self) -> SharedSeeds:
        engine = quiet_engine(fail=self.fail, most=4)
        return await SharedSeeds.open("test", engine, 5, self._open)

    def fail(self, error: FocuscrawlError) -> None:
        raise AssertionError(error)

    def _open(self) -> RedisFrontier:
        return open_crawl(
            self.url, "test", arguments={}, slots=1, lease_seconds=3, lasting=CHOICE_HOST
        )

    def crawl(self, worker: SharedSeeds, most: int = 99) -> None:
        """Crawl the seeds that a worker can lease now, at most ``most``."""
        while most and (one := worker.next()):
            most -= 1
            self.crawled[one.url] += 1
            worker.end(replace(one, state=state_of(one)))


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():  # noqa: ASYNC110 - what it waits for is in a thread or a server
            await asyncio.sleep(0.01)


async def leading(worker: SharedSeeds) -> None:
    def leads() -> bool:
        assert worker.next() is None
        return worker.is_led

    await until(leads)


async def crawl_all(crawl: Crawl, leader: SharedSeeds, *others: SharedSeeds) -> None:
    """Let workers crawl until the leader has heard of the end of all seeds."""
    async with asyncio.timeout(30):
        while leader._added:
            for worker in (leader, *others):
                crawl.crawl(worker)
            for one in await leader.ended():
                assert one.state == state_of(one)
                leader.done(one)
            await leader.news()


async def test_each_seed_is_crawled_once_and_all_workers_see_the_end(valkey_url: str) -> None:
    crawl = Crawl(valkey_url)
    workers = [await crawl.join() for _ in range(3)]
    leader, *others = workers
    await leading(leader)
    for one in SEEDS:
        leader.add(one)
    await crawl_all(crawl, leader, *others)
    assert not any(worker.is_led for worker in others)
    assert not any(worker.is_over for worker in workers)
    assert crawl.crawled == Counter(one.url for one in SEEDS)
    await leader.close(is_finished=True)
    await until(lambda: all(worker.is_over for worker in others))
    for worker in others:
        await worker.close(is_finished=True)


def takes_next(worker: SharedSeeds, found: list[Seed]) -> bool:
    """Add the seed that a worker leases next; return whether any was found."""
    if one := worker.next():
        found.append(one)
    return bool(found)


async def test_a_seed_comes_as_it_was_added_and_one_at_a_time_for_a_site(valkey_url: str) -> None:
    crawl = Crawl(valkey_url)
    worker = await crawl.join()
    await leading(worker)
    pair = [seed(n, url=f"http://{host}firm.example/{n}") for n, host in enumerate(("", "www."))]
    for one in pair:
        worker.add(one)
    found: list[Seed] = []
    has_next = partial(takes_next, worker, found)
    await until(has_next)
    assert found == pair[:1]
    await asyncio.sleep(0)
    assert worker.next() is None
    worker.end(replace(found.pop(), state="useful"))
    await until(has_next)
    assert found == pair[1:]
    await worker.close(is_finished=False)


async def test_another_worker_leads_when_the_leader_leaves_and_knows_what_has_ended(
    valkey_url: str,
) -> None:
    crawl = Crawl(valkey_url)
    leader, heir = await crawl.join(), await crawl.join()
    await leading(leader)
    for one in SEEDS:
        leader.add(one)

    def has_three() -> bool:
        crawl.crawl(leader, 3)
        return crawl.crawled.total() >= 3

    await until(has_three)
    await leader.close(is_finished=False)

    def leads() -> bool:
        crawl.crawl(heir, 1)
        return heir.is_led

    await until(leads)
    for one in SEEDS:
        heir.add(one)
    await crawl_all(crawl, heir)
    assert crawl.crawled == Counter(one.url for one in SEEDS)
    await heir.close(is_finished=True)


async def test_a_dead_workers_seeds_are_crawled_again(valkey_url: str) -> None:
    crawl = Crawl(valkey_url)
    leader, dead = await crawl.join(), await crawl.join()
    await leading(leader)
    await until(lambda: len(dead._access._frontier._owned) > 100)  # type: ignore[attr-defined]
    for one in SEEDS:
        leader.add(one)
    begun: list[Seed] = []

    def has_two() -> bool:
        begun.extend(filter(None, [dead.next()]))
        return len(begun) == 2

    await until(has_two)
    # Before Python 3.12, wait_for may swallow a cancellation.
    await until(lambda: dead._access._driver.cancel() is False)
    kill(dead._access._frontier)  # type: ignore[arg-type]
    await crawl_all(crawl, leader)
    assert crawl.crawled == Counter(one.url for one in SEEDS)
    await leader.close(is_finished=True)


async def test_a_seed_of_an_earlier_window_is_dropped(valkey_url: str) -> None:
    crawl = Crawl(valkey_url)
    worker = await crawl.join()
    await leading(worker)
    before = replace(SEEDS[0], window=1)
    worker.add(before)
    worker.add(SEEDS[0])
    found: list[Seed] = []
    has_next = partial(takes_next, worker, found)
    await until(has_next)
    assert found == [before]
    worker.drop(found.pop())
    await until(has_next)
    assert found == SEEDS[:1]
    await worker.close(is_finished=False)


async def test_a_leader_that_was_replaced_is_told(valkey_url: str) -> None:
    crawl = Crawl(valkey_url)
    worker = await crawl.join()
    await leading(worker)
    frontier: Any = worker._access._frontier
    await worker._access.ask(lambda _: frontier._shards._lose(frontier._keys.shard_of(CHOICE_HOST)))
    with pytest.raises(FrontierError, match="another worker chooses the seeds"):
        await worker.ended()
    worker._lead = None
    await worker.close(is_finished=False)


async def test_a_worker_hears_once_which_of_its_seeds_others_have(valkey_url: str) -> None:
    worker = await Crawl(valkey_url).join()
    await leading(worker)
    worker.add(SEEDS[0])
    await until(lambda: worker.next() is not None)
    assert worker.is_own
    assert worker.lost() == []
    frontier: Any = worker._access._frontier
    shard = frontier._keys.shard_of("firm0.example")
    await worker._access.ask(lambda _: frontier._shards._lose(shard))
    assert worker.lost() == [SEEDS[0].url]
    assert worker.lost() == []
    worker._access._confirmed_at -= 60
    assert not worker.is_own
    await worker.close(is_finished=False)
