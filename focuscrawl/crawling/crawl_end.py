"""The end of a crawl whose spider yields items from ``start()``."""

from __future__ import annotations

import asyncio

from scrapy import signals
from scrapy.crawler import Crawler

_LOOKS_EVERY = 0.1


class StartItems:
    """Lets a spider close as soon as the items of its ``start()`` have left the pipelines.

    Scrapy 2.19 looks whether anything is left to do when a response is done, but not when such an
    item is. Without responses it ends up to five seconds late; where it is to close while an item
    is on its way, it waits for ever.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self) -> None:
        """Begin to look."""
        self._task = asyncio.ensure_future(self._look())

    def spider_closed(self) -> None:
        """Look no more."""
        if self._task:
            self._task.cancel()

    async def _look(self) -> None:
        engine = self._crawler.engine
        assert engine
        while True:
            await asyncio.sleep(_LOOKS_EVERY)
            slot = engine.scraper.slot
            if slot and slot.closing:
                if slot.is_idle() and not slot.closing.called:
                    assert self._crawler.spider
                    slot.closing.callback(self._crawler.spider)
            elif engine._slot and engine.spider_is_idle():
                engine._slot.nextcall.schedule()


def is_closing(crawler: Crawler) -> bool:
    """Tell whether the spider is being closed: Scrapy takes requests and items until it is."""
    assert crawler.engine
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None
