"""Crawl of sites found by a search engine, and the records of a template (Chen Duanbing et al. 2012)."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from focuscrawl import crawl_run as run
from focuscrawl.errors import FocuscrawlError
from focuscrawl.extensions.run_summary import Results, stored_results
from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.items import GoneRecord, Seed, TemplateRecord, check_code
from focuscrawl.scheduling.request_errback import request_of
from focuscrawl.scheduling.scrapy_engine import is_closing, kills
from focuscrawl.spider_arguments import TemplateArguments, parse_arguments
from focuscrawl.summary.run_report import Counts, Line
from focuscrawl.system.machine_faults import named
from focuscrawl.system.worker_pool import use_all_cores
from focuscrawl.templates.crawl_windows import CRAWLED

if TYPE_CHECKING:
    from focuscrawl.crawling.fetched_page import FetchedPage
    from focuscrawl.crawling.run_window import RunWindow
    from focuscrawl.crawling.scheduled_walk import ScheduledWalk
    from focuscrawl.crawling.site_crawl import Site, SiteCrawl
    from focuscrawl.crawling.site_queue import SiteQueue
    from focuscrawl.pages.link import LinkScorer
    from focuscrawl.templates.search_engines.search_engine import SearchEngine
    from focuscrawl.templates.template_model import Template

logger = logging.getLogger(__name__)

_LONGEST_NAME = 200
# The name of the walk through the pages of search engines; the others have those of their seeds.
_SEARCH = "search"

Entry = Request | TemplateRecord | GoneRecord | Seed
"""Output of a callback."""


class TemplateSpider(Spider):
    """Searches for sites, chooses among them, follows their links layer by layer, extracts records.

    Arguments: see :class:`~focuscrawl.spider_arguments.TemplateArguments`. A run is a window: it adds and
    updates records, and marks those that it did not find as gone. The next run resumes a killed one.

    The search and each site are a :class:`~focuscrawl.crawling.scheduled_walk.ScheduledWalk`, with one
    request at a time, on ``CONCURRENT_REQUESTS`` sites concurrently. Requests have the name of their walk.
    """

    name = "template"
    argument_model = TemplateArguments
    item_class = TemplateRecord
    text_only = True
    window: RunWindow
    # The stores know which seeds are settled; the others are crawled again from the start.
    discards_frontier = True
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        # A walk waits for the response to each of its requests, whatever its status, and the sites of
        # two consecutive requests may be unrelated.
        "HTTPERROR_ALLOW_ALL": True,
        "REFERER_ENABLED": False,
        "SPIDER_MIDDLEWARES": {
            "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
            "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        },
        "AUTOTHROTTLE_START_DELAY": 1.0,
        "RETRY_TIMES": 2,
        # Of many sites some are dead, and each of those occupies the slot of another site.
        "DOWNLOAD_TIMEOUT": 30,
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/xhtml+xml;q=0.9,application/json;q=0.5",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
        },
    }

    def __init__(
        self,
        arguments: TemplateArguments,
        template: Template,
        engines: list[SearchEngine],
        seeds_name: str = "seeds",
    ) -> None:
        from focuscrawl.templates.link_screening import Screen
        from focuscrawl.templates.searched_regions import Regions

        super().__init__()
        self.arguments = arguments
        self.template = template
        self.crawl_name = _crawl_name(arguments, template, seeds_name)
        self.link_topic = template.topic
        self.link_scorer: LinkScorer | None = None
        self._engines = engines
        self.fallback_urls = [next(one.pages("")) for one in engines]
        # Search results are not named by the user.
        self.named_urls = [*(arguments.seeds or ()), *self.fallback_urls]
        self._screen = Screen(template.screening)
        searched = arguments.region or template.search.regions
        self._regions = Regions(searched if arguments.seeds is None else ())
        self._walks: dict[str, ScheduledWalk[Any]] = {}
        # The seeds of the sites that are being crawled.
        self._seeds: dict[str, Seed] = {}
        self._queue: SiteQueue | None = None
        self._sites: SiteCrawl
        self._has_ended = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> TemplateSpider:
        """Build the spider; raises a FocuscrawlError before any request."""
        # Imported here: every crawl loads the modules of all spiders.
        from focuscrawl.crawling.run_window import RunWindow
        from focuscrawl.scoring.keyword_scorer import KeywordScorer
        from focuscrawl.templates.search_engines.search_engine import load_search_engine
        from focuscrawl.templates.template_loading import load_template

        given = parse_arguments(cls.argument_model, kwargs, cls.name)
        # The add-on sets its defaults after the spider is built.
        folder = Path(crawler.settings.get("FOCUSCRAWL_TEMPLATES") or "templates")
        engines = Path(crawler.settings.get("FOCUSCRAWL_ENGINES") or "engines")
        template = load_template(given.template, folder)
        names = [] if given.seeds else given.engine or template.search.engines
        seeds_name = _name_of_seeds(str(kwargs.get("seeds")))
        spider = cls(
            given, template, [load_search_engine(name, engines) for name in names], seeds_name
        )
        if not template.topic:
            spider.link_scorer = KeywordScorer(template.name, spider._screen.keywords)
        spider._set_crawler(crawler)
        spider.window = RunWindow(
            crawler, spider.crawl_name, given, template.search, spider._engines
        )
        return spider

    async def start(self) -> AsyncIterator[Entry]:
        """Open the window; request the first page of a search engine, or the pages of the first seeds."""
        from focuscrawl.crawling.scheduled_walk import ScheduledWalk

        use_all_cores()
        try:
            await self.window.open()
        except FocuscrawlError as error:
            run.fail(self.crawler, error)
            return
        self._walks[_SEARCH] = ScheduledWalk(self.window.list_seeds)
        for entry in await self._continue(_SEARCH):
            yield entry

    async def parse(self, response: Response, walk: str) -> AsyncIterator[Entry]:
        """Pass a page to its walk; yield its next request, or at its end items and other requests."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        for entry in await self._continue(walk, FetchedPage.from_response(response)):
            yield entry

    async def failed(self, failure: Failure) -> AsyncIterator[Entry]:
        """Pass a failure to its walk, unless the crawl is being closed."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        if is_closing(self.crawler) or run.has_failed(self.crawler):
            return
        walk = request_of(failure).cb_kwargs["walk"]
        for entry in await self._continue(walk, FetchedPage.from_failure(failure)):
            yield entry

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return the state of a window that has ended, which is stored after all its items."""
        return {self.window.state_key: self.window.state(is_open=False)} if self._has_ended else {}

    async def results(self) -> Results:
        """Return the counts of seeds and records."""
        stored = stored_results(self.crawler)
        counts = self._queue.counts if self._queue else Counter[str]()
        run.check_seeds(self.crawler, sum(counts[state] for state in CRAWLED))
        states = ", ".join(f"{counts[state]} {state}" for state in (*CRAWLED, "skipped"))
        text = f"{counts.total()}: {states}"
        lines: list[Line | Counts] = [Counts("seeds", counts, text)]
        if engines := ", ".join(dict.fromkeys(self.window.engine_of.values())):
            lines.append(("searched", engines))
        return stored._replace(counts=[*lines, *stored.counts])

    def closed(self, reason: str) -> None:
        """Cancel the walks that wait for a page; the next run starts them again."""
        for walk in self._walks.values():
            walk.cancel()
        if reason == "finished" and self._walks:
            run.mark_incomplete(
                self.crawler, f"{len(self._walks)} sites were not crawled completely; run again"
            )

    async def _continue(self, name: str, page: FetchedPage | None = None) -> list[Entry]:
        """Return the next request of a walk, or at its end its items and the requests of other walks.

        Requests come first, since items wait for the stores. A seed comes last: if the run is killed in
        between, it is crawled again, and the seeds after it are chosen again.
        """
        try:
            entries = await self._advance(name, page)
            if name in self._walks:
                return entries
            first = await self._next_sites()
            return [*first, *self._gone(), *entries]
        except FocuscrawlError as error:
            run.fail(self.crawler, error)
            return []

    async def _advance(self, name: str, page: FetchedPage | None = None) -> list[Entry]:
        """Return the next request of a walk, or at its end its items."""
        walk = self._walks[name]
        request = await walk.next(page)
        while request is not None and (killer := self._killed_by(request)):
            request = await walk.next(killer)
        if request is not None:
            return [
                request.replace(callback=self.parse, errback=self.failed, cb_kwargs={"walk": name})
            ]
        del self._walks[name]
        if name == _SEARCH:
            walk.result()
            self._open_queue()
            return []
        assert self._queue is not None
        keeps_all = self.template.records == "page"
        items = self._queue.settle(self._seeds[name], self._site(walk, name), keeps_all=keeps_all)
        del self._seeds[name]
        return [*items]

    async def _next_sites(self) -> list[Entry]:
        """Return the first request of each site that has a free slot, and the skipped seeds."""
        from focuscrawl.crawling.scheduled_walk import ScheduledWalk

        assert self._queue is not None
        most = max(1, self.settings.getint("CONCURRENT_REQUESTS"))
        entries: list[Entry] = []
        while True:
            entries += self._queue.skip()
            if len(self._walks) >= most or not (seed := self._queue.next()):
                return entries
            self._seeds[seed.url] = seed
            self._walks[seed.url] = ScheduledWalk(partial(self._sites.crawl, seed.url))
            entries += await self._advance(seed.url)

    def _gone(self) -> list[GoneRecord]:
        """Return the records that no longer exist, once every seed is settled."""
        if self._seeds or self._has_ended or run.has_failed(self.crawler):
            return []
        self._has_ended = True
        if self.window.failed_queries:
            # Seeds of a failed query may still have their records.
            run.note(self.crawler, "some queries failed, so no record is marked as gone")
            return []
        return [
            GoneRecord(
                crawl=record.crawl,
                url=record.url,
                gone_at=datetime.now(UTC),
                is_erased=self.arguments.hard_delete,
            )
            for record in self.window.window.gone()
        ]

    def _open_queue(self) -> None:
        """Prepare the crawl of the listed seeds."""
        from focuscrawl.crawling.site_crawl import SiteCrawl
        from focuscrawl.crawling.site_queue import SiteQueue

        given, window = self.arguments, self.window.window
        self._queue = SiteQueue(
            self.crawler,
            self.window.seeds,
            window,
            randomness=given.random + window.number - 1,
            crawls_all=given.crawls_all,
            first=self.window.first,
        )
        self._sites = SiteCrawl(
            self.crawler, self.template, self._screen, self._regions, self.crawl_name, window.number
        )
        crawled = [seed for seed in self.window.seeds if seed.state in CRAWLED]
        self._sites.resume(crawled, self.window.done)

    def _site(self, walk: ScheduledWalk[Site], seed: str) -> Site:
        """Return the outcome of a site; an exception is logged and does not affect other sites."""
        from focuscrawl.crawling.site_crawl import Site

        try:
            return walk.result()
        except Exception as exception:
            error = named(exception)
            if isinstance(error, FocuscrawlError):
                raise error from exception
            logger.exception("error while crawling %s: %r", seed, exception)
        self.crawler.stats.inc_value("spider_exceptions/count")
        return Site(seed, [], is_faulty=True)

    def _killed_by(self, request: Request) -> FetchedPage | None:
        """Return the failure of a page that the frontier leaves out, since it kills the crawler."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        if not kills(self.crawler, request):
            return None
        return FetchedPage(request.url, failure=FATAL.reason, is_fault=True)


def _name_of_seeds(source: str) -> str:
    """Return a name for given seeds: that of their file, if they are in one."""
    return "seeds" if source == "-" or "://" in source else Path(source).stem


def _crawl_name(given: TemplateArguments, template: Template, seeds_name: str) -> str:
    """Return the name that the windows of a crawl share, from the searched words or the given seeds."""
    if given.name:
        return f"template-{given.name}"
    words = [*(given.region or ()), *(given.entity or ())]
    if given.seeds is not None:
        words = [seeds_name]
    # A lock file has this name, too, and most file systems limit names to 255 bytes.
    name = re.sub(r"[^\w-]", "_", "-".join(["template", template.name, *words]))
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{name.encode()[: _LONGEST_NAME - 33].decode(errors='ignore')}-{check_code(name)}"
