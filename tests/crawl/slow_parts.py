"""Spider of a crawl in which one part waits for another one, without requests and without sleeping.

``held`` waits in the middle of its work until ``until`` has got on with its own. A ``signal`` that is
held is sent once the other part has done its work; the others wait until the signal has been noticed.
The patches end with the process, which is one of the crawl's own.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.http import Response

from focuscrawl.extensions import run_recorder
from focuscrawl.extensions.feeds import FlatItems
from focuscrawl.items import CrawlRun
from focuscrawl.reports.workbook import SheetFault
from focuscrawl.stores.archive.store_writer import SpillingStore
from focuscrawl.stores.mongo.mongo_store import MongoStore
from focuscrawl.stores.sql.sql_store import SQLHistory
from focuscrawl.stores.store_urls import DatabaseRenderer
from tests.stores.record_examples import article

_LONGEST = 20


class SlowParts(Spider):
    """Yields articles, and slows down one part of the crawl."""

    name = "slow_parts"

    def __init__(self, held: str, until: str, number: str = "SIGTERM") -> None:
        super().__init__()
        self._held, self._until = held, until
        self._number = signal.Signals[number]
        self._has_happened = asyncio.Event()
        self._awaited = 1
        # The first row of a run comes before its first request, which a signal would forgo.
        self._is_over = {held, until} == {"recorder", "signal"}
        self._patch_recorder()
        self._patch_workbook()
        self._patch_flusher()
        self._patch_exporter()
        self._patch_signal()

    async def start(self) -> AsyncIterator[Request]:
        """Request a page that needs no server."""
        yield Request("data:,x")

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """Yield articles without quotes; a signal that another part notices comes before the end."""
        for number in range(1, 4):
            yield article(number, quotes=None)
        if {self._held, self._until} == {"recorder", "signal"}:
            self._is_over = False
        if (self._held, self._until) in {("recorder", "signal"), ("flusher", "signal")}:
            await self._has_happened.wait()

    @asynccontextmanager
    async def _working(self, part: str, *, ends: bool = True) -> AsyncIterator[None]:
        if part == self._held and not self._is_over:
            self._is_over = True
            self._has_happened.clear()
            # The first row may have been on its way before, and the second waits for its end.
            self._awaited = 3 if (part, self._until) == ("workbook", "recorder") else 1
            if self._until == "signal":
                os.kill(os.getpid(), self._number)
            async with asyncio.timeout(_LONGEST):
                await self._has_happened.wait()
        yield
        if part == self._until and ends:
            self._awaited -= 1
            if self._awaited <= 0:
                self._happen()

    def _happen(self) -> None:
        self._has_happened.set()
        if self._held == "signal" and not self._is_over:
            self._is_over = True
            os.kill(os.getpid(), self._number)

    def _patch_recorder(self) -> None:
        run_recorder._SECONDS = 0.001  # type: ignore[assignment]
        for store in (SQLHistory, MongoStore):
            self._patch_write_run(store)

    def _patch_write_run(self, store: Any) -> None:
        write_run = store.write_run

        async def slow(history: Any, run: CrawlRun) -> None:
            # Behind the stores' closing there is the last row only.
            is_awaited = self._held != "exporter" or run.ended_at is not None
            async with self._working("recorder", ends=is_awaited):
                await write_run(history, run)

        store.write_run = slow

    def _patch_workbook(self) -> None:
        async def slow(_renderer: DatabaseRenderer, path: Path) -> list[SheetFault]:
            async with self._working("workbook"):
                await asyncio.to_thread(path.touch)
            return []

        DatabaseRenderer.render = slow  # type: ignore[method-assign]
        DatabaseRenderer.prepare = lambda _: None  # type: ignore[method-assign]

    def _patch_flusher(self) -> None:
        write = SpillingStore.write

        async def slow(store: SpillingStore, records: Any) -> Any:
            async with self._working("flusher"):
                return await write(store, records)

        SpillingStore.write = slow  # type: ignore[method-assign]

    def _patch_exporter(self) -> None:
        store, export_item = FileFeedStorage.store, FlatItems.export_item

        async def slow(storage: FileFeedStorage, file: Any) -> None:
            async with self._working("exporter"):
                store(storage, file)

        def noticed(exporter: FlatItems, item: Any) -> None:
            export_item(exporter, item)
            if self._until == "exporter" and self._held == "recorder":
                self._happen()

        FileFeedStorage.store = slow  # type: ignore[assignment, method-assign]
        FlatItems.export_item = noticed  # type: ignore[method-assign]

    def _patch_signal(self) -> None:
        stop = Crawler.stop_async

        async def noticed(crawler: Crawler) -> None:
            if self._until == "signal":
                self._happen()
            await stop(crawler)

        Crawler.stop_async = noticed  # type: ignore[method-assign]
