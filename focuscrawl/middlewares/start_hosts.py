"""Takes the hosts of start requests as named by the user."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.middlewares.address_guard import address_rules_of


class StartHosts:
    """Spider middleware: what a spider begins with may be on a private network.

    Not for spiders with the attribute ``named_urls``: they say by themselves what the user has named,
    and may begin with URLs that were found on pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._rules = address_rules_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StartHosts:
        """Build the middleware for spiders that do not name their URLs."""
        if hasattr(crawler.spider, "named_urls"):
            raise NotConfigured
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Note the host of each request before it is filtered as known."""
        async for entry in start:
            if isinstance(entry, Request):
                self._rules.name(entry.url)
            yield entry
