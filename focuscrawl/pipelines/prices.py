"""Reads the price quotes out of each article."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler

from focuscrawl.items import Article
from focuscrawl.prices.task import check_settings, read_text
from focuscrawl.worker import in_worker


class PricesPipeline:
    """Sets ``article.quotes`` with the reader of setting ``FOCUSCRAWL_READER``, off the reactor."""

    def __init__(self, crawler: Crawler, reader: str, alias_file: str | None) -> None:
        check_settings(reader, alias_file)
        self.crawler = crawler
        self._reader = reader
        self._alias_file = alias_file

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PricesPipeline:
        """Build the pipeline from the settings of a crawler."""
        settings = crawler.settings
        return cls(crawler, settings["FOCUSCRAWL_READER"], settings["FOCUSCRAWL_ALIASES"])

    async def process_item(self, item: Any) -> Any:
        """Return the item, an article with its quotes."""
        if not isinstance(item, Article):
            return item
        item.quotes = await in_worker(
            read_text, self._reader, self._alias_file, item.text, item.title, item.published
        )
        stats = self.crawler.stats
        stats.inc_value("focuscrawl/quotes", len(item.quotes))
        stats.inc_value("focuscrawl/quotes/flagged", sum(bool(quote.flag) for quote in item.quotes))
        return item
