"""Components that end a crawl in order: on faults of the machine, which no page is blamed for, and on errors of callbacks."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from focuscrawl.crawl_run import CrawlComponent
from focuscrawl.errors import FocuscrawlError, PageLimitError
from focuscrawl.frontier.frontier_entries import State
from focuscrawl.system.machine_faults import machine_fault, shortage


class MachineFaults(CrawlComponent):
    """Downloader and spider middleware: a fault of the machine closes the crawl gracefully.

    All leased URLs return to the frontier, see :func:`~focuscrawl.crawl_run.RunningCrawl.fail`.
    """

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise :class:`~focuscrawl.errors.MachineError` for a fault, so that it is not retried."""
        if isinstance(exception, IgnoreRequest):
            return
        if fault := machine_fault(exception) or shortage():
            self.run.fail(fault)
            raise fault from exception

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the start requests; end the crawl if a fault of the machine interrupts them."""
        try:
            async for entry in start:
                yield entry
        except Exception as error:
            if not self.run.fail_on_machine_fault(error):
                raise


class MachineErrors(CrawlComponent):
    """Extension: ends the crawl if an error of a spider or a pipeline is a fault of the machine.

    Tracebacks of machine faults are not logged: there would be one for every page in flight.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the extension of a crawler."""
        extension = super().from_crawler(crawler)
        crawler.signals.connect(extension.failed, signals.spider_error)
        crawler.signals.connect(extension.failed, signals.item_error)
        logging.getLogger("scrapy.core.scraper").addFilter(_is_no_machine_fault)
        return extension

    def failed(self, failure: Failure) -> None:
        """End the crawl if the failure is a fault of the machine."""
        if failure.value:
            self.run.fail_on_machine_fault(failure.value)


def _is_no_machine_fault(record: logging.LogRecord) -> bool:
    return machine_fault(record.exc_info[1] if record.exc_info else None) is None


class PageFailures(CrawlComponent):
    """Spider middleware nearest the spider: handles callback errors of the project's own classes.

    A :class:`~focuscrawl.errors.PageLimitError` fails the page with that reason. Any
    :class:`~focuscrawl.errors.FocuscrawlError` ends the crawl, and returns the page to the frontier; so
    does one before the first request.
    """

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the start requests; end the crawl on an error of the project's own classes."""
        try:
            async for entry in start:
                yield entry
        except FocuscrawlError as error:
            self.run.fail(error)

    def process_spider_exception(
        self, response: Response, exception: Exception
    ) -> list[None] | None:
        """Handle an error of a callback; return None for errors of other classes."""
        if isinstance(exception, PageLimitError):
            self.run.give_up_page(exception, response.url)
            judge = getattr(self.crawler.engine.scheduler, "judge", None)
            if judge and response.request:
                judge(response.request, str(exception), State.FAILED)
            return []
        if isinstance(exception, FocuscrawlError):
            self.run.fail(exception)
            return []
        return None
