"""Downloader middleware that keeps pages from the parsers that would take minutes or gigabytes."""

from __future__ import annotations

import logging
from collections import Counter
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response

from focuscrawl.crawl_run import CrawlComponent
from focuscrawl.errors import PageLimitError, WorkerError
from focuscrawl.system.worker_pool import try_in_worker
from focuscrawl.text.page_charset import TAGS_ARE_ASCII
from focuscrawl.text.page_weight import as_text, may_be_too_heavy

logger = logging.getLogger(__name__)

_STAT = "focuscrawl/pages/unstructured"
# After so many unparsable pages of a domain its others are not tried: a trial takes seconds.
_MOST_TRIALS = 3


class PageStructure(CrawlComponent):
    """Downloader middleware: replaces a page that is too much for the parsers by its plain text.

    The replacement has one paragraph, no links and the flag ``unstructured``, and is counted in the
    stat ``focuscrawl/pages/unstructured``. A heavy page, and one that an earlier run died with, is
    first parsed in a worker process, unless its domain has had three such pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._unbearable: Counter[str] = Counter()

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the response unchanged, or its plain text."""
        if not isinstance(response, HtmlResponse):
            return response
        is_plain = response.encoding in TAGS_ARE_ASCII
        html = response.body if is_plain else response.text.encode("utf-8", "replace")
        is_suspect = getattr(self.crawler.engine.scheduler, "is_suspect", lambda request: False)
        is_tried = may_be_too_heavy(html) or is_suspect(request)
        if not is_tried or await self._is_bearable(response):
            return response
        sentence = f"markup too complex for a parser, read as plain text: {response.url}"
        if self.crawler.stats.get_value(_STAT):
            logger.info("%s", sentence)
        else:
            self.run.note(sentence)
        self.crawler.stats.inc_value(_STAT)
        text = as_text(response.text.encode("utf-8", "replace"))
        flags = [*response.flags, "unstructured"]
        return response.replace(body=text, encoding="utf-8", flags=flags)

    async def _is_bearable(self, response: HtmlResponse) -> bool:
        # Imported here, since few crawls meet such a page.
        from focuscrawl.pages.page_trial import is_bearable
        from focuscrawl.pages.registered_domains import registered_domain

        domain = registered_domain(urlsplit(response.url).hostname or "")
        if self._unbearable[domain] >= _MOST_TRIALS:
            return False
        try:
            found = await try_in_worker(is_bearable, response.text.encode("utf-8", "replace"))
        except PageLimitError:
            found = False
        except WorkerError as error:
            self.run.fail(error)
            raise IgnoreRequest(str(error)) from None
        self._unbearable[domain] += not found
        return found
