"""Gives every page the charset that it is really in."""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response, TextResponse

from focuscrawl.text.page_charset import detect


class CharsetMiddleware:
    """Downloader middleware: believes a page's declared charset unless its bytes contradict it."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response, decoded by its true charset if it is text."""
        if not isinstance(response, TextResponse) or not response.body:
            return response
        header = response.headers.get("Content-Type", b"") or b""
        _, _, declared = header.decode("latin-1").lower().partition("charset=")
        return response.replace(encoding=detect(response.body, declared.strip("\"' ;")))
