"""Item pipeline that writes records to every store of ``FOCUSCRAWL_STORES``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any, Protocol, runtime_checkable

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from focuscrawl.crawl_run import UNCLOSED_STAT, RunningCrawl, has_workers, stores_needed
from focuscrawl.errors import FocuscrawlError, StoreError
from focuscrawl.items import (
    Article,
    GoneArticle,
    GoneRecord,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    Record,
    Seed,
    TemplateRecord,
    WithdrawnNumber,
)
from focuscrawl.reports.workbook import sentence_on
from focuscrawl.scheduling.scrapy_engine import in_progress
from focuscrawl.stores.records.own_items import known_record, own_item
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.system.worker_pool import stop_worker

# Names of the stats of records other than articles. Not "pages": that counts fetched pages, stored or
# not.
_GROUPS: dict[type, str] = {
    Page: "kept",
    NumberedArticle: "numbered",
    MissingNumber: "missing",
    WithdrawnNumber: "numbered",
    TemplateRecord: "records",
    GoneRecord: "records",
    Seed: "seeds",
    OwnItem: "items",
}
_MOST_REASONS = 5


@runtime_checkable
class KeepsStates(Protocol):
    """A spider with states to be stored once all its items are durable, or refused by a store."""

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return JSON objects, by key."""


@runtime_checkable
class AmendsRecords(Protocol):
    """A spider that may learn at its end that records stored before are incomplete or gone."""

    def final_records(self) -> list[Article | GoneArticle]:
        """Return the records to be stored once all items are durable."""


class StorePipeline:
    """Waits until each record is durable, so that a slow database slows down the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self.archive = self.run.archive
        self._lost = 0
        self._refused: dict[str, list[str]] = {}
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StorePipeline:
        """Build the pipeline of a crawler; raises StoreError for stores that its workers cannot share."""
        pipeline = cls(crawler)
        if has_workers(crawler.settings):
            check_shared(pipeline.archive.labels, str(crawler.settings["FOCUSCRAWL_FRONTIER"]))
        crawler.signals.connect(pipeline.item_scraped, signals.item_scraped)
        crawler.signals.connect(pipeline.item_error, signals.item_error)
        crawler.signals.connect(pipeline.close_late, stores_needed)
        return pipeline

    async def open_spider(self) -> None:
        """Open all stores, and write the records that earlier runs spilled."""
        try:
            await self.archive.open()
        except FocuscrawlError as error:
            self.run.remember(error)
            raise CloseSpider("error") from None
        self._is_open = True
        for path in self.archive.other_spills:
            self.run.note(
                f"{path} holds records for a store that FOCUSCRAWL_STORES does not name; add that store "
                "to have them written",
            )

    async def process_item(self, item: Any) -> Any:
        """Return the item when it is durable. A store that refuses to work stops the crawl."""
        record = known_record(item)
        if record is not None:
            await self._store(record)
        return item

    async def item_scraped(self, item: Any, response: Any) -> None:
        """Store what is no record: Scrapy awaits this, with the page of the item, before the page is done."""
        page_url, key = getattr(response, "url", ""), getattr(self.crawler.spider, "item_key", None)
        try:
            own = own_item(item, crawl=self.run.name, page_url=page_url, item_key=key)
        except StoreError as error:
            self._refuse(page_url, error)
            return
        if own is not None:
            await self._store(own)

    async def _store(self, item: Record) -> None:
        """Count a record once it is durable. A store that refuses to work stops the crawl."""
        try:
            is_last = len(in_progress(self.crawler)) <= 1
            scheduler = self.crawler.engine and self.crawler.engine.scheduler
            async with getattr(scheduler, "while_stored", nullcontext)():
                written = await self.archive.write(item, is_last=is_last)
        except RefusedRecordsError as error:
            self._refuse(item.url, error)
            return
        except StoreError as error:
            self._lost += 1
            self.run.drop("not stored", item.url)
            self.run.fail(error)
            return
        self._count(item, written)

    def _count(self, item: Record, written: Written) -> None:
        group = _GROUPS.get(type(item), "articles")
        for outcome in ("new", "changed", "unchanged", "gone"):
            self.crawler.stats.inc_value(f"focuscrawl/{group}/{outcome}", getattr(written, outcome))
        if written.failed:
            self.crawler.stats.inc_value(f"focuscrawl/{group}/failed", written.failed)
        if isinstance(item, Article) and not item.is_complete:
            self.crawler.stats.inc_value("focuscrawl/articles/incomplete")
        if isinstance(item, MissingNumber) and item.found_at is not None:
            self.crawler.stats.inc_value("focuscrawl/missing/found", written.touched)

    def _refuse(self, url: str, error: StoreError) -> None:
        """Count an item that cannot be stored: it holds up no other one, and no final state."""
        reason = str(error)
        # Together with those that differ in the URL only.
        self._refused.setdefault(reason.replace(url, "") if url else reason, []).append(reason)
        self.run.drop("not stored", f"{url}: {error}")

    def item_error(self) -> None:
        """Count an item lost on its way here: the spider's final states would be wrong."""
        self._lost += 1

    async def close_late(self) -> None:
        """Close all stores if an error in another pipeline kept Scrapy from it."""
        if self._is_open:
            self.crawler.stats.set_value(UNCLOSED_STAT, True)
            await self.close_spider()

    async def _store_final(self) -> None:
        spider = self.crawler.spider
        if isinstance(spider, AmendsRecords):
            for record in spider.final_records():
                await self._store(record)
        if isinstance(spider, KeepsStates) and not self._lost:
            for key, state in spider.final_states().items():
                try:
                    await self.archive.set_state(key, state)
                except RefusedRecordsError as error:
                    self._refuse(key, error)

    async def close_spider(self) -> None:
        """Store the final states of the spider, then close all stores."""
        self._is_open = False
        try:
            try:
                await self._store_final()
            finally:
                await self.archive.close()
            refused = sorted(self._refused.values(), key=len, reverse=True)
            for reasons in refused[:_MOST_REASONS]:
                self.run.mark_incomplete(f"not stored: {len(reasons)} items, {reasons[0]}")
            for label, count in self.archive.spilled.items():
                self.run.mark_incomplete(f"{count} records are not in {label}")
            for file in self.archive.refused_files:
                self.run.mark_incomplete(
                    f"records of an earlier run were refused and saved to {file}"
                )
            if faults := self.archive.sheet_faults:
                self.run.mark_incomplete(sentence_on(faults))
        except FocuscrawlError as error:
            self.run.remember(error)
        except Exception:
            # Scrapy would only log it, and the run would end as a success.
            self.crawler.stats.inc_value("spider_exceptions/count")
            raise
        finally:
            for path, count in self.archive.damaged.items():
                sentence = f"{count} damaged lines of spilled records were not stored: see {path}"
                self.run.mark_incomplete(sentence)
            stop_worker()


def check_shared(labels: Iterable[str], server: str) -> None:
    """Raise StoreError for a file among the stores that the workers of the frontier ``server`` cannot share.

    Workers on other machines cannot write to any. Those of a Unix socket are on one machine, where
    SQLite takes several writers.
    """
    refused = ("excel:",) if server.lower().startswith("unix:") else ("excel:", "sqlite:")
    for label in labels:
        if label.startswith(refused):
            raise StoreError(
                f"the workers of a crawl (FOCUSCRAWL_FRONTIER) cannot share {label}; set "
                "FOCUSCRAWL_STORES to a MariaDB or MongoDB, and make the workbook with `scrapy report` "
                "afterwards"
            )
