"""Redirects by status 301, 302, 303, 307 and 308."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response


class Redirect(RedirectMiddleware):
    """Scrapy's middleware, but a redirect to what is no host name calls the errback."""

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request that the response redirects to, or the response.

        Raises ValueError where no request can be made for the target.
        """
        found = super().process_response(request, response)
        # Scrapy leaves as it is what is no host name, and a scheduler could only drop that.
        if isinstance(found, Request) and not found.url.isascii():
            raise ValueError(f"no host name: {found.url}")
        return found
