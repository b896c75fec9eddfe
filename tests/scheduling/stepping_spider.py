"""A spider whose pages say what they lead to, for ``scrapy runspider``; every item goes to a database."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar, Self

from scrapy import Request, Spider
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.http import Response
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import StoreError

# What must wake the engine is to do it, not its heartbeat.
ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 100_000


class KeepsItems:
    """Commits every item under its URL, and counts how often it came."""

    def __init__(self, crawler: Crawler) -> None:
        self._run = RunningCrawl.of(crawler)
        self._connection = sqlite3.connect("items.sqlite", isolation_level=None)
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS items (url PRIMARY KEY, facts, times INTEGER DEFAULT 1)"
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        if item["url"].endswith("bad-item"):
            raise ValueError("a bad item")
        if item["url"].endswith("unwanted-item"):
            raise DropItem("unwanted")
        if item["url"].endswith("unstorable"):
            self._run.fail(StoreError("no room"))
            return item
        self._connection.execute(
            "INSERT INTO items (url, facts) VALUES (?, ?)"
            " ON CONFLICT (url) DO UPDATE SET times = times + 1",
            (item["url"], str(item["facts"])),
        )
        return item


class KeepsWaiting:
    """Holds up the items of slow pages until one of a last page has come."""

    def __init__(self) -> None:
        self._is_last_here = asyncio.Event()

    async def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        if item["url"].endswith("last-item"):
            self._is_last_here.set()
        if "slow-item" in item["url"]:
            await self._is_last_here.wait()
        return item


class Stepper(Spider):
    name = "stepper"
    custom_settings: ClassVar[dict[str, Any]] = {
        "ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500},
        "FOCUSCRAWL_MANNERS": True,
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "FOCUSCRAWL_RETRY_PAUSE": 0.05,
        "ITEM_PIPELINES": {
            KeepsWaiting: 50,
            KeepsItems: 100,
            **{
                f"focuscrawl.pipelines.{name}": None
                for name in ("dedup.DedupPipeline", "prices.PricesPipeline", "store.StorePipeline")
            },
        },
        "EXTENSIONS": {
            f"focuscrawl.extensions.{name}": None
            for name in ("progress_display.ProgressLine", "run_summary.RunSummary")
        },
    }
    seeds = ""
    # A string where it is given as an argument.
    discards_frontier: bool | str = False
    budget = "1000000"

    async def start(self) -> AsyncIterator[Request]:
        for url in self.seeds.split():
            yield Request(url, dont_filter=True, cb_kwargs={"via": None})

    def parse(self, response: Response, via: str | None = None) -> Iterator[Any]:
        self.budget = int(self.budget) - 1
        if self.budget < 0:
            raise CloseSpider("budget")
        page = response.json()
        if page.get("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        if back := page.get("clock_goes_back"):
            before = time.time
            time.time = lambda: before() - back
        if page.get("memory"):
            raise MemoryError
        if page.get("odd"):
            yield response.follow("/never", self.parse, cb_kwargs={"via": response})
        item = {"url": response.url, "facts": via}
        if not page.get("links_first"):
            yield item
        for link in page["links"]:
            yield response.follow(
                link.pop("url"), self.parse, errback=self.failed, cb_kwargs={"via": response.url},
                dont_filter=link.pop("dont_filter", False), meta=link,
            )  # fmt: skip
        if page.get("links_first"):
            yield item
        if page.get("raise"):
            raise RuntimeError("a bug")

    def failed(self, failure: Failure) -> Iterator[Any]:
        url = failure.request.url
        yield {"url": url, "facts": type(failure.value).__name__}
        if url.endswith("gone"):
            yield Request(f"{url}/sorry", self.parse)
