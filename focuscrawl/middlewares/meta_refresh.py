"""Redirects by ``<meta http-equiv=refresh>``."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response

from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.middlewares.redirect import CookieWalls
from focuscrawl.scheduling.scrapy_engine import kills
from focuscrawl.text.page_charset import TAGS_ARE_ASCII

# Scrapy searches the first 4,096 characters, each of four bytes at most.
_SEARCHED = 4 * 4096


class MetaRefresh(CookieWalls, MetaRefreshMiddleware):
    """Scrapy's middleware, but a page with an invalid base or target URL is kept as a page."""

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request that the page redirects to, or the response itself.

        Raises IgnoreRequest for a target that kills the crawler, or that wants a cookie first.
        """
        if isinstance(response, HtmlResponse) and not _may_refresh(response):
            return response
        try:
            found = self.redirect(request, response, super().process_response)
        except ValueError:
            return response
        # Scrapy leaves as it is what is no host name.
        if isinstance(found, Request) and kills(self.crawler, found):
            raise IgnoreRequest(FATAL.reason)
        return found if found.url.isascii() or found is response else response


def _may_refresh(page: HtmlResponse) -> bool:
    # Scrapy would decode the whole page, which nothing else does with most pages.
    if page.encoding not in TAGS_ARE_ASCII:
        return True
    return b"refresh" in page.body[:_SEARCHED].lower()
