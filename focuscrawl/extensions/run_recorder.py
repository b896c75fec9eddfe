"""Extension that writes a row of each run into the stores, for the web views and for comparisons."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import BaseModel
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from focuscrawl.crawl_run import RunningCrawl, page_has_failed, report_made
from focuscrawl.items import CrawlRun, GoneArticle, GoneRecord, MissingNumber
from focuscrawl.scheduling.frontier_settings import frontier_path
from focuscrawl.summary.harvest_report import HarvestReport
from focuscrawl.summary.host_yields import HostYields
from focuscrawl.summary.rule_version import rules_of
from focuscrawl.summary.run_report import Clock, RunReport, as_object
from focuscrawl.summary.run_series import RunSeries, measured
from focuscrawl.system.secret_masking import masked

_SECONDS = 10
_MOST_START_HOSTS = 50
_NOTHING = (GoneArticle, GoneRecord, MissingNumber)
_ROBOTS = "dont_obey_robotstxt"


@runtime_checkable
class TellsHarvest(Protocol):
    """A spider that judges pages."""

    def harvest_report(self) -> HarvestReport | None:
        """Return the harvest rate so far, None before the first page."""


class RunRecorder:
    """Writes the row of a run when it begins, every ten seconds, and when it ends.

    A crawl whose stores are not opened has none. A store that does not take the row stops no crawl.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._crawl = RunningCrawl.of(crawler)
        self._series, self._clock = RunSeries(), Clock()
        self._hosts = HostYields()
        self._updates: asyncio.Task[None] | None = None
        self._has_ended = asyncio.Event()
        self._run: CrawlRun | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunRecorder:
        """Build the extension of a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(extension.item_scraped, signals.item_scraped)
        crawler.signals.connect(extension.page_failed, page_has_failed)
        crawler.signals.connect(extension.end_updates, signals.spider_closed)
        crawler.signals.connect(extension.record_end, report_made)
        return extension

    def spider_opened(self) -> None:
        """Begin to write the row."""
        self._clock = Clock()
        now = datetime.now(UTC)
        self._run = CrawlRun(
            key=uuid4().hex,
            crawl=self._crawl.name,
            spider=self.crawler.spidercls.name,
            machine=socket.gethostname(),
            began_at=now,
            updated_at=now,
            details=self._constants(),
        )
        self._updates = asyncio.ensure_future(self._update(self._run))

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Count the response and its latency."""
        # Redirects, errors and a robots.txt are no pages of the site.
        is_success = response.status < 300 or response.status == 304
        is_page = is_success and _ROBOTS not in request.meta
        latency = request.meta.get("download_latency", 0.0)
        self._hosts.add_response(_host(response.url), latency, is_page=is_page)

    def item_scraped(self, item: Any) -> None:
        """Count the item for its site, unless it only says that there is nothing."""
        if not isinstance(item, _NOTHING) and getattr(item, "is_read", True):
            self._hosts.add_item(_host(getattr(item, "url", "")))

    def page_failed(self, url: str) -> None:
        """Count the failure for its site."""
        self._hosts.add_failure(_host(url))

    def end_updates(self) -> None:
        """Write no more rows of a running crawl."""
        self._has_ended.set()

    async def record_end(self, report: RunReport) -> None:
        """Write the row with reason, exit code and report."""
        run = self._run
        if run is None or self._updates is None:
            return
        # Not cancelled: a row on its way to a server would arrive after the last one, and replace it.
        self.end_updates()
        await asyncio.wait([self._updates])
        self._measure(run)
        # The time that passed, as in the summary, also if the clock was set meanwhile.
        run.updated_at = run.ended_at = run.began_at + timedelta(seconds=self._clock.seconds)
        run.reason = report.reason
        run.exit_code = self._crawl.exit_code
        run.details["report"] = as_object(report)
        await self._crawl.archive.write_run(run)

    async def _update(self, run: CrawlRun) -> None:
        archive = self._crawl.archive
        while not self._has_ended.is_set():
            self._measure(run)
            await archive.write_run(run)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._has_ended.wait(), _SECONDS)

    def _measure(self, run: CrawlRun) -> None:
        run.updated_at = datetime.now(UTC)
        stats = self.crawler.stats.get_stats()
        self._series.add(measured(stats, self._clock.seconds))
        run.details |= {
            "series": self._series.points,
            "counts": {name: n for name, n in stats.items() if _is_count(name, n)},
            "hosts": self._hosts.largest(),
        }
        spider = self.crawler.spider
        if isinstance(spider, TellsHarvest) and (harvest := spider.harvest_report()):
            run.details["harvest"] = harvest.as_object()

    def _constants(self) -> dict[str, Any]:
        spider = self.crawler.spider
        rules = rules_of(spider)
        given = getattr(spider, "arguments", None)
        details: dict[str, Any] = {
            "pid": os.getpid(),
            "arguments": _masked(given) if isinstance(given, BaseModel) else {},
            "version": version("focuscrawl"),
            "reader": self.crawler.settings["FOCUSCRAWL_READER"],
            "rules": rules._asdict() if rules else None,
            "start_hosts": _hosts_of(getattr(spider, "named_urls", ())),
        }
        if worker := self._crawl.worker:
            # The rows of a crawl's workers have the same crawl and the same server.
            server = masked(self.crawler.settings["FOCUSCRAWL_FRONTIER"])
            return details | {"worker": worker, "server": server}
        path = frontier_path(self.crawler)
        if path.exists():
            details["frontier"] = str(path.resolve())
        return details


def _hosts_of(urls: Iterable[str]) -> list[str]:
    return sorted({_host(url) for url in urls} - {""})[:_MOST_START_HOSTS]


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _masked(arguments: BaseModel) -> dict[str, Any]:
    given = arguments.model_dump(mode="json", exclude_defaults=True)
    return {name: masked(str(value)) for name, value in given.items()}


def _is_count(name: str, value: Any) -> bool:
    return name.startswith(("focuscrawl/", "frontier/", "downloader/response")) and isinstance(
        value, int
    )
