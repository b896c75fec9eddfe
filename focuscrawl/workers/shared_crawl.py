"""Joining of a crawl on a server as one of its workers, whichever of its parts they share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.misc import load_object

from focuscrawl import crawl_run as run
from focuscrawl.errors import FrontierError, FrontierInUseError
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.items import Seed
from focuscrawl.scheduling import frontier_settings
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.crawl_services import CrawlServices
from focuscrawl.scheduling.frontier_opening import OpenedFrontier, open_local
from focuscrawl.scheduling.scrapy_engine import on_shutdown
from focuscrawl.system.package_extras import require_redis
from focuscrawl.workers.shared_seeds import CHOICE_HOST, SharedSeeds
from focuscrawl.workers.shared_walk import SharedWalk, WalkerAccess
from focuscrawl.workers.threaded_access import ThreadedAccess

if TYPE_CHECKING:
    from focuscrawl.workers.redis_frontier import RedisFrontier

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
