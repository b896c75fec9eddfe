"""Middleware that ends the crawl on faults of the machine, so that they are not blamed on a page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from focuscrawl.crawl_run import fail, fail_on_machine_fault
from focuscrawl.system.machine_faults import machine_fault, shortage


class MachineFaults:
    """Downloader and spider middleware: a fault of the machine closes the crawl gracefully.

    All leased URLs return to the frontier, see :func:`~focuscrawl.crawl_run.fail`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware of a crawler."""
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise :class:`~focuscrawl.errors.MachineError` for a fault, so that it is not retried."""
        if isinstance(exception, IgnoreRequest):
            return
        if fault := machine_fault(exception) or shortage():
            fail(self.crawler, fault)
            raise fault from exception

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the start requests; end the crawl if a fault of the machine interrupts them."""
        try:
            async for entry in start:
                yield entry
        except Exception as error:
            if not fail_on_machine_fault(self.crawler, error):
                raise
