"""Keeps records in every store of ``FOCUSCRAWL_STORES``."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from focuscrawl.crawl_run import archive_of, drop, fail, mark_incomplete, note, remember
from focuscrawl.errors import FocuscrawlError, StoreError
from focuscrawl.items import (
    Article,
    GoneRecord,
    MissingNumber,
    NumberedArticle,
    Page,
    Record,
    Seed,
    TemplateRecord,
)
from focuscrawl.reports.workbook import sentence_on
from focuscrawl.scheduling.scrapy_engine import in_progress
from focuscrawl.system.worker_pool import stop_worker

# Under what the outcomes of records are counted, if not as articles. Not "pages": that counts what
# was fetched, kept or not.
_GROUPS: dict[type, str] = {
    Page: "kept",
    NumberedArticle: "numbered",
    MissingNumber: "missing",
    TemplateRecord: "records",
    GoneRecord: "records",
    Seed: "seeds",
}


@runtime_checkable
class KeepsStates(Protocol):
    """A spider that wants something remembered once all its items are durable."""

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return JSON objects by key."""


class StorePipeline:
    """Awaits each record's batch: an item that has passed is durable, a slow database slows the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.archive = archive_of(crawler)
        self._lost = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StorePipeline:
        """Build the pipeline of a crawler."""
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.item_error, signals.item_error)
        return pipeline

    async def open_spider(self) -> None:
        """Open all stores; what an earlier run had to spill is loaded first."""
        try:
            await self.archive.open()
        except FocuscrawlError as error:
            remember(self.crawler, error)
            raise CloseSpider("error") from None
        for path in self.archive.other_spills:
            note(
                self.crawler,
                f"records wait in {path} for a store that FOCUSCRAWL_STORES does not name; name it "
                "again to load them",
            )

    async def process_item(self, item: Any) -> Any:
        """Return the item when it is durable. A store that cannot go on ends the crawl."""
        if not isinstance(item, Record):
            return item
        try:
            # A page that may have killed the crawler is alone: an outside kill while it waits for its
            # batch would count against it.
            is_last = len(in_progress(self.crawler)) <= 1
            written = await self.archive.write(item, is_last=is_last)
        except StoreError as error:
            self._lost += 1
            drop(self.crawler, "not stored", item.url)
            fail(self.crawler, error)
            return item
        group = _GROUPS.get(type(item), "articles")
        for outcome in ("new", "changed", "unchanged", "gone"):
            self.crawler.stats.inc_value(f"focuscrawl/{group}/{outcome}", getattr(written, outcome))
        if isinstance(item, Article) and not item.is_complete:
            self.crawler.stats.inc_value("focuscrawl/articles/incomplete")
        if isinstance(item, MissingNumber) and item.found_at is not None:
            self.crawler.stats.inc_value("focuscrawl/missing/found", written.touched)
        return item

    def item_error(self) -> None:
        """Note that an item was lost on its way here: what the spider says of the run is not true."""
        self._lost += 1

    async def close_spider(self) -> None:
        """Keep what the spider wants remembered, then close all stores."""
        spider = self.crawler.spider
        try:
            if isinstance(spider, KeepsStates) and not self._lost:
                for key, state in spider.final_states().items():
                    await self.archive.set_state(key, state)
            await self.archive.close()
            for label, count in self.archive.spilled.items():
                mark_incomplete(self.crawler, f"{count} records are not in {label}")
            for file in self.archive.refused_files:
                mark_incomplete(
                    self.crawler, f"records of an earlier run are refused, and kept in {file}"
                )
            if faults := self.archive.sheet_faults:
                mark_incomplete(self.crawler, sentence_on(faults))
        except FocuscrawlError as error:
            remember(self.crawler, error)
        except Exception:
            # Scrapy would only log it: the run must not end as a success.
            self.crawler.stats.inc_value("spider_exceptions/count")
            raise
        finally:
            for path, count in self.archive.damaged.items():
                sentence = f"{count} damaged lines of spilled records were not stored: see {path}"
                mark_incomplete(self.crawler, sentence)
            stop_worker()
