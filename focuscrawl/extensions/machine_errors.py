"""Extension that closes a crawl gracefully when the machine fails in a callback or a pipeline."""

from __future__ import annotations

import logging

from scrapy import signals
from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from focuscrawl.crawl_run import fail_on_machine_fault
from focuscrawl.system.machine_faults import machine_fault


class MachineErrors:
    """Extension: ends the crawl if an error of a spider or a pipeline is a fault of the machine.

    Tracebacks of machine faults are not logged: there would be one for every page in flight.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MachineErrors:
        """Build the extension of a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.failed, signals.spider_error)
        crawler.signals.connect(extension.failed, signals.item_error)
        logging.getLogger("scrapy.core.scraper").addFilter(_is_no_machine_fault)
        return extension

    def failed(self, failure: Failure) -> None:
        """End the crawl if the failure is a fault of the machine."""
        if failure.value:
            fail_on_machine_fault(self._crawler, failure.value)


def _is_no_machine_fault(record: logging.LogRecord) -> bool:
    return machine_fault(record.exc_info[1] if record.exc_info else None) is None
