"""Downloader middleware that parses HTML pages and scores their links for the topic of the crawl."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.pages.link import ParsedPage
    from focuscrawl.scoring.score_cache import CachedScorer

logger = logging.getLogger(__name__)

# Bytes; parsing that many takes a few milliseconds, the longest that other downloads should wait.
_PARSED_AT_ONCE = 512 * 1024
# One worker only: the tree of a page takes up to fifty times the page's size.
_large_pages = ThreadPoolExecutor(1, thread_name_prefix="large-pages")

_scorers: WeakKeyDictionary[Crawler, CachedScorer] = WeakKeyDictionary()


def scorer_of(crawler: Crawler, topic: str) -> CachedScorer:
    """Return the scorer of a crawl, built on first use: the topic's trained model, else its lexicon.

    A spider may bring its own as attribute ``link_scorer``; it needs no topic then.

    Raises :class:`~focuscrawl.errors.TopicError` or :class:`~focuscrawl.errors.ModelError`.
    """
    if crawler not in _scorers:
        # Imported here, so that a crawl without link scores does not load them.
        from focuscrawl.scoring.model_files.scorer_loading import (
            is_trained,
            load_scorer,
            untrained_note,
        )
        from focuscrawl.scoring.score_cache import CachedScorer
        from focuscrawl.topics import load_topic

        settings = crawler.settings
        scorer = getattr(crawler.spider, "link_scorer", None)
        if scorer is None:
            loaded = load_topic(topic, Path(settings["FOCUSCRAWL_TOPICS"]))
            scorer = load_scorer(loaded, Path(settings["FOCUSCRAWL_MODELS"]))
            if not is_trained(scorer):
                RunningCrawl.of(crawler).note(untrained_note(loaded.name))
        _scorers[crawler] = CachedScorer(scorer)
    return _scorers[crawler]


class LinkScoringMiddleware:
    """Downloader middleware: ``response.meta["links"]`` is a list of ``ScoredLink``, in page order.

    The list is empty unless the response is HTML with a status below 300. ``response.meta["page"]``
    is the ``ParsedPage``, or None.
    Enabled for spiders with an attribute ``link_topic`` (a topic's name or path) or ``link_scorer``,
    and for all spiders if the setting ``FOCUSCRAWL_LINK_TOPIC`` names a topic.
    """

    def __init__(self, crawler: Crawler, scorer: CachedScorer) -> None:
        self.run = RunningCrawl.of(crawler)
        self.stats = crawler.stats
        self.scorer = scorer

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware; raises NotConfigured without topic and scorer."""
        topic = getattr(crawler.spider, "link_topic", None)
        topic = topic or crawler.settings["FOCUSCRAWL_LINK_TOPIC"] or ""
        has_own = getattr(crawler.spider, "link_scorer", None) is not None
        if not topic and not has_own:
            raise NotConfigured
        if not isinstance(topic, str):
            raise ArgumentError(f"link_topic={topic!r} is not a topic; give one name or path")
        middleware = cls(crawler, scorer_of(crawler, topic))
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        logger.info("links are scored by %s", middleware.scorer.name)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        """Parse a page once and score its links in one batch."""
        # Always: a request made with the meta of another response would otherwise keep its links.
        request.meta.update(links=[], page=None)
        if not isinstance(response, HtmlResponse) or response.status >= 300:
            return response
        if len(response.body) > _PARSED_AT_ONCE:
            loop = asyncio.get_running_loop()
            page = await loop.run_in_executor(_large_pages, parsed_page, response)
        else:
            page = parsed_page(response)
        if page.unread or page.too_long:
            from focuscrawl.pages.link import TOO_LONG, TOO_MANY_LINKS

            for reason, count in ((TOO_MANY_LINKS, page.unread), (TOO_LONG, page.too_long)):
                if count:
                    self.run.drop(reason, response.url, count)
        request.meta.update(links=self.scorer.score(page.links), page=page)
        return response

    def spider_closed(self) -> None:
        """Record the hits and misses of the score cache in the stats."""
        hits, misses = self.scorer.hits, self.scorer.misses
        self.stats.set_value("focuscrawl/links/scored", hits + misses)
        self.stats.set_value("focuscrawl/links/cache_hits", hits)
        self.stats.set_value("focuscrawl/links/cache_hit_rate", hits / max(hits + misses, 1))


def parsed_page(response: HtmlResponse) -> ParsedPage:
    """Return title, text and links of a page."""
    from focuscrawl.pages.link_contexts import parse_page

    # The parser decodes UTF-8 itself.
    is_utf8 = response.encoding.lower() in ("utf-8", "utf8", "ascii")
    html = response.body if is_utf8 else response.text
    return parse_page(html, response.url, charset=response.encoding)
