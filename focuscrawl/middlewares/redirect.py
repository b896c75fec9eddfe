"""Redirects by status 301, 302, 303, 307 and 308, and by ``<meta http-equiv=refresh>``."""

from __future__ import annotations

from collections.abc import Callable

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import (
    BaseRedirectMiddleware,
    MetaRefreshMiddleware,
    RedirectMiddleware,
)
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.network.failure_names import COOKIE_REQUIRED, remedy
from focuscrawl.scheduling.scrapy_engine import kills
from focuscrawl.text.page_charset import TAGS_ARE_ASCII

_SETS_COOKIE = "redirect_sets_cookie"
# Scrapy searches the first 4,096 characters, each of four bytes at most.
_SEARCHED = 4 * 4096


class CookieWalls(BaseRedirectMiddleware):
    """Base of both redirects: tells a site that wants its cookie back from one that redirects endlessly."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._has_cookies = settings.getbool("COOKIES_ENABLED")

    def redirect(
        self,
        request: Request,
        response: Response,
        follow: Callable[[Request, Response], Request | Response],
    ) -> Request | Response:
        """Return what ``follow`` returns; raises IgnoreRequest at a cookie wall."""
        if self._has_cookies and not request.meta.get("dont_merge_cookies"):
            found = follow(request, response)
            if isinstance(found, Request):
                # The middleware for cookies adds it again; a frontier would store it.
                found.headers.pop("Cookie", None)
            return found
        if not (request.meta.get(_SETS_COOKIE) or "Set-Cookie" in response.headers):
            return follow(request, response)
        try:
            found = follow(request, response)
        except IgnoreRequest:
            found = request
        if not isinstance(found, Request):
            return found
        seen = [*request.meta.get("redirect_urls", ()), request.url]
        if found is request or seen.count(found.url) > 1:
            run, advice = RunningCrawl.of(self.crawler), remedy(COOKIE_REQUIRED)
            if not any(advice in text for text in run.notes):
                run.note(f"{seen[0]}: {advice}")
            raise IgnoreRequest(COOKIE_REQUIRED)
        found.meta[_SETS_COOKIE] = True
        return found


class Redirect(CookieWalls, RedirectMiddleware):
    """Scrapy's middleware, but a redirect that the scheduler would drop calls the errback."""

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request that the response redirects to, or the response.

        Raises ValueError where no request can be made for the target, and IgnoreRequest for a target
        that kills the crawler, or that wants a cookie first.
        """
        found = self.redirect(request, response, super().process_response)
        if isinstance(found, Request):
            # Scrapy leaves as it is what is no host name.
            if not found.url.isascii():
                raise ValueError(f"no host name: {found.url}")
            if kills(self.crawler, found):
                raise IgnoreRequest(FATAL.reason)
        return found


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
