"""Downloader middleware that detects the charset of pages."""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response, TextResponse

from focuscrawl.text.file_kinds import kind_of_file
from focuscrawl.text.page_charset import detect


class CharsetMiddleware:
    """Downloader middleware: uses a page's declared charset unless its bytes contradict it.

    What claims to be text, but is a PDF or another file, becomes a plain ``Response``.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; one of text has its detected charset as ``encoding``."""
        if not isinstance(response, TextResponse) or not response.body:
            return response
        if kind_of_file(response.body):
            return Response(**{name: getattr(response, name) for name in Response.attributes})
        header = response.headers.get("Content-Type", b"") or b""
        _, _, declared = header.decode("latin-1").lower().partition("charset=")
        return response.replace(encoding=detect(response.body, declared.strip("\"' ;")))
