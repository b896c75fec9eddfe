"""Extension that makes Python's garbage collector run less often."""

from __future__ import annotations

import gc
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from focuscrawl.system.processes import collect_rarely


class RareCollections:
    """Extension: raises the thresholds of the garbage collector, which took a twelfth of a crawl.

    Pages, links and requests are many objects with few reference cycles, so the collector finds
    next to nothing.
    """

    def __init__(self) -> None:
        self._before = gc.get_threshold()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the extension of a crawler."""
        extension = cls()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        """Raise the thresholds."""
        collect_rarely()

    def spider_closed(self) -> None:
        """Restore the thresholds."""
        gc.set_threshold(*self._before)
