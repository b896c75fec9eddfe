"""Budget of pages: of one process, or of all workers of a crawl, which get it in grants."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol

from focuscrawl.errors import FocuscrawlError
from focuscrawl.frontier.frontier_entries import PagesLeft

LARGEST_GRANT = 100


class PageCounter(Protocol):
    """Counter of the pages that the workers of a crawl may still fetch, all together."""

    async def left(self) -> PagesLeft:
        """Return what is left; another worker may take it before this one does."""

    async def take(self, count: int) -> int:
        """Take up to ``count`` pages; return how many that were, 0 if none is left."""

    async def give_back(self, count: int) -> None:
        """Return pages that were taken and not fetched."""


class CountsPages(Protocol):
    """What has a counter for the pages of all workers."""

    def page_counter(self, most: int) -> PageCounter:
        """Return the counter of a budget of ``most`` pages."""


class Budget(Protocol):
    """The pages that a process may still fetch. Errors of a counter reach the caller."""

    async def spend(self) -> bool:
        """Take one page; return False if none is left."""

    async def is_used_up(self) -> bool:
        """Return whether no page is left."""

    async def close(self) -> None:
        """Leave what was not spent to others."""


class LocalBudget:
    """A budget of one process, without end if ``most`` is None. It never waits."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._spent = 0

    async def spend(self) -> bool:
        """Take one page; return False if none is left."""
        if await self.is_used_up():
            return False
        self._spent += 1
        return True

    async def is_used_up(self) -> bool:
        """Return whether no page is left."""
        return self._spent == self._most

    async def close(self) -> None:
        """Do nothing."""


class BudgetGrants:
    """The share of one worker, in grants of up to 100 pages, and of fewer where little is left.

    The next grant is fetched while the last quarter of the present one is spent. Together the workers
    spend no page too many; what a killed worker had been granted is lost.
    """

    def __init__(self, counter: PageCounter) -> None:
        self._counter = counter
        self._granted = 0
        self._reserve = 0
        self._is_over = False
        self._fetch: asyncio.Task[None] | None = None

    async def spend(self) -> bool:
        """Take one page; return False if none is left for this worker."""
        if await self.is_used_up():
            return False
        self._granted -= 1
        if self._granted <= self._reserve and not self._is_over:
            self._begin_fetch()
        return True

    async def is_used_up(self) -> bool:
        """Return whether no page is left for this worker; that may take as long as the server does."""
        while not self._granted and not self._is_over:
            # Shielded: other pages may wait for the same grant.
            await asyncio.shield(self._begin_fetch())
        return not self._granted

    async def close(self) -> None:
        """Return to the counter what was not spent."""
        if self._fetch:
            await asyncio.wait([self._fetch])
        count, self._granted, self._is_over = self._granted, 0, True
        if count:
            # Where the server is gone, they are lost, as those of a killed worker are.
            with suppress(FocuscrawlError):
                await self._counter.give_back(count)

    def _begin_fetch(self) -> asyncio.Task[None]:
        if self._fetch is None or self._fetch.done():
            self._fetch = asyncio.ensure_future(self._take())
            # Who waits for it gets its error; where nobody does, the next fetch may succeed.
            self._fetch.add_done_callback(lambda fetch: fetch.cancelled() or fetch.exception())
        return self._fetch

    async def _take(self) -> None:
        left = await self._counter.left()
        wanted = min(LARGEST_GRANT, max(1, left.pages // (4 * max(1, left.workers))))
        granted = await self._counter.take(wanted) if left.pages > 0 else 0
        self._granted += granted
        self._reserve = granted // 4
        self._is_over = not self._granted


def budget_of(shared: CountsPages | None, most: int | None) -> Budget:
    """Return the budget of a run: that of all workers if they share one, else its own."""
    if most is not None and shared is not None:
        return BudgetGrants(shared.page_counter(most))
    return LocalBudget(most)
