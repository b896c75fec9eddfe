"""Download handler for profiles with ``render``: a browser draws the pages that it has downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from focuscrawl.errors import BrokenBodyError
from focuscrawl.middlewares.body_decoding import BodyDecoding

if TYPE_CHECKING:
    from focuscrawl.crawling.page_drawing import Chromium

# One for each crawl: there is a handler for http and one for https.
_browsers: WeakKeyDictionary[Crawler, Chromium] = WeakKeyDictionary()


class RenderingHandler(HTTP11DownloadHandler):
    """Downloads as Scrapy does; a page whose request has ``render`` in its meta is then drawn.

    So redirects, errors and files are as for any request, and the whole counts as one request to the
    host. The browser is started, and its driver imported, for the first page that needs it. A drawn
    page has neither ETag nor Last-Modified, which are those of the page before its scripts have run.
    """

    lazy = True

    async def download_request(self, request: Request) -> Response:
        """Return the response; raises :class:`~focuscrawl.crawling.page_drawing.RenderError`."""
        if not request.meta.get("render"):
            return await super().download_request(request)
        for name in ("If-None-Match", "If-Modified-Since"):
            request.headers.pop(name, None)
        response = await super().download_request(request)
        page = decoded(self._crawler, request, response)
        if not isinstance(page, HtmlResponse) or not 200 <= page.status < 300:
            return response
        if self._crawler not in _browsers:
            # Imported here: loading Playwright takes a third of a second.
            from focuscrawl.crawling.page_drawing import Chromium

            _browsers[self._crawler] = Chromium(self._crawler)
        return await _browsers[self._crawler].drawn(request, page)

    async def close(self) -> None:
        """Close the connections and the browser."""
        await super().close()
        if browser := _browsers.pop(self._crawler, None):
            await browser.close()


def decoded(crawler: Crawler, request: Request, response: Response) -> Any:
    """Return the response decompressed; None if that has failed and the middleware should say why."""
    middleware = crawler.get_downloader_middleware(BodyDecoding)
    if middleware is None or "download_stopped" in response.flags:
        return None
    try:
        found = middleware.process_response(request, response)
    except BrokenBodyError:
        return None
    return found if isinstance(found, Response) else None
