"""Walk of a crawl that one worker at a time makes, while the others stand by to take it over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from focuscrawl.errors import FocuscrawlError, FrontierError
from focuscrawl.frontier.frontier_entries import Candidate, Lease
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.frontier_access import DirectAccess
from focuscrawl.workers.patient_calls import CallThread, PatientCalls
from focuscrawl.workers.remote_frontier import RemoteFrontier

_T = TypeVar("_T")
_TICK = 1.0


class WalkFrontier(RemoteFrontier, Protocol):
    """A frontier on a server that knows whether its leases can have expired."""

    @property
    def is_valid(self) -> bool:
        """True as long as no lease of this worker's hosts can have expired; needs no server."""


class SharedWalk:
    """The walk of a crawl whose spider holds it in memory, as the only URL of a shared frontier.

    The worker that leases the URL walks. When it has died, another one leases it after the lease of
    its shard, and starts where the stores say. ``report`` is called with what a user should know.
    """

    def __init__(
        self, crawl: str, engine: Engine, seconds: float, report: Callable[[str], None]
    ) -> None:
        self._crawl = crawl
        self._engine = engine
        self._report = report
        self._attempt = PatientCalls(seconds, engine.is_closing).attempt
        self._thread = CallThread("walk")
        self._frontier: WalkFrontier | None = None
        self._lease: Lease | None = None
        self._keeping: asyncio.Task[None] | None = None

    async def begin(self, open_frontier: Callable[[], WalkFrontier]) -> bool:
        """Wait until the walk is this worker's; return False if another one ended it, or if this crawl is stopped.

        Raises :class:`~focuscrawl.errors.FrontierError` for a frontier that cannot be opened.
        """
        frontier = self._frontier = await self._call(open_frontier)
        walk = Candidate.of(f"walk:{self._crawl}", "walk")
        await self._call(lambda: frontier.push([walk]))
        stands_by = False
        while not self._engine.is_closing():
            await self._call(frontier.tend)
            for lease in await self._call(lambda: frontier.lease(1, self._engine.now())):
                self._lease = lease
                self._keeping = asyncio.ensure_future(self._keep(frontier, lease))
                if lease.lost:
                    self._report("continues after a worker that has died")
                return True
            if await self._call(frontier.is_over):
                self._report("another worker has done all of this crawl")
                return False
            if not stands_by:
                stands_by = True
                self._report("another worker crawls; this one stands by")
            await asyncio.sleep(_TICK)
        return False

    @property
    def is_own(self) -> bool:
        """Whether the walk is certainly still this worker's."""
        frontier, lease = self._frontier, self._lease
        return bool(frontier and lease and frontier.is_valid and frontier.holds(lease))

    async def end(self, *, is_finished: bool) -> None:
        """End the walk, or leave it to another worker, and leave the crawl."""
        if self._keeping:
            self._keeping.cancel()
        frontier, lease = self._frontier, self._lease
        if frontier is None:
            return
        self._frontier = None

        def leave() -> None:
            if lease and frontier.holds(lease):
                (frontier.ack if is_finished else frontier.release)(lease)
            frontier.close()

        try:
            await self._call(leave)
        finally:
            self._thread.stop()

    async def _keep(self, frontier: WalkFrontier, lease: Lease) -> None:
        try:
            while frontier.holds(lease):
                await asyncio.sleep(_TICK)
                was_own = self.is_own
                await self._call(frontier.tend)
                if self.is_own and not was_own:
                    self._engine.wake()
            raise FrontierError(
                f"{self._crawl} is no longer this worker's: it did not reach {frontier.label} for too "
                "long, and another worker goes on; start again to stand by"
            )
        except FocuscrawlError as error:
            self._engine.fail(error)

    async def _call(self, call: Callable[[], _T]) -> _T:
        return await self._thread.run(lambda: self._attempt(call))


class SharedWork(Protocol):
    """Work of a crawl that one worker at a time does."""

    @property
    def is_own(self) -> bool:
        """Whether the work is certainly still this worker's."""


class WalkerAccess(DirectAccess):
    """Access to a worker's local frontier, which leases nothing while the work may be another worker's."""

    def __init__(self, frontier: SqliteFrontier, engine: Engine, work: SharedWork) -> None:
        super().__init__(frontier, engine.count_pushed)
        self.lease = self._lease_own
        self.next_due = self._next_due_own
        self._work = work

    def _lease_own(self, count: int, now: float) -> list[Lease]:
        return self._frontier.lease(count, now) if self._work.is_own else []

    def _next_due_own(self, now: float) -> float | None:
        return self._frontier.next_due(now) if self._work.is_own else now + _TICK
