"""The errback of every request that the frontier scheduler sends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from math import inf
from typing import Any, Protocol

from scrapy import Request
from scrapy.exceptions import (
    CloseSpider,
    DownloadCancelledError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.spider import iterate_spider_output
from twisted.python.failure import Failure

from focuscrawl.frontier.frontier_entries import Outcome, dropped, failed
from focuscrawl.network.failure_names import TOO_MANY_REDIRECTS, failure_words

_IGNORED = {
    "Forbidden by robots.txt": "robots.txt",
    "Filtered offsite": "offsite",
    "max redirections reached": TOO_MANY_REDIRECTS,
}


class RefusedAddressError(IgnoreRequest):
    """A URL that pages may not link to, already counted as dropped. The text is the reason."""


class HostUnavailableError(Exception):
    """A host that is unavailable now, but may be available later. The text is the reason.

    ``seconds`` is the time until it should be tried again, infinite if that is up to the next run.
    """

    def __init__(self, reason: str, seconds: float = inf) -> None:
        super().__init__(reason)
        self.seconds = seconds


class Lender(Protocol):
    """Scheduler as an errback sees it.

    Implemented by :class:`~focuscrawl.scheduling.frontier_scheduler.FrontierScheduler`.
    """

    def failed(self, failure: Failure) -> None:
        """Record the reason why there is no response."""

    def postpone(self, request: Request, error: HostUnavailableError) -> bool:
        """Leave the page for later; return False if it has to fail instead."""

    def give_back(self, request: Request) -> None:
        """Record that a page was cut short through no fault of its own."""

    def add_link(self, source: Request, link: Request) -> None:
        """Add a request that the errback has yielded."""


class Errback:
    """Errback that reports a failure, and the requests of the request's own errback, to the scheduler."""

    def __init__(self, scheduler: Lender, own: Callable[[Failure], Any] | None) -> None:
        self.own = own
        self._scheduler = scheduler

    def __call__(self, failure: Failure) -> Any:
        """Report the failure, then call the request's own errback, if it has one."""
        error = failure.value
        if isinstance(error, HostUnavailableError) and self._scheduler.postpone(
            request_of(failure), error
        ):
            return None
        self._scheduler.failed(failure)
        if self.own is None:
            return failure
        try:
            output = self.own(failure)
        except CloseSpider:
            self._scheduler.give_back(request_of(failure))
            raise
        if isinstance(output, Failure):
            return output
        return self._without_links(request_of(failure), output)

    async def _without_links(self, request: Request, output: Any) -> AsyncIterator[Any]:
        entries = await ensure_awaitable(iterate_spider_output(output))
        async for entry in as_async_generator(entries):
            if isinstance(entry, Request):
                self._scheduler.add_link(request, entry)
            else:
                yield entry


def request_of(failure: Failure) -> Request:
    """Return the failed request, which Scrapy sets before it calls an errback."""
    request: Request = failure.request  # type: ignore[attr-defined]
    return request


def can_return(request: Request) -> bool:
    """Return whether a request goes back to the frontier if it fails with a HostUnavailableError."""
    return isinstance(request.errback, Errback)


def status_of(failure: Failure) -> int | None:
    """Return the status of the response that was an error, None if there was no response."""
    error = failure.value
    return error.response.status if isinstance(error, HttpError) else None


def is_forbidden(failure: Failure) -> bool:
    """Return whether robots.txt forbids the request."""
    # Other reasons are an IgnoreRequest as well, such as too many redirects.
    return isinstance(failure.value, IgnoreRequest) and "robots.txt" in str(failure.value)


def is_ignored(failure: Failure) -> bool:
    """Return whether a request was ignored on purpose: robots.txt, no text, too large, endless redirects."""
    is_refused = isinstance(failure.value, IgnoreRequest | StopDownload)
    return is_refused and not isinstance(failure.value, HttpError)


def reason_of(failure: Failure) -> str:
    """Return the reason why there is no page in a few words: ``HTTP 503``, ``timeout``, ``robots.txt``."""
    error = failure.value
    assert error is not None
    if is_ignored(failure):
        return outcome_of(error).reason
    return failure_words(error, request_of(failure).meta.get("proxy") or "")


def is_refused(failure: Failure) -> bool:
    """Return whether the request was to an address that pages may not link to."""
    return isinstance(failure.value, RefusedAddressError)


def outcome_of(error: BaseException) -> Outcome:
    """Return the outcome of a page whose request failed with ``error``."""
    if isinstance(error, StopDownload):
        return dropped("no text")
    if isinstance(error, DownloadCancelledError) or "DOWNLOAD_MAXSIZE" in str(error):
        return failed("too large")
    if isinstance(error, HttpError):
        return failed(str(error.response.status))
    if not isinstance(error, IgnoreRequest):
        return failed(failure_words(error))
    text = str(error)
    short = (word for start, word in _IGNORED.items() if text.startswith(start))
    return dropped(next(short, text[:60] or "ignored"))
