"""Downloader middleware that has the responses of suspects recorded before anything reads them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Self, cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    from focuscrawl.scheduling.frontier_scheduler import FrontierScheduler


class SuspectResponses:
    """Holds a response while the frontier records it, if an earlier run died with its page.

    Without the record, a page that kills the crawler would be fetched again in every run.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware; raises NotConfigured for a scheduler without suspects."""
        if not hasattr(load_object(crawler.settings["SCHEDULER"]), "record_response"):
            raise NotConfigured
        return cls(crawler)

    def process_response(
        self, request: Request, response: Response
    ) -> Response | Awaitable[Response]:
        """Return the response, at once if its page is no suspect."""
        scheduler = cast("FrontierScheduler", self.crawler.engine.scheduler)
        if not scheduler.is_suspect(request):
            return response
        return self._recorded(scheduler, request, response)

    async def _recorded(
        self, scheduler: FrontierScheduler, request: Request, response: Response
    ) -> Response:
        await scheduler.record_response(request)
        return response
