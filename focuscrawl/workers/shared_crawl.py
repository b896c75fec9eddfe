"""Joining of a crawl on a server as one of its workers, whichever of its parts they share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.misc import load_object

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import FocuscrawlError, FrontierError, FrontierInUseError
from focuscrawl.frontier.frontier_entries import (
    DONE,
    Ack,
    Candidate,
    Lease,
    Outcome,
    State,
    dropped,
    failed,
    key_of,
)
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.items import Seed, SeedState
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scheduling import frontier_settings
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.crawl_services import CrawlServices
from focuscrawl.scheduling.frontier_access import DirectAccess
from focuscrawl.scheduling.frontier_opening import OpenedFrontier, open_local
from focuscrawl.scheduling.scrapy_engine import on_shutdown
from focuscrawl.system.package_extras import require_redis
from focuscrawl.workers.patient_calls import CallThread, PatientCalls
from focuscrawl.workers.remote_frontier import RemoteFrontier
from focuscrawl.workers.threaded_access import ThreadedAccess

if TYPE_CHECKING:
    from focuscrawl.workers.redis_frontier import RedisFrontier

# Walk of a crawl that one worker at a time makes, while the others stand by to take it over.

_T = TypeVar("_T")
_TICK = 1.0


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
        self._frontier: RemoteFrontier | None = None
        self._lease: Lease | None = None
        self._keeping: asyncio.Task[None] | None = None

    async def begin(self, open_frontier: Callable[[], RemoteFrontier]) -> bool:
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

    async def _keep(self, frontier: RemoteFrontier, lease: Lease) -> None:
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


# Seeds of a crawl that workers share: one chooses them, each crawls those of its own sites.

_OUTDATED = dropped("earlier window")
_OUTCOMES: dict[SeedState, Outcome] = {
    "useful": DONE,
    "useless": dropped("useless"),
    "failed": failed("failed"),
}
_STATES: dict[State, SeedState] = {outcome.state: state for state, outcome in _OUTCOMES.items()}
CHOICE_HOST = "seeds"
"""The host of the URL that stands for the choice of the seeds."""


class SharedSeeds:
    """Seeds in a shared frontier, which leases each to the worker that owns its site.

    One more URL stands for the choice of the seeds. The worker that leases it is the leader, and adds
    seeds; when it has died, another one leases the URL and continues. The lease of a seed ends when the
    seed is stored with its state.
    """

    def __init__(self, crawl: str, access: ThreadedAccess, engine: Engine, news: asyncio.Event):
        self._choice = Candidate.of(f"seeds:{crawl}", CHOICE_HOST, score=1.0)
        self._access = access
        self._now = engine.now
        self._news = news
        self._lead: Lease | None = None
        self._leases: dict[str, Lease] = {}
        self._added: dict[int, Seed] = {}
        self._asked_at = 0.0
        access.push([self._choice])

    @classmethod
    async def open(
        cls,
        crawl: str,
        engine: Engine,
        seconds: float,
        open_frontier: Callable[[], RemoteFrontier],
    ) -> Self:
        """Join the crawl as a worker; a server that does not respond is waited for some seconds."""
        news = asyncio.Event()
        # Seeds are no pages: those are counted by the frontier of this worker's requests.
        engine = replace(engine, wake=news.set, count_pushed=lambda pushed: None)
        access = await ThreadedAccess.open(engine, seconds, open_frontier)
        return cls(crawl, access, engine, news)

    @property
    def is_led(self) -> bool:
        """Whether this worker is the leader."""
        return self._lead is not None

    @property
    def is_own(self) -> bool:
        """Whether the sites of this worker are certainly still its own."""
        return self._access.is_confirmed(self._now())

    @property
    def is_over(self) -> bool:
        """Whether no seed waits or is being crawled, and the leader has ended the crawl."""
        return not self._access.is_busy

    def add(self, seed: Seed) -> None:
        """Add a chosen seed; one that an earlier leader has added stays as it is."""
        key = _key(seed)
        self._added[key] = seed
        payload = {"seed": asdict(seed) | {"listed_at": seed.listed_at.isoformat()}}
        self._access.push([Candidate(key, seed.url, host_of(seed.url), payload=payload)])

    def next(self) -> Seed | None:
        """Lease a seed, None if none of this worker's sites waits."""
        while leases := self._access.lease(1, self._now()):
            (lease,) = leases
            if lease.key == self._choice.key:
                self._lead = lease
                continue
            seed = _read(lease.payload)
            self._leases[seed.url] = lease
            return seed
        return None

    def end(self, seed: Seed) -> None:
        """End the lease of a seed that is stored with its state; of others do nothing."""
        if lease := self._leases.pop(seed.url, None):
            self._access.ack_many([Ack(lease, outcome=_OUTCOMES[seed.state])])

    def lost(self) -> list[str]:
        """Return the URLs of leased seeds that other workers have by now, once."""
        urls = [url for url, lease in self._leases.items() if not self._access.holds(lease)]
        for url in urls:
            del self._leases[url]
        return urls

    def drop(self, seed: Seed) -> None:
        """End the lease of a seed of an earlier window, which nobody waits for."""
        self._access.ack_many([Ack(self._leases.pop(seed.url), outcome=_OUTDATED)])

    async def ended(self) -> list[Seed]:
        """Return the added seeds that have ended and are not settled, with their states.

        The server is queried once a second at most.

        Raises :class:`~focuscrawl.errors.FrontierError` if another worker is the leader by now.
        """
        lead = self._lead
        if lead is None or self._now() < self._asked_at + _TICK:
            return []
        hosts = {key: host_of(seed.url) for key, seed in self._added.items()}

        def ask(frontier: RemoteFrontier) -> tuple[Mapping[int, State], bool]:
            return frontier.known(hosts, hosts), frontier.holds(lead)

        states, is_held = await self._access.ask(ask)
        self._asked_at = self._now()
        if not is_held:
            raise FrontierError(
                f"another worker chooses the seeds: this one did not reach {self._access.label} for "
                "too long; start again to crawl some of them"
            )
        return [
            replace(self._added[key], state=_STATES[state])
            for key, state in states.items()
            if state in _STATES
        ]

    def done(self, seed: Seed) -> None:
        """Record that an added seed is settled."""
        self._added.pop(_key(seed), None)

    def notify(self) -> None:
        """End the wait of :meth:`news`."""
        self._news.set()

    async def news(self) -> None:
        """Wait until something may have changed, for a second at most."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), _TICK)
        self._news.clear()

    async def close(self, *, is_finished: bool) -> None:
        """Leave the crawl; a leader that has not finished leaves the choice to another worker."""
        if self._lead and is_finished:
            self._access.ack_many([Ack(self._lead)])
        await self._access.settle()
        await self._access.close()


def _key(seed: Seed) -> int:
    return key_of(f"{seed.window} {seed.url}")


def _read(payload: Mapping[str, Any]) -> Seed:
    fields = payload["seed"]
    return Seed(**fields | {"listed_at": datetime.fromisoformat(fields["listed_at"])})


class WalkerAccess(DirectAccess):
    """Access to a worker's local frontier, which leases nothing while the work may be another worker's."""

    def __init__(
        self, frontier: SqliteFrontier, engine: Engine, work: SharedSeeds | SharedWalk
    ) -> None:
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
    run = RunningCrawl.of(crawler)
    seeds = await SharedSeeds.open(run.name, engine, _retry_seconds(crawler), joining)

    def end_lease(item: Any) -> None:
        if isinstance(item, Seed) and not run.has_failed:
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
    run = RunningCrawl.of(crawler)
    walk = SharedWalk(run.name, engine, _retry_seconds(crawler), run.note)

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
            RunningCrawl.of(crawler).remember(error)

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
        RunningCrawl.of(crawler).name,
        arguments=arguments,
        slots=slots or frontier_settings.slots_of_host(crawler),
        follows_best=has_budget and frontier_settings.eagerness(crawler) < 1,
        claim_pause=crawler.settings.getfloat("DOWNLOAD_DELAY"),
        lasting=lasting,
    )
    frontier.limit_delays(latest_due)
    return frontier


def _retry_seconds(crawler: Crawler) -> float:
    return RunningCrawl.of(crawler).number("FOCUSCRAWL_FRONTIER_RETRY", least=0)


def _arguments(crawler: Crawler) -> dict[str, Any]:
    """Return what all workers of a crawl must have in common: arguments, and where results go."""
    given = getattr(crawler.spider, "arguments", None)
    arguments = given.model_dump(mode="json") if isinstance(given, BaseModel) else {}
    if pipeline := crawler.get_item_pipeline(load_object(_STORE_PIPELINE)):
        # Without passwords.
        arguments["FOCUSCRAWL_STORES"] = ",".join(pipeline.archive.labels)
    return arguments
