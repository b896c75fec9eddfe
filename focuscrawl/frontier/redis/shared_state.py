"""What the workers of a crawl share beside its URLs: counts and the budget of pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from focuscrawl.frontier.frontier_entries import PagesLeft
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import Call, RedisCalls, Reply


def add_shared_counts(
    calls: RedisCalls, keys: CrawlKeys, counts: Mapping[str, int]
) -> dict[str, int]:
    """Add counts to those of all workers by name, and return the sums."""
    key = keys.of_all("counts")
    added = [Call(key, ("HINCRBY", key, name, number)) for name, number in counts.items()]
    *_, sums = calls.run([*added, Call(key, ("HGETALL", key))])
    return {name.decode(): int(number) for name, number in sums.items()}


class SharedPageCounter:
    """Counter of the pages that the workers may still fetch, of ``most`` in all.

    Calls run in threads of the event loop. ``attempt`` makes those that may be repeated after an error;
    pages that are taken by a call without a reply are fetched by nobody.
    """

    attempt: Callable[[Callable[[], list[Reply]]], list[Reply]]

    def __init__(self, calls: RedisCalls, keys: CrawlKeys, most: int) -> None:
        self._calls = calls
        self._most = most
        self._key = keys.of_all("pages")
        self._workers = keys.workers
        self.attempt = lambda call: call()

    async def left(self) -> PagesLeft:
        """Return what is left; another worker may take it before this one does."""
        calls = [Call(self._key, ("GET", self._key)), Call(self._key, ("ZCARD", self._workers))]
        taken, workers = await self._run(calls)
        return PagesLeft(self._most - int(taken or 0), workers)

    async def take(self, count: int) -> int:
        """Take up to ``count`` pages; return how many that were, 0 if none is left."""
        (granted,) = await self._run([Call.of("take_pages", self._key, count, self._most)])
        return int(granted)

    async def give_back(self, count: int) -> None:
        """Return pages that were taken and not fetched."""
        await asyncio.to_thread(self._calls.one, self._key, "DECRBY", self._key, count)

    async def _run(self, calls: list[Call]) -> list[Reply]:
        return await asyncio.to_thread(self.attempt, partial(self._calls.run, calls))
