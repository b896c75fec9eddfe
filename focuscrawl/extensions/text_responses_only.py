"""Extension that stops downloads of pictures, archives and other binary responses."""

from __future__ import annotations

from typing import Any, Self

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
    Those with the attribute ``keeps_files`` get the response of a file without its body instead,
    unless its kind is in their ``read_kinds`` and its size within ``DOWNLOAD_MAXSIZE``.
    A request with ``takes_json`` in its meta accepts JSON as well.
    """

    def __init__(self, crawler: Crawler, most: int = 0) -> None:
        self.crawler = crawler
        self._most = most

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the extension of a crawler."""
        extension = cls(crawler, crawler.settings.getint("DOWNLOAD_MAXSIZE"))
        crawler.signals.connect(extension.headers_received, signals.headers_received)
        return extension

    def headers_received(self, headers: Headers, request: Request, body_length: int = 0) -> None:
        """Check the content type before the body arrives; robots.txt may have any."""
        kind = (headers.get("Content-Type") or b"").decode("latin-1").lower()
        is_page = request.callback not in (None, NO_CALLBACK)
        spider: Any = self.crawler.spider
        if is_page and getattr(spider, "keeps_files", False) and (file := kind_of_type(kind)):
            is_large = 0 < self._most < (body_length or 0)
            if is_large or file not in getattr(spider, "read_kinds", ()):
                raise StopDownload(fail=False)
        wants_text = getattr(self.crawler.spider, "text_only", False)
        takes = ("xml", "json") if request.meta.get("takes_json") else ("xml",)
        is_text = not kind.startswith(_BINARY) or any(name in kind for name in takes)
        if is_page and wants_text and not is_text:
            raise StopDownload(fail=True)
