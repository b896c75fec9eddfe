"""Obeys robots.txt also for the requests that wait for it together."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached


class RobotsMiddleware(RobotsTxtMiddleware):
    """Downloader middleware: Scrapy's own, which lets pass what it should not.

    In Scrapy 2.19 the requests to a host that wait for its robots.txt all await one Deferred. That
    gives its result to the first of them and None to the others, and None means: all is allowed.
    """

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the rules of the request's host, None where there are none."""
        await super().robot_parser(request)
        # By now it is no Deferred any more.
        rules: RobotParser | None = self._parsers[urlparse_cached(request).netloc]  # type: ignore[assignment]
        return rules
