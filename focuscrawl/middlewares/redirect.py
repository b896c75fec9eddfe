"""Redirects by status 301, 302, 303, 307 and 308."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.scheduling.scrapy_engine import kills


class Redirect(RedirectMiddleware):
    """Scrapy's middleware, but a redirect that the scheduler would drop calls the errback."""

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request that the response redirects to, or the response.

        Raises ValueError where no request can be made for the target, and IgnoreRequest for a target
        that kills the crawler.
        """
        found = super().process_response(request, response)
        if isinstance(found, Request):
            # Scrapy leaves as it is what is no host name.
            if not found.url.isascii():
                raise ValueError(f"no host name: {found.url}")
            if kills(self.crawler, found):
                raise IgnoreRequest(FATAL.reason)
        return found
