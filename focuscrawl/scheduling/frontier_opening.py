"""Opening of the frontier of a crawl: a file, or a server that several workers share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pydantic import BaseModel
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.misc import load_object

from focuscrawl import crawl_run as run
from focuscrawl.errors import ArgumentError, FrontierError, FrontierInUseError
from focuscrawl.frontier.crawl_job import open_job
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.items import Seed
from focuscrawl.network.waiting_times import RunClock
from focuscrawl.scheduling import frontier_settings
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.frontier_access import DirectAccess, FrontierAccess
from focuscrawl.scheduling.frontier_stats import count_pushed
from focuscrawl.scheduling.remote_frontier.shared_seeds import CHOICE_HOST, SharedSeeds
from focuscrawl.scheduling.remote_frontier.shared_walk import SharedWalk, SharedWork, WalkerAccess
from focuscrawl.scheduling.remote_frontier.threaded_access import ThreadedAccess
from focuscrawl.scheduling.scrapy_engine import is_closing, on_shutdown, wake
from focuscrawl.system.package_extras import require_redis

if TYPE_CHECKING:
    from focuscrawl.frontier.redis.redis_frontier import RedisFrontier

_STORE_PIPELINE = "focuscrawl.pipelines.store.StorePipeline"
_PAGES_MIDDLEWARE = "focuscrawl.middlewares.frontier_pages.FrontierPages"


@runtime_checkable
class SharesSeeds(Protocol):
    """A spider whose seeds several workers crawl; ``shared_seeds`` is None if the crawl is one process."""

    shared_seeds: SharedSeeds | None


async def open_frontier(crawler: Crawler, clock: RunClock, longest_pause: float) -> FrontierAccess:
    """Open the frontier of a crawl, to continue its job or to start a new one.

    No retry of an earlier run is due later than in ``longest_pause`` seconds.
    """
    if crawler.get_spider_middleware(load_object(_PAGES_MIDDLEWARE)) is None:
        raise ArgumentError(
            f"SCHEDULER={crawler.settings['SCHEDULER']} needs the spider middleware "
            f"{_PAGES_MIDDLEWARE}; add focuscrawl.addon.FocuscrawlAddon to ADDONS"
        )
    frontier = await _open(crawler, clock, clock.now() + longest_pause)
    for key, slot in crawler.settings.getdict("DOWNLOAD_SLOTS").items():
        if "concurrency" in slot:
            frontier.set_slots(key, int(slot["concurrency"]))
    crawler.stats.set_value("frontier/recovered", frontier.recovered)
    if frontier.waiting:
        run.note(crawler, f"continues with {frontier.waiting} waiting URLs in {frontier.label}")
        if crawler.settings.getdict("FEEDS"):
            run.note(
                crawler, "the feed (-o, -O or FEEDS) has the items of this run; use `scrapy export`"
            )
    return frontier


async def _open(crawler: Crawler, clock: RunClock, latest_due: float) -> FrontierAccess:
    spider, engine = crawler.spider, _engine(crawler, clock)
    work: SharedWork | None = None
    if frontier_settings.remote_url(crawler):
        if isinstance(spider, SharesSeeds):
            work = spider.shared_seeds = await _join_seeds(crawler, engine, latest_due)
        elif getattr(spider, "discards_frontier", False):
            work = await _begin_walk(crawler, engine, latest_due)
        else:
            frontier_settings.check_remote_rule(frontier_settings.update_rule(crawler))
            seconds = _retry_seconds(crawler)
            return await ThreadedAccess.open(engine, seconds, partial(_join, crawler, latest_due))
    frontier = _open_local(crawler)
    frontier.limit_delays(latest_due)
    if work:
        return WalkerAccess(frontier, engine, work)
    return DirectAccess(frontier, engine.count_pushed)


def _open_local(crawler: Crawler) -> SqliteFrontier:
    path = frontier_settings.frontier_path(crawler)
    opening = partial(
        open_job,
        rule=frontier_settings.update_rule(crawler),
        slots=frontier_settings.slots_of_host(crawler),
        discards_frontier=getattr(crawler.spider, "discards_frontier", False),
    )
    if getattr(crawler.spider, "shared_seeds", None) is None:
        return opening(path)
    # Of the workers on a machine each has a file of its own; the next worker takes that of a dead one.
    for number in count(1):
        with suppress(FrontierInUseError):
            return opening(path.with_stem(f"{path.stem}-{number}"))
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
    from focuscrawl.frontier.redis.crawl_membership import open_crawl

    arguments = _arguments(crawler)
    # Without a budget all pages are fetched in the end, and the order is worth no time.
    has_budget = arguments.get("max_pages") is not None
    frontier = open_crawl(
        str(frontier_settings.remote_url(crawler)),
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


def _engine(crawler: Crawler, clock: RunClock) -> Engine:
    return Engine(
        now=clock.now,
        wake=partial(wake, crawler),
        count=crawler.stats.inc_value,
        count_pushed=partial(count_pushed, crawler.stats.inc_value),
        fail=partial(run.fail, crawler),
        is_closing=partial(_is_stopping, crawler),
        most=crawler.settings.getint("CONCURRENT_REQUESTS"),
    )


def _is_stopping(crawler: Crawler) -> bool:
    # Scrapy cannot close a crawl whose scheduler is being opened.
    return is_closing(crawler) or not crawler.crawling
