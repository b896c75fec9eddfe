"""Tells the frontier scheduler what comes of each page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    from focuscrawl.scheduling.frontier_scheduler import FrontierScheduler


class FrontierPages:
    """Spider middleware nearest the engine: keeps a page's links together until the page is over."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware, if the crawl has a scheduler that wants to know."""
        if not hasattr(load_object(crawler.settings["SCHEDULER"]), "add_link"):
            raise NotConfigured
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Tell of the answer."""
        self._scheduler.answered(_request(response))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Let items pass; requests go to the scheduler, and are in the frontier before an item is stored."""
        request, scheduler = _request(response), self._scheduler
        has_items = False
        async for entry in result:
            if isinstance(entry, Request):
                scheduler.add_link(request, entry)
            else:
                has_items = True
                scheduler.push_links(request, are_all=False)
                yield entry
        # Without items the page is over at once.
        if has_items:
            scheduler.push_links(request, are_all=True)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Tell of a callback that ends the crawl."""
        if isinstance(exception, CloseSpider):
            self._scheduler.give_back(_request(response))

    @property
    def _scheduler(self) -> FrontierScheduler:
        return cast("FrontierScheduler", self.crawler.engine.scheduler)


def _request(response: Response) -> Request:
    assert response.request is not None
    return response.request
