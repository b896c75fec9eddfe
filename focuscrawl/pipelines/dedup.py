"""Item pipeline that drops articles which the stores already hold unchanged."""

from __future__ import annotations

from typing import Any

from scrapy.exceptions import DropItem

from focuscrawl.crawl_run import CrawlComponent
from focuscrawl.items import Article
from focuscrawl.stored_records import KnownArticle


class DedupPipeline(CrawlComponent):
    """Passes on articles that are new, changed, completed or no longer gone, and drops the others.

    An article is changed if the MD5 of its content region differs, not that of the raw page. An
    article with a new date, stamp or validator passes too: the next run then needs no request for it.
    """

    async def process_item(self, item: Any) -> Any:
        """Return the item, or raise DropItem."""
        if not isinstance(item, Article):
            return item
        known = (await self.run.archive.known([item.url_md5])).get(item.url_md5)
        # The fields of a subclass may have changed, which only the stores know.
        if known and type(item) is Article and _is_unchanged(item, known):
            self.crawler.stats.inc_value("focuscrawl/articles/unchanged", int(item.is_read))
            if not item.is_complete:
                self.crawler.stats.inc_value("focuscrawl/articles/incomplete")
            raise DropItem(f"unchanged: {item.url}", log_level="DEBUG")
        return item


def _is_unchanged(item: Article, known: KnownArticle) -> bool:
    same_text = item.content_md5 == known.content_md5 and not known.is_gone
    same_pages = item.is_complete == known.is_complete and item.page_urls == known.page_urls
    # An article stored without prices may now have them read.
    same_reading = known.has_prices_read or item.quotes is None
    return (
        same_text
        and same_pages
        and same_reading
        and item.published in (None, known.published)
        # The store knows whether the verdict is another one.
        and item.relevance is None
        and (item.stamp, item.validators) == (known.stamp, known.validators)
    )
