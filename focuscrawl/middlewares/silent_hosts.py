"""Downloader middleware that lets hosts without an answer wait in the frontier."""

from __future__ import annotations

import time
from collections import Counter
from math import inf
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.frontier.frontier_protocol import growing_pause
from focuscrawl.network.failure_names import (
    failure_words,
    is_fault_of_proxy,
    is_refusal_of_proxy,
    is_silence,
    remedy,
)
from focuscrawl.scheduling.request_errback import HostUnavailableError, can_return
from focuscrawl.scheduling.scrapy_engine import most_retries

# In seconds: how long a proxy that has worked may be down before pages fail.
_PROXY_PATIENCE = 300.0
# Requests in a row after which a host that has answered counts as one that has not.
_MOST_SILENT = 4


class SilentHosts:
    """Downloader middleware: a host that has never answered waits, with all its URLs, in the frontier.

    It matters without robots.txt, whose failures are
    :class:`~focuscrawl.middlewares.robots.RobotsMiddleware`'s: a host is tried ``RETRY_TIMES`` times
    more in all, with growing pauses, not by each of its URLs; then it is left to the next run. So is one that
    has answered, but four requests in a row not. Other requests to such hosts, and those of another
    scheduler, are left to RetryMiddleware.

    While a proxy that has worked is down, every host waits, for five minutes at most: otherwise a page
    after the other would use up its tries. What a proxy refuses is not retried.
    """

    def __init__(self, crawler: Crawler, tries: int, first_pause: float, longest: float) -> None:
        self._crawler = crawler
        self._tries = tries
        self._first_pause = first_pause
        self._longest_pause = longest
        self._answered_at = -inf
        self._silent: Counter[str] = Counter()  # requests in a row, by host and port
        self._given_up: dict[str, str] = {}  # reasons, by host and port

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware from the settings of a crawler."""
        number = RunningCrawl.of(crawler).number
        first_pause = number("FOCUSCRAWL_RETRY_PAUSE", least=0)
        longest_pause = number("FOCUSCRAWL_RETRY_PAUSE_MAX", least=0)
        return cls(crawler, 1 + most_retries(crawler), first_pause, longest_pause)

    def process_request(self, request: Request) -> None:
        """Raise :class:`HostUnavailableError` for a host, or a port of it, that was left to the next run."""
        if (words := self._given_up.get(urlparse_cached(request).netloc)) and can_return(request):
            raise HostUnavailableError(words)

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the time, and that the host answers."""
        self._answered_at = time.monotonic()
        if self._silent:
            self._silent.pop(urlparse_cached(request).netloc, None)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise :class:`HostUnavailableError` for a host that does not answer, or has no proxy."""
        words = failure_words(exception, request.meta.get("proxy") or "")
        if not can_return(request):
            return
        if is_fault_of_proxy(words):
            if time.monotonic() - self._answered_at < _PROXY_PATIENCE:
                raise HostUnavailableError(words, max(1.0, self._first_pause))
            RunningCrawl.of(self._crawler).mark_incomplete(f"{words}; {remedy(words)}")
            return
        if is_refusal_of_proxy(words):
            request.meta["dont_retry"] = True
        if not is_silence(words) or isinstance(exception, HostUnavailableError):
            return
        failures = self._failures(request)
        if failures is None:
            return
        if failures + 1 >= self._tries:
            self._given_up[urlparse_cached(request).netloc] = words
            raise HostUnavailableError(words)
        seconds = growing_pause(failures, self._first_pause, self._longest_pause)
        raise HostUnavailableError(words, seconds)

    def _failures(self, request: Request) -> int | None:
        """Return how often the host of a request has failed to answer, None if it answers now and then."""
        # That of the frontier, to which alone a request can return.
        scheduler: Any = self._crawler.engine.scheduler
        failures: int | None = scheduler.failed_trials(request)
        if failures is not None:
            return failures
        host = urlparse_cached(request).netloc
        self._silent[host] += 1
        if self._silent[host] < _MOST_SILENT:
            return None
        scheduler.doubt_host(request)
        return 0
