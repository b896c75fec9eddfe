"""Downloader middleware that honours the Retry-After header."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.middlewares.interruptible_pause import pause

_BUSY = (429, 503)


class RetryAfterMiddleware:
    """Downloader middleware: delays all requests to a host that sent ``Retry-After`` with 429 or 503.

    RFC 9110, section 10.2.3: seconds or a date, here ``FOCUSCRAWL_RETRY_AFTER_MAX`` seconds at most.
    """

    def __init__(self, crawler: Crawler, longest: float) -> None:
        self.crawler = crawler
        self._longest = longest
        self._free_at: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RetryAfterMiddleware:
        """Build the middleware from the settings of a crawler."""
        return cls(crawler, RunningCrawl.of(crawler).number("FOCUSCRAWL_RETRY_AFTER_MAX", least=0))

    async def process_request(self, request: Request) -> None:
        """Wait until the host accepts requests again."""
        host = urlparse_cached(request).netloc
        seconds = self._free_at.get(host, 0.0) - time.monotonic()
        if seconds > 0:
            await pause(self.crawler, request, seconds, "busy server")

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the ``Retry-After`` of a busy server."""
        if response.status in _BUSY:
            seconds = retry_after_seconds(response.headers.get("Retry-After") or b"", time.time())
            if seconds:
                self._pause(request, min(seconds, self._longest))
                self.crawler.stats.inc_value("focuscrawl/retry_after")
        return response

    def _pause(self, request: Request, seconds: float) -> None:
        host = urlparse_cached(request).netloc
        self._free_at[host] = time.monotonic() + seconds
        # A scheduler that knows hosts does not return requests that would only wait here.
        pause_host = getattr(self.crawler.engine.scheduler, "pause_host", None)
        if pause_host and seconds:
            pause_host(request, seconds)


def retry_after_seconds(header: bytes, now: float) -> float:
    """Return the seconds of a ``Retry-After`` header, 0 for a missing or invalid one; ``now`` is POSIX time."""
    text = header.decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return 0.0
