"""Extensions that limit the time and memory of reading a page, and the memory of a run."""

from __future__ import annotations

from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.extensions.memusage import MemoryUsage

from focuscrawl.crawl_run import CrawlComponent
from focuscrawl.system.worker_pool import limit_pages
from focuscrawl.system.worker_process import peak_memory


class PageLimits(CrawlComponent):
    """Extension: limits the worker processes, and reports a run closed by Scrapy's MemoryUsage.

    Settings: ``FOCUSCRAWL_PAGE_SECONDS`` (0 or more) and ``FOCUSCRAWL_PAGE_MEMORY_MB`` (256 or more).
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Apply the limits; raises :class:`~focuscrawl.errors.ArgumentError` for an invalid setting."""
        extension = super().from_crawler(crawler)
        limit_pages(
            extension.run.number("FOCUSCRAWL_PAGE_SECONDS", least=0),
            extension.run.number("FOCUSCRAWL_PAGE_MEMORY_MB", least=256),
        )
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_closed(self, reason: str) -> None:
        """Report a run that was closed at a limit: of memory, or one of Scrapy's CLOSESPIDER settings."""
        if reason == "memusage_exceeded":
            limit = self.crawler.settings.getint("MEMUSAGE_LIMIT_MB")
            self.run.mark_incomplete(
                f"the crawler exceeded {limit} MB of memory and was closed; run again to resume,"
                " or raise MEMUSAGE_LIMIT_MB",
            )
        elif reason.startswith("closespider_"):
            self.run.mark_incomplete(f"closed by {reason.upper()}; run again to resume")


class OwnMemoryUsage(MemoryUsage):
    """Extension: excludes the memory of the program that started the crawl, for example a notebook."""

    def get_virtual_size(self) -> int:
        """Return the peak memory of the crawl in bytes."""
        return peak_memory() or super().get_virtual_size()
