"""Counts the requests that failed for good, by reason."""

from __future__ import annotations

from collections.abc import Container
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from focuscrawl.failures import failure_words
from focuscrawl.run import FAILED_STAT


class FailureCounter:
    """Downloader middleware near the engine: what is retried or redirected does not come here.

    The stat ``focuscrawl/requests/failed/REASON`` counts answers of status 400 and more, and requests
    without an answer. Not counted are robots.txt, what a middleware or a spider has ignored, and the
    statuses in a spider's attribute ``expected_statuses``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._expected: Container[int] = getattr(crawler.spider, "expected_statuses", ())

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware of a crawler."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Count an answer that is an error."""
        if response.status >= 400 and response.status not in self._expected:
            self._count(request, f"HTTP {response.status}")
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a request that nobody has answered."""
        if not isinstance(exception, IgnoreRequest | StopDownload):
            self._count(request, failure_words(exception, request.meta.get("proxy") or ""))

    def _count(self, request: Request, reason: str) -> None:
        if request.callback is not NO_CALLBACK:
            self.crawler.stats.inc_value(FAILED_STAT + reason)
