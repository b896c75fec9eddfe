"""Joining of a crawl on a server as one of its workers, whichever of its parts they share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.misc import load_object

from focuscrawl import crawl_run as run
from focuscrawl.errors import FocuscrawlError, FrontierError, FrontierInUseError
from focuscrawl.frontier.frontier_entries import Candidate, Lease
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.items import Seed
from focuscrawl.scheduling import frontier_settings
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.crawl_services import CrawlServices
from focuscrawl.scheduling.frontier_access import DirectAccess
from focuscrawl.scheduling.frontier_opening import OpenedFrontier, open_local
from focuscrawl.scheduling.scrapy_engine import on_shutdown
from focuscrawl.system.package_extras import require_redis
from focuscrawl.workers.patient_calls import CallThread, PatientCalls
from focuscrawl.workers.remote_frontier import RemoteFrontier
from focuscrawl.workers.shared_seeds import CHOICE_HOST, SharedSeeds
from focuscrawl.workers.threaded_access import ThreadedAccess

if TYPE_CHECKING:
    from focuscrawl.workers.redis_frontier import RedisFrontier

# Walk of a crawl that one worker at a time makes, while the others stand by to take it over.

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


_STORE_PIPELINE = "focuscrawl.pipelines.store.StorePipeline"


async def join_crawl(crawler: Crawler, engine: Engine, latest_due: float) -> OpenedFrontier:
    """Join the crawl of the spider on the server of setting ``FOCUSCRAWL_FRONTIER``, or begin it.

    Workers share the URLs of the spider; or its seeds, if it ``shares_seeds``; or the walk of one that
    only ``discards_frontier``. The URLs of the latter two are in a file of each worker. No retry of an
    earlier run is due later than ``latest_due``.
    """
    if getattr(crawler.spider, "shares_seeds", False):
        seeds = await _join_seeds(crawler, engine, latest_due)
        own = _open_own(crawler)
        own.limit_delays(latest_due)
        return OpenedFrontier(WalkerAccess(own, engine, seeds), CrawlServices(seeds=seeds))
    if getattr(crawler.spider, "discards_frontier", False):
        walk = await _begin_walk(crawler, engine, latest_due)
        local = open_local(crawler, frontier_settings.frontier_path(crawler))
        local.limit_delays(latest_due)
        return OpenedFrontier(WalkerAccess(local, engine, walk), CrawlServices())
    frontier_settings.check_remote_rule(frontier_settings.update_rule(crawler))
    seconds = _retry_seconds(crawler)
    access = await ThreadedAccess.open(engine, seconds, partial(_join, crawler, latest_due))
    return OpenedFrontier(access, CrawlServices(pages=access.shared_pages()))


def _open_own(crawler: Crawler) -> SqliteFrontier:
    """Open a file of this worker alone; the next worker takes that of a dead one."""
    path = frontier_settings.frontier_path(crawler)
    for number in count(1):
        with suppress(FrontierInUseError):
            return open_local(crawler, path.with_stem(f"{path.stem}-{number}"))
    raise AssertionError


async def _join_seeds(crawler: Crawler, engine: Engine, latest_due: float) -> SharedSeeds:
    """Join a crawl whose workers share its seeds."""
    joining = partial(_join, crawler, latest_due, slots=1, lasting=CHOICE_HOST)
    seeds = await SharedSeeds.open(
        run.crawl_name(crawler), engine, _retry_seconds(crawler), joining
    )

    def end_lease(item: Any) -> None:
        if isinstance(item, Seed) and not run.has_failed(crawler):
            seeds.end(item)

    def end_failed(item: Any) -> None:
        if isinstance(item, Seed):
            end_lease(replace(item, state="failed"))

    crawler.signals.connect(end_lease, signals.item_scraped, weak=False)
    # An error in a pipeline.
    crawler.signals.connect(end_failed, signals.item_dropped, weak=False)
    crawler.signals.connect(end_failed, signals.item_error, weak=False)
    _leave_when_closed(crawler, seeds.close)
    return seeds


async def _begin_walk(crawler: Crawler, engine: Engine, latest_due: float) -> SharedWalk:
    """Return the walk once it is this worker's; raises CloseSpider if there is nothing to do."""
    walk = SharedWalk(
        run.crawl_name(crawler), engine, _retry_seconds(crawler), partial(run.note, crawler)
    )

    _leave_when_closed(crawler, walk.end)
    on_shutdown(partial(walk.end, is_finished=False))
    if not await walk.begin(partial(_join, crawler, latest_due)):
        raise CloseSpider("shutdown" if engine.is_closing() else "finished")
    return walk


def _leave_when_closed(crawler: Crawler, leave: Callable[..., Awaitable[None]]) -> None:
    async def call(reason: str) -> None:
        try:
            await leave(is_finished=reason == "finished")
        except FrontierError as error:
            run.remember(crawler, error)

    # Later than the scheduler closes the local frontier and the stores have all records.
    crawler.signals.connect(call, signals.spider_closed, weak=False)


def _join(
    crawler: Crawler, latest_due: float, slots: int | None = None, lasting: str | None = None
) -> RedisFrontier:
    """Join the crawl on the server of setting ``FOCUSCRAWL_FRONTIER``, or begin it."""
    require_redis()
    # Imported here: most crawls need no server.
    from focuscrawl.workers.crawl_membership import open_crawl

    arguments = _arguments(crawler)
    # Without a budget all pages are fetched in the end, and the order is worth no time.
    has_budget = arguments.get("max_pages") is not None
    frontier = open_crawl(
        str(crawler.settings["FOCUSCRAWL_FRONTIER"]),
        run.crawl_name(crawler),
        arguments=arguments,
        slots=slots or frontier_settings.slots_of_host(crawler),
        follows_best=has_budget and frontier_settings.eagerness(crawler) < 1,
        claim_pause=crawler.settings.getfloat("DOWNLOAD_DELAY"),
        lasting=lasting,
    )
    frontier.limit_delays(latest_due)
    return frontier


def _retry_seconds(crawler: Crawler) -> float:
    return run.number_setting(crawler, "FOCUSCRAWL_FRONTIER_RETRY", least=0)


def _arguments(crawler: Crawler) -> dict[str, Any]:
    """Return what all workers of a crawl must have in common: arguments, and where results go."""
    given = getattr(crawler.spider, "arguments", None)
    arguments = given.model_dump(mode="json") if isinstance(given, BaseModel) else {}
    if pipeline := crawler.get_item_pipeline(load_object(_STORE_PIPELINE)):
        # Without passwords.
        arguments["FOCUSCRAWL_STORES"] = ",".join(pipeline.archive.labels)
    return arguments
