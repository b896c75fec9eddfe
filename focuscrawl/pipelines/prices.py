"""Reads the price quotes out of each article."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy.crawler import Crawler

from focuscrawl.errors import ArgumentError
from focuscrawl.items import Article
from focuscrawl.prices import READERS, load_aliases

# Longer texts are read in a thread: the reactor goes on meanwhile.
_LONG_TEXT = 50_000


class PricesPipeline:
    """Sets ``article.quotes`` with the reader of setting ``FOCUSCRAWL_READER``."""

    def __init__(self, crawler: Crawler, reader: str, aliases: str | None) -> None:
        if reader not in READERS:
            raise ArgumentError(
                f"FOCUSCRAWL_READER={reader!r} is unknown; known: {', '.join(READERS)}"
            )
        self.crawler = crawler
        self._read = READERS[reader]
        self._aliases = load_aliases(aliases)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PricesPipeline:
        """Build the pipeline from the settings of a crawler."""
        settings = crawler.settings
        return cls(crawler, settings["FOCUSCRAWL_READER"], settings["FOCUSCRAWL_ALIASES"])

    async def process_item(self, item: Any) -> Any:
        """Return the item, an article with its quotes."""
        if not isinstance(item, Article):
            return item
        if len(item.text) > _LONG_TEXT:
            item.quotes = await asyncio.to_thread(self._quotes, item)
        else:
            item.quotes = self._quotes(item)
        stats = self.crawler.stats
        stats.inc_value("focuscrawl/quotes", len(item.quotes))
        stats.inc_value("focuscrawl/quotes/flagged", sum(bool(quote.flag) for quote in item.quotes))
        return item

    def _quotes(self, article: Article) -> list[Any]:
        return list(
            self._read(
                article.text, title=article.title, day=article.published, aliases=self._aliases
            )
        )
