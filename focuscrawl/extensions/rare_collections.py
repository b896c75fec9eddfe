"""Looks for garbage less often."""

from __future__ import annotations

import gc
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

_RARELY = (50_000, 20, 100)


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
        """Begin, unless somebody has it rarer still or (0) not at all."""
        if 0 < self._before[0] < _RARELY[0]:
            gc.set_threshold(*_RARELY)

    def spider_closed(self) -> None:
        """End."""
        gc.set_threshold(*self._before)
