"""Spider middleware that takes the hosts of start requests as named by the user."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focuscrawl.middlewares.address_guard import address_rules_of


class StartHosts:
    """Spider middleware: allows start requests to hosts on a private network.

    Disabled for spiders with the attribute ``named_urls``: it lists the URLs that the user named,
    and such spiders may start with URLs found on pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._rules = address_rules_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StartHosts:
        """Build the middleware; raises NotConfigured for spiders with ``named_urls``, and without trust."""
        is_trusted = crawler.settings.getbool("FOCUSCRAWL_TRUST_URLS", True)
        if hasattr(crawler.spider, "named_urls") or not is_trusted:
            raise NotConfigured
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Note the host of each request before it is filtered as a duplicate."""
        async for entry in start:
            if isinstance(entry, Request):
                self._rules.name(entry.url)
            yield entry
