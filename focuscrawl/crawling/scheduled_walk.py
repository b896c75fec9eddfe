"""Walk from page to page whose requests go through the scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar

from scrapy import Request

from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.network.failure_names import INVALID_ADDRESS

_T = TypeVar("_T")


class Fetch(Protocol):
    """Function that requests a page and waits for it; it never raises because of a site."""

    async def __call__(self, url: str, **meta: Any) -> FetchedPage:
        """Return the page at ``url``; ``meta`` is that of its request."""


class ScheduledWalk(Generic[_T]):
    """A coroutine that fetches one page after another, driven by callbacks.

    ``walk`` is called with a :class:`Fetch`. :meth:`next` returns the request for the page as a request
    without callback; the callback and errback of that request pass the page to :meth:`next`.
    """

    def __init__(self, walk: Callable[[Fetch], Awaitable[_T]]) -> None:
        self._walk = walk
        self._task: asyncio.Future[_T] | None = None
        self._request: asyncio.Future[Request] = asyncio.Future()
        self._page: asyncio.Future[FetchedPage] = asyncio.Future()

    async def next(self, page: FetchedPage | None = None) -> Request | None:
        """Continue with the page of the last request; return the next request, None at the end."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._walk(self._fetch))
        elif page is not None:
            self._request = asyncio.Future()
            self._page.set_result(page)
        await asyncio.wait((self._request, self._task), return_when=asyncio.FIRST_COMPLETED)
        return self._request.result() if self._request.done() else None

    def result(self) -> _T:
        """Return the result of the walk once it has ended, or raise its error."""
        assert self._task is not None
        return self._task.result()

    def cancel(self) -> None:
        """Cancel the walk."""
        if self._task:
            self._task.cancel()

    async def _fetch(self, url: str, **meta: Any) -> FetchedPage:
        try:
            request = Request(url, dont_filter=True, meta=meta)
        except ValueError:
            return FetchedPage(url, failure="no address")
        if not request.url.isascii():
            # Scrapy does not encode an invalid host name.
            return FetchedPage(url, failure=INVALID_ADDRESS, is_fault=True, is_silent=True)
        self._page = asyncio.Future()
        self._request.set_result(request)
        return await self._page
