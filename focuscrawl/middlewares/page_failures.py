"""Spider middleware that reports errors of callbacks as one sentence instead of a traceback."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import Response

from focuscrawl.crawl_run import fail, give_up_page
from focuscrawl.errors import FocuscrawlError, PageLimitError
from focuscrawl.frontier.frontier_entries import State


class PageFailures:
    """Spider middleware nearest the spider: handles callback errors of the project's own classes.

    A :class:`~focuscrawl.errors.PageLimitError` fails the page with that reason. Any
    :class:`~focuscrawl.errors.FocuscrawlError` ends the crawl and returns the page to the frontier.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware of a crawler."""
        return cls(crawler)

    def process_spider_exception(
        self, response: Response, exception: Exception
    ) -> list[None] | None:
        """Handle an error of a callback; return None for errors of other classes."""
        if isinstance(exception, PageLimitError):
            give_up_page(self.crawler, exception, response.url)
            judge = getattr(self.crawler.engine.scheduler, "judge", None)
            if judge and response.request:
                judge(response.request, str(exception), State.FAILED)
            return []
        if isinstance(exception, FocuscrawlError):
            fail(self.crawler, exception)
            return []
        return None
