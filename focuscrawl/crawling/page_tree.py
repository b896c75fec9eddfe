"""Tree, frames and validators of a downloaded page, as list crawls read it."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urldefrag

from parsel import Selector
from scrapy.http import Response, TextResponse, XmlResponse

from focuscrawl.errors import ProfileError
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.text.file_kinds import kind_of_address, kind_of_file
from focuscrawl.text.page_repair import repaired

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
    """Return the kind of file that a response is, such as ``PDF``; ``""`` for a text."""
    # Scrapy takes a body that was not downloaded for an empty text.
    if isinstance(response, TextResponse) and "download_stopped" not in response.flags:
        return ""
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return kind_of_file(response.body, kind) or "other"


def validators_of(response: Response) -> list[str]:
    """Return ETag and Last-Modified of a response, ``""`` for one that it lacks."""
    names = ("ETag", "Last-Modified")
    return [(response.headers.get(name) or b"").decode("latin-1") for name in names]
