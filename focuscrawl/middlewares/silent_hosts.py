"""Downloader middleware that lets hosts without an answer wait in the frontier."""

from __future__ import annotations

import time
from math import inf
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.frontier.frontier_protocol import growing_pause
from focuscrawl.network.failure_names import (
    failure_words,
    is_fault_of_proxy,
    is_refusal_of_proxy,
    is_silence,
)
from focuscrawl.scheduling.request_errback import HostUnavailableError, can_return

# In seconds: how long a proxy that has worked may be down before pages fail.
_PROXY_PATIENCE = 300.0


class SilentHosts:
    """Downloader middleware: a host that has never answered waits, with all its URLs, in the frontier.

    It matters without robots.txt, whose failures are
    :class:`~focuscrawl.middlewares.robots.RobotsMiddleware`'s: a host is tried ``RETRY_TIMES`` times
    more in all, with growing pauses, not by each of its URLs; then it is left to the next run. Requests
    of another scheduler, and to hosts that have answered, are left to RetryMiddleware.

    While a proxy that has worked is down, every host waits, for five minutes at most: otherwise a page
    after the other would use up its tries. What a proxy refuses is not retried.
    """

    def __init__(self, crawler: Crawler, tries: int, first_pause: float, longest: float) -> None:
        self._crawler = crawler
        self._tries = tries
        self._first_pause = first_pause
        self._longest_pause = longest
        self._answered_at = -inf

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware from the settings of a crawler."""
        settings, number = crawler.settings, RunningCrawl.of(crawler).number
        retries = settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0
        first_pause = number("FOCUSCRAWL_RETRY_PAUSE", least=0)
        longest_pause = number("FOCUSCRAWL_RETRY_PAUSE_MAX", least=0)
        return cls(crawler, 1 + max(0, retries), first_pause, longest_pause)

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the time."""
        self._answered_at = time.monotonic()
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise :class:`HostUnavailableError` for a host that has never answered, or has no proxy."""
        words = failure_words(exception, request.meta.get("proxy") or "")
        if not can_return(request):
            return
        if is_fault_of_proxy(words):
            if time.monotonic() - self._answered_at < _PROXY_PATIENCE:
                raise HostUnavailableError(words, max(1.0, self._first_pause))
            return
        if is_refusal_of_proxy(words):
            request.meta["dont_retry"] = True
        if not is_silence(words):
            return
        failed_trials = getattr(self._crawler.engine.scheduler, "failed_trials", None)
        failures = failed_trials(request) if failed_trials else None
        if failures is None:
            return
        if failures + 1 >= self._tries:
            raise HostUnavailableError(words)
        seconds = growing_pause(failures, self._first_pause, self._longest_pause)
        raise HostUnavailableError(words, seconds)
