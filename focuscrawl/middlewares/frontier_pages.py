"""Middlewares that report to the frontier scheduler: responses, links and failures of pages, and suspects."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

from focuscrawl.crawl_run import CrawlComponent
from focuscrawl.errors import WorkerError
from focuscrawl.system.worker_pool import in_worker

if TYPE_CHECKING:
    from focuscrawl.scheduling.frontier_scheduler import FrontierScheduler


class FrontierPages(CrawlComponent):
    """Spider middleware nearest the engine: collects a page's links until its callback has finished."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware; raises NotConfigured for a scheduler without ``add_link``."""
        if not hasattr(load_object(crawler.settings["SCHEDULER"]), "add_link"):
            raise NotConfigured
        return super().from_crawler(crawler)

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


_READERS = (
    "focuscrawl.articles.article_page",
    "focuscrawl.pages.page_trial",
    "focuscrawl.prices.reading_task",
    "focuscrawl.text.main_text",
)


def load_readers() -> None:
    """Import what reads pages in a worker process."""
    for name in _READERS:
        import_module(name)


class SuspectResponses(CrawlComponent):
    """Holds a response while the frontier records it, if an earlier run died with its page.

    So it does if its page was marked as waiting for a silent host, which would excuse it.
    Without the record, a page that kills the crawler would be fetched again in every run. A worker
    process is ready before: a kill while one starts, which takes seconds, says nothing about the page.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware; raises NotConfigured for a scheduler without suspects."""
        if not hasattr(load_object(crawler.settings["SCHEDULER"]), "record_response"):
            raise NotConfigured
        return super().from_crawler(crawler)

    def process_response(
        self, request: Request, response: Response
    ) -> Response | Awaitable[Response]:
        """Return the response, at once if there is nothing to record."""
        scheduler = cast("FrontierScheduler", self.crawler.engine.scheduler)
        if not scheduler.must_record(request):
            return response
        return self._recorded(scheduler, request, response)

    async def _recorded(
        self, scheduler: FrontierScheduler, request: Request, response: Response
    ) -> Response:
        if scheduler.is_suspect(request):
            # Who needs the worker reports why there is none.
            with suppress(WorkerError):
                await in_worker(load_readers)
        await scheduler.record_response(request)
        return response
