"""Looks for garbage less often."""

from __future__ import annotations

import gc
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from focuscrawl.system.garbage_collection import collect_rarely


class RareCollections:
    """Lets Python look for cycles rarely while a crawl runs: a twelfth of its time went there.

    Pages, links and requests are many objects and few cycles, so that the search finds next to
    nothing.
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
        """Begin."""
        collect_rarely()

    def spider_closed(self) -> None:
        """End."""
        gc.set_threshold(*self._before)
