"""The walk of a crawl that one of several workers makes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from focuscrawl.errors import FocuscrawlError, FrontierError
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.redis_frontier import RedisFrontier
from focuscrawl.workers.shared_crawl import SharedWalk

pytestmark = pytest.mark.server


class Worker:
    """A walk, and what its crawl is told."""

    def __init__(self, url: str, site: str = "a") -> None:
        self.reports: list[str] = []
        self.errors: list[FocuscrawlError] = []
        self.is_closing = False
        self._url, self._site = url, site
        engine = Engine(
            now=time.time,
            wake=lambda: None,
            count=lambda name, number: None,
            count_pushed=lambda pushed: None,
            fail=self.errors.append,
            is_closing=lambda: self.is_closing,
            most=1,
        )
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


Test = Callable[[Worker, Worker], Coroutine[Any, Any, None]]


@pytest.fixture
def run(valkey_url: str) -> Callable[[Test], None]:
    """Runs a test with two workers."""

    async def with_workers(test: Test) -> None:
        workers = Worker(valkey_url), Worker(valkey_url)
        try:
            await asyncio.wait_for(test(*workers), 120)
        finally:
            for worker in workers:
                await worker.walk.end(is_finished=False)

    return lambda test: asyncio.run(with_workers(test))


def test_a_walk_that_has_ended_is_not_walked_again(run: Callable[[Test], None]) -> None:
    async def test(first: Worker, second: Worker) -> None:
        assert await first.begin()
        assert first.walk.is_own
        waiting = await stands_by(second)
        await first.walk.end(is_finished=True)
        assert not await waiting
        assert second.reports[1:] == ["another worker has done all of this crawl"]

    run(test)


def test_the_next_run_walks_again(run: Callable[[Test], None]) -> None:
    async def test(first: Worker, second: Worker) -> None:
        assert await first.begin()
        await first.walk.end(is_finished=True)
        assert await second.begin()
        assert not second.reports

    run(test)


def test_a_walk_that_was_stopped_is_taken_over_at_once(run: Callable[[Test], None]) -> None:
    async def test(first: Worker, second: Worker) -> None:
        assert await first.begin()
        waiting = await stands_by(second)
        await first.walk.end(is_finished=False)
        assert await waiting
        assert second.walk.is_own

    run(test)


def test_a_dead_worker_is_replaced_and_does_nothing_when_it_returns(
    run: Callable[[Test], None],
) -> None:
    async def test(first: Worker, second: Worker) -> None:
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

    run(test)


def test_a_worker_that_stands_by_can_be_stopped(run: Callable[[Test], None]) -> None:
    async def test(first: Worker, second: Worker) -> None:
        assert await first.begin()
        waiting = await stands_by(second)
        second.is_closing = True
        assert not await waiting
        assert first.walk.is_own

    run(test)


def test_a_walk_with_other_arguments_is_refused(
    run: Callable[[Test], None], valkey_url: str
) -> None:
    async def test(first: Worker, _: Worker) -> None:
        assert await first.begin()
        with pytest.raises(FrontierError, match=r"other arguments \(site=a there, b here\)"):
            await Worker(valkey_url, "b").begin()

    run(test)
