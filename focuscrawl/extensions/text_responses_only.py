"""Extension that stops downloads of pictures, archives and other binary responses."""

from __future__ import annotations

from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers
from scrapy.http.request import NO_CALLBACK

from focuscrawl.text.file_kinds import kind_of_type

_BINARY = ("image/", "audio/", "video/", "font/", "application/")


class TextOnly:
    """Extension: stops responses whose ``Content-Type`` is binary.

    For spiders with the attribute ``text_only``; the request's errback gets a ``StopDownload``.
    Those with the attribute ``keeps_files`` get the response of a file without its body instead.
    A request with ``takes_json`` in its meta accepts JSON as well.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the extension of a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.headers_received, signals.headers_received)
        return extension

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Check the content type before the body arrives; robots.txt may have any."""
        kind = (headers.get("Content-Type") or b"").decode("latin-1").lower()
        is_page = request.callback not in (None, NO_CALLBACK)
        if is_page and getattr(self.crawler.spider, "keeps_files", False) and kind_of_type(kind):
            raise StopDownload(fail=False)
        wants_text = getattr(self.crawler.spider, "text_only", False)
        takes = ("xml", "json") if request.meta.get("takes_json") else ("xml",)
        is_text = not kind.startswith(_BINARY) or any(name in kind for name in takes)
        if is_page and wants_text and not is_text:
            raise StopDownload(fail=True)
