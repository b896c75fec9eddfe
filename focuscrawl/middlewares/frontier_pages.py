"""Spider middleware that reports responses, links and failures of pages to the frontier scheduler."""

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
    """Spider middleware nearest the engine: collects a page's links until its callback has finished."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware; raises NotConfigured for a scheduler without ``add_link``."""
        if not hasattr(load_object(crawler.settings["SCHEDULER"]), "add_link"):
            raise NotConfigured
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Report the response to the scheduler."""
        self._scheduler.response_received(_request(response))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Yield items; hand requests to the scheduler, which pushes them before an item is stored."""
        request, scheduler = _request(response), self._scheduler
        has_items = False
        async for entry in result:
            if isinstance(entry, Request):
                scheduler.add_link(request, entry)
            else:
                has_items = True
                scheduler.push_links(request, are_all=False)
                yield entry
        # Without items the page is finished already.
        if has_items:
            scheduler.push_links(request, are_all=True)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Report a callback that closes the spider."""
        if isinstance(exception, CloseSpider):
            self._scheduler.give_back(_request(response))

    @property
    def _scheduler(self) -> FrontierScheduler:
        return cast("FrontierScheduler", self.crawler.engine.scheduler)


def _request(response: Response) -> Request:
    assert response.request is not None
    return response.request
