"""A page at once, for spiders that go through a site step by step."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from w3lib.url import safe_url_string

from focuscrawl.crawl_run import fail_on_machine_fault
from focuscrawl.crawling.crawl_end import is_closing
from focuscrawl.frontier.frontier_entries import State
from focuscrawl.network.failure_names import failure_words
from focuscrawl.scheduling.request_errback import RefusedAddressError, outcome_of

if TYPE_CHECKING:
    from focuscrawl.pages.link import ParsedPage, ScoredLink

_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_NO_TEXT = "no text"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking for a page: its text, or why there is none.

    ``url`` is where the page stands after redirects. ``failure`` is empty for a page; ``is_fault``
    tells a failure that may pass (no answer, 5xx) from one that says that there is no page, and
    ``is_silent`` one without any answer. ``is_counted`` tells one that is counted as a drop already,
    ``is_ignored`` one that was not read on purpose (robots.txt, too large).
    """

    url: str
    text: str = field(default="", repr=False)
    charset: str = "utf-8"
    location: str = ""
    failure: str = ""
    is_fault: bool = False
    is_silent: bool = False
    is_counted: bool = False
    is_ignored: bool = False
    page: ParsedPage | None = field(default=None, repr=False)
    links: list[ScoredLink] = field(default_factory=list, repr=False)


async def fetch(crawler: Crawler, url: str, **meta: Any) -> Answer:
    """Ask for a page through all downloader middlewares; never raises for what a site does.

    Ends as a cancelled task does when the crawl is being closed.
    """
    if is_closing(crawler):
        raise asyncio.CancelledError
    assert crawler.spider is not None
    try:
        # A callback, for what has none passes for a robots.txt.
        request = Request(url, crawler.spider.parse, dont_filter=True, meta=meta)
    except ValueError:
        return Answer(url, failure="no address")
    try:
        response = await crawler.engine.download_async(request)
    except Exception as error:
        if is_closing(crawler) or fail_on_machine_fault(crawler, error):
            raise asyncio.CancelledError from error
        return _unanswered(url, error, request.meta.get("proxy") or "")
    return _answer(response)


def _unanswered(url: str, error: Exception, proxy: str) -> Answer:
    outcome = outcome_of(error)
    if isinstance(error, RefusedAddressError):
        return Answer(url, failure=outcome.reason, is_counted=True)
    is_silent = outcome.state is State.FAILED
    reason = failure_words(error, proxy) if is_silent else outcome.reason
    # What robots.txt forbids, or redirects without end hide, may be there all the same.
    is_fault = outcome.reason != _NO_TEXT
    return Answer(
        url, failure=reason, is_fault=is_fault, is_silent=is_silent, is_ignored=not is_silent
    )


def _answer(response: Response) -> Answer:
    if response.status in _GONE:
        return Answer(response.url, failure=f"HTTP {response.status}")
    if 300 <= response.status < 400 and (location := _location(response)):
        return Answer(response.url, location=location)
    if response.status >= 300:
        return Answer(response.url, failure=f"HTTP {response.status}", is_fault=True)
    if not isinstance(response, TextResponse):
        return Answer(response.url, failure=_NO_TEXT)
    return Answer(
        response.url,
        response.text,
        response.encoding,
        page=response.meta.get("page"),
        links=response.meta.get("links", []),
    )


def _location(response: Response) -> str:
    """Return where a redirect leads; empty if to no page."""
    header = response.headers.get("Location")
    if not header:
        return ""
    try:
        location = response.urljoin(safe_url_string(header))
    except ValueError:
        return ""
    return location if location.startswith(("http://", "https://")) else ""
