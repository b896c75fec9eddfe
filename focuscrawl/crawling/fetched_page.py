"""Outcome of a request for a page, by which a walk chooses its next request."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from parsel import Selector
from scrapy.http import Response, TextResponse, XmlResponse
from twisted.python.failure import Failure
from w3lib.url import safe_url_string

from focuscrawl.errors import ProfileError
from focuscrawl.frontier.frontier_entries import State
from focuscrawl.network.failure_names import failure_words
from focuscrawl.scheduling.request_errback import RefusedAddressError, outcome_of, request_of
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.text.file_kinds import kind_of_address, kind_of_file, kind_of_type
from focuscrawl.text.page_repair import repaired

if TYPE_CHECKING:
    from focuscrawl.pages.link import ParsedPage, ScoredLink


# Tree, frames and validators of a downloaded page, as list crawls read it.

_MOST_FRAMES = 5


def page_tree(response: Response) -> tuple[Any, str]:
    """Return the root element of a page and its encoding; raises ProfileError for what is no text."""
    if file_kind(response) or not isinstance(response, TextResponse):
        raise ProfileError(
            f"{response.url} is a file, not a text page; correct the profile's rule, or the URL"
        )
    # Not response.selector, which raises if the base of the page is not a URL.
    kind = "xml" if isinstance(response, XmlResponse) else "html"
    text = repaired(response.text) if kind == "html" else response.text
    if (response.headers.get("Content-Type") or b"").startswith(b"text/plain") and "</" not in text:
        text = f"<pre>{escape(text)}</pre>"  # a text file keeps its lines
    return Selector(text, type=kind, base_url=response.url).root, response.encoding


def frame_urls(page: Any, url: str) -> list[str]:
    """Return the URLs of the first frames of the page of ``url``."""
    base = base_url(page, url)
    sources = (node.get("src") or "" for node in page.iter("frame", "iframe"))
    found = (absolute_url(base, source) for source in sources if source.strip())
    return list(dict.fromkeys(u for u in found if u not in ("", urldefrag(url).url)))[:_MOST_FRAMES]


def shown_file(page: Any) -> str:
    """Return the kind of the file that a page shows in a frame, such as ``PDF``; ``""`` for none."""
    shown = (n.get("src") or n.get("data") or "" for n in page.iter("iframe", "embed", "object"))
    return next(filter(None, map(kind_of_address, shown)), "")


def file_kind(response: Response) -> str:
    """Return the kind of file that a response is, such as ``PDF``; ``""`` for a text that is a page."""
    media_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    stated, named = kind_of_type(media_type), kind_of_address(urlsplit(response.url).path)
    # Tables of HTML or of plain text are often sent as Excel.
    table = next((kind for kind in (stated, named) if kind in ("CSV", "Excel")), "")
    # Scrapy takes a body that was not downloaded for an empty text.
    if not isinstance(response, TextResponse) or "download_stopped" in response.flags:
        return kind_of_file(response.body, media_type) or table or "other"
    if not response.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return table
    return "Excel" if stated == "Excel" and b"<table" in response.body.lower() else ""


def validators_of(response: Response) -> list[str]:
    """Return ETag and Last-Modified of a response, ``""`` for one that it lacks."""
    names = ("ETag", "Last-Modified")
    return [(response.headers.get(name) or b"").decode("latin-1") for name in names]


def conditions(etag: str, modified: str) -> dict[str, str]:
    """Return the headers by which a server answers 304 if what has these validators has not changed."""
    given = {"If-None-Match": etag, "If-Modified-Since": modified}
    return {name: value for name, value in given.items() if value}


_NOT_FOUND = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_NO_TEXT = "no text"


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The text of a page, or the reason why there is none.

    ``url`` is the one after redirects. ``failure`` is empty for a page. ``is_fault`` is true for a
    failure that may be temporary (no response, 5xx), false if there is no such page. ``is_silent``
    means no response at all, ``is_counted`` a failure that is already counted as a drop, ``is_ignored``
    a page that was not read on purpose (robots.txt, too large). ``location`` is the target of a redirect
    that was not followed.
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
    parsed: ParsedPage | None = field(default=None, repr=False)
    links: list[ScoredLink] = field(default_factory=list, repr=False)

    @classmethod
    def from_response(cls, response: Response) -> FetchedPage:
        """Return the page of a response of any status."""
        if response.status in _NOT_FOUND:
            return cls(response.url, failure=f"HTTP {response.status}")
        if 300 <= response.status < 400 and (location := _location(response)):
            return cls(response.url, location=location)
        if response.status >= 300:
            return cls(response.url, failure=f"HTTP {response.status}", is_fault=True)
        if not isinstance(response, TextResponse):
            return cls(response.url, failure=_NO_TEXT)
        return cls(
            response.url,
            response.text,
            response.encoding,
            parsed=response.meta.get("page"),
            links=response.meta.get("links", []),
        )

    @classmethod
    def from_failure(cls, failure: Failure) -> FetchedPage:
        """Return the page of a request that got no response; its URL is the one before redirects."""
        request, error = request_of(failure), failure.value
        assert error is not None
        url = request.meta.get("redirect_urls", [request.url])[0]
        outcome = outcome_of(error)
        if isinstance(error, RefusedAddressError):
            return cls(url, failure=outcome.reason, is_counted=True)
        is_silent = outcome.state is State.FAILED
        proxy = request.meta.get("proxy") or ""
        reason = failure_words(error, proxy) if is_silent else outcome.reason
        # A page that robots.txt forbids, or that redirects endlessly, may still exist.
        is_fault = outcome.reason != _NO_TEXT
        return cls(
            url, failure=reason, is_fault=is_fault, is_silent=is_silent, is_ignored=not is_silent
        )


def _location(response: Response) -> str:
    """Return the target of a redirect; empty if that is not a page."""
    header = response.headers.get("Location")
    if not header:
        return ""
    try:
        location = response.urljoin(safe_url_string(header))
    except ValueError:
        return ""
    return location if location.startswith(("http://", "https://")) else ""
