"""Opening of the frontier of a crawl: a file, or what the scheme of its URL names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object

from focuscrawl.crawl_run import RunningCrawl, joining_of
from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.crawl_job import open_job
from focuscrawl.frontier.frontier_entries import Pushed
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.network.waiting_times import RunClock
from focuscrawl.scheduling import frontier_settings
from focuscrawl.scheduling.crawl_engine import Engine
from focuscrawl.scheduling.crawl_services import CrawlServices
from focuscrawl.scheduling.frontier_access import DirectAccess, FrontierAccess
from focuscrawl.scheduling.scrapy_engine import is_closing, wake

_PAGES_MIDDLEWARE = "focuscrawl.middlewares.frontier_pages.FrontierPages"


class OpenedFrontier(NamedTuple):
    """Access to the frontier of a crawl, and the services of its workers, None in a crawl of one process."""

    access: FrontierAccess
    services: CrawlServices | None


async def open_frontier(crawler: Crawler, clock: RunClock, longest_pause: float) -> OpenedFrontier:
    """Open the frontier of a crawl, to continue its job or to start a new one.

    No retry of an earlier run is due later than in ``longest_pause`` seconds.
    """
    if crawler.get_spider_middleware(load_object(_PAGES_MIDDLEWARE)) is None:
        raise ArgumentError(
            f"SCHEDULER={crawler.settings['SCHEDULER']} needs the spider middleware "
            f"{_PAGES_MIDDLEWARE}; add focuscrawl.addon.FocuscrawlAddon to ADDONS"
        )
    opened = await _open(crawler, clock, clock.now() + longest_pause)
    frontier = opened.access
    for host, slots in frontier_settings.own_slots(crawler).items():
        frontier.set_slots(host, slots)
    crawler.stats.set_value("frontier/recovered", frontier.recovered)
    if frontier.waiting:
        run = RunningCrawl.of(crawler)
        run.note(f"continues with {frontier.waiting} waiting URLs in {frontier.label}")
        if crawler.settings.getdict("FEEDS"):
            run.note("the feed (-o, -O or FEEDS) has the items of this run; use `scrapy export`")
    return opened


async def _open(crawler: Crawler, clock: RunClock, latest_due: float) -> OpenedFrontier:
    engine = _engine(crawler, clock)
    if joining := joining_of(crawler.settings["FOCUSCRAWL_FRONTIER"]):
        opened: OpenedFrontier = await load_object(joining)(crawler, engine, latest_due)
        return opened
    frontier = open_local(crawler, frontier_settings.frontier_path(crawler))
    frontier.limit_delays(latest_due)
    return OpenedFrontier(DirectAccess(frontier, engine.count_pushed), None)


def open_local(crawler: Crawler, path: Path) -> SqliteFrontier:
    """Open the frontier in a file, to continue its job or to start a new one."""
    return open_job(
        path,
        rule=frontier_settings.update_rule(crawler),
        slots=frontier_settings.slots_of_host(crawler),
        discards_frontier=getattr(crawler.spider, "discards_frontier", False),
    )


def _engine(crawler: Crawler, clock: RunClock) -> Engine:
    return Engine(
        now=clock.now,
        wake=partial(wake, crawler),
        count=crawler.stats.inc_value,
        count_pushed=partial(_count_pushed, crawler.stats.inc_value),
        fail=RunningCrawl.of(crawler).fail,
        is_closing=partial(_is_stopping, crawler),
        most=crawler.settings.getint("CONCURRENT_REQUESTS"),
    )


def _is_stopping(crawler: Crawler) -> bool:
    # Scrapy cannot close a crawl whose scheduler is being opened.
    return is_closing(crawler) or not crawler.crawling


def _count_pushed(increase: Callable[[str, int], None], pushed: Pushed) -> None:
    """Count the results of pushed links."""
    for name, number in pushed._asdict().items():
        if number:
            name = "enqueued" if name == "new" else name
            increase(f"frontier/{name}", number)
