"""Keeps what is the machine's fault from being taken for a page's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from focuscrawl.crawl_run import fail, fail_on_machine_fault
from focuscrawl.system.machine_faults import machine_fault, shortage


class MachineFaults:
    """Downloader and spider middleware: a fault of the machine ends the crawl in order.

    The frontier gets all its URLs back: see :func:`~focuscrawl.crawl_run.fail`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware of a crawler."""
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise :class:`~focuscrawl.errors.MachineError` for a fault, so that nobody tries again."""
        if isinstance(exception, IgnoreRequest):
            return
        if fault := machine_fault(exception) or shortage():
            fail(self.crawler, fault)
            raise fault from exception

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Let all pass that a spider begins with, and end the crawl where a fault stops it."""
        try:
            async for entry in start:
                yield entry
        except Exception as error:
            if not fail_on_machine_fault(self.crawler, error):
                raise
