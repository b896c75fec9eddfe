"""Applies the settings that limit what reading a page and a whole run may take."""

from __future__ import annotations

from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from focuscrawl.crawl_run import mark_incomplete, number_setting
from focuscrawl.system.worker_pool import limit_pages


class PageLimits:
    """Extension: limits the worker processes, and reports a run that Scrapy's MemoryUsage has ended.

    Settings: ``FOCUSCRAWL_PAGE_SECONDS`` and ``FOCUSCRAWL_PAGE_MEMORY_MB``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Apply the limits; raises :class:`~focuscrawl.errors.ArgumentError` for what is no number."""
        limit_pages(
            number_setting(crawler, "FOCUSCRAWL_PAGE_SECONDS", least=0),
            number_setting(crawler, "FOCUSCRAWL_PAGE_MEMORY_MB", least=256),
        )
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_closed(self, reason: str) -> None:
        """Report that the crawler itself needed too much memory."""
        if reason == "memusage_exceeded":
            limit = self.crawler.settings.getint("MEMUSAGE_LIMIT_MB")
            mark_incomplete(
                self.crawler,
                f"the crawler needed more than {limit} MB of memory and was ended; run again to go on,"
                " or raise MEMUSAGE_LIMIT_MB",
            )
