"""Item pipeline that extracts the price quotes of each article."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import PageLimitError, WorkerError
from focuscrawl.items import Article
from focuscrawl.prices.reading_task import ReadingOptions, read_text, reading_options
from focuscrawl.system.worker_pool import read_in_worker


class PricesPipeline:
    """Sets ``article.quotes`` with the reader of the setting ``FOCUSCRAWL_READER``, off the reactor.

    An article whose ``quotes`` are None is read only if the stores hold it with its prices read:
    otherwise a crawl without prices would delete the quotes that another crawl has stored.
    """

    def __init__(self, crawler: Crawler, options: ReadingOptions) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self._options = options

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PricesPipeline:
        """Build the pipeline from the settings of a crawler."""
        return cls(crawler, reading_options(crawler.settings))

    async def process_item(self, item: Any) -> Any:
        """Return the item; an article has its quotes set."""
        if not isinstance(item, Article) or not await self._is_to_be_read(item):
            return item
        try:
            quotes = await read_in_worker(
                read_text, self._options, item.text, item.title, item.published
            )
        except PageLimitError as error:
            # The text is stored all the same; ``scrapy reread`` can extract its quotes later.
            self.run.give_up_page(error, item.url)
            quotes = []
        except WorkerError as error:
            self.run.fail(error)
            raise DropItem(str(error)) from None
        item.quotes = quotes
        stats = self.crawler.stats
        stats.inc_value("focuscrawl/quotes", len(quotes))
        stats.inc_value("focuscrawl/quotes/flagged", sum(bool(quote.flag) for quote in quotes))
        return item

    async def _is_to_be_read(self, article: Article) -> bool:
        if article.quotes is not None:
            return True
        known = await self.run.archive.known([article.url_md5])
        return article.url_md5 in known and known[article.url_md5].has_prices_read
