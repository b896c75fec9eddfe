"""From three kinds of keywords to records (Chen Duanbing et al. 2012)."""

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
from focuscrawl.frontier.frontier_entries import KILLER
from focuscrawl.items import GoneRecord, Seed, TemplateRecord, check_code
from focuscrawl.scheduling.request_errback import request_of
from focuscrawl.scheduling.scrapy_engine import is_closing, kills
from focuscrawl.spider_arguments import TemplateArguments, parse_arguments
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
    from focuscrawl.templates.search_engines.search_engine import Engine
    from focuscrawl.templates.template_model import Template

logger = logging.getLogger(__name__)

_LONGEST_NAME = 200
# The name of the walk through the pages of search engines; the others have those of their seeds.
_SEARCH = "search"

Entry = Request | TemplateRecord | GoneRecord | Seed
"""What a callback yields."""


class TemplateSpider(Spider):
    """Searches for sites, chooses among them, follows their links layer by layer, reads records.

    Arguments: see :class:`~focuscrawl.spider_arguments.TemplateArguments`. A run is a window: it adds,
    updates, and marks as gone what it did not meet. A run that was killed is resumed by the next one.

    The search and each site are a :class:`~focuscrawl.crawling.scheduled_walk.ScheduledWalk`, with one
    request at a time, and ``CONCURRENT_REQUESTS`` sites at once. Requests carry the name of their walk.
    """

    name = "template"
    item_class = TemplateRecord
    text_only = True
    window: RunWindow
    # The stores know which seeds are settled; a site that was not is walked from its seed again.
    begins_anew = True
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        # A walk waits for each page that it requests, whatever it is, and the sites of two requests in
        # a row may have nothing to do with one another.
        "HTTPERROR_ALLOW_ALL": True,
        "REFERER_ENABLED": False,
        "SPIDER_MIDDLEWARES": {
            "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
            "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        },
        "AUTOTHROTTLE_START_DELAY": 1.0,
        "RETRY_TIMES": 2,
        # Of many sites some are dead, and each of those takes the place of another site.
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
        engines: list[Engine],
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
        # Results of search engines are none of them.
        self.named_urls = [*(arguments.seeds or ()), *self.fallback_urls]
        self._screen = Screen(template.screening)
        searched = arguments.region or template.search.regions
        self._regions = Regions(searched if arguments.seeds is None else ())
        self._walks: dict[str, ScheduledWalk[Any]] = {}
        # The seeds of the sites that are being crawled.
        self._seeds: dict[str, Seed] = {}
        self._queue: SiteQueue | None = None
        self._sites: SiteCrawl
        self._is_over = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> TemplateSpider:
        """Build the spider; raises a FocuscrawlError before anything is requested."""
        # Here: every crawl loads the modules of all spiders.
        from focuscrawl.crawling.run_window import RunWindow
        from focuscrawl.scoring.keyword_scorer import KeywordScorer
        from focuscrawl.templates.search_engines.search_engine import load_engine
        from focuscrawl.templates.template_loading import load_template

        given = parse_arguments(TemplateArguments, kwargs, cls.name)
        # The defaults of the add-on come after the spider.
        folder = Path(crawler.settings.get("FOCUSCRAWL_TEMPLATES") or "templates")
        engines = Path(crawler.settings.get("FOCUSCRAWL_ENGINES") or "engines")
        template = load_template(given.template, folder)
        names = [] if given.seeds else given.engine or template.search.engines
        seeds_name = _name_of_seeds(str(kwargs.get("seeds")))
        spider = cls(given, template, [load_engine(name, engines) for name in names], seeds_name)
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
        for entry in await self._go_on(_SEARCH):
            yield entry

    async def parse(self, response: Response, walk: str) -> AsyncIterator[Entry]:
        """Hand a page to its walk; yield the next request, or at the end items and other requests."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        for entry in await self._go_on(walk, FetchedPage.from_response(response)):
            yield entry

    async def failed(self, failure: Failure) -> AsyncIterator[Entry]:
        """Tell a walk that it gets no page; but what fails while the crawl is closed says nothing."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        if is_closing(self.crawler) or run.has_failed(self.crawler):
            return
        walk = request_of(failure).cb_kwargs["walk"]
        for entry in await self._go_on(walk, FetchedPage.from_failure(failure)):
            yield entry

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return that the window is over, once all its items are durable."""
        return {self.window.state_key: self.window.state(is_open=False)} if self._is_over else {}

    async def results(self) -> Results:
        """Return the counts of seeds and records."""
        stored = stored_results(self.crawler)
        counts = self._queue.counts if self._queue else Counter[str]()
        run.check_seeds(self.crawler, sum(counts[state] for state in CRAWLED))
        told = ", ".join(f"{counts[state]} {state}" for state in (*CRAWLED, "skipped"))
        lines = [("seeds", f"{counts.total()}: {told}")]
        if engines := ", ".join(dict.fromkeys(self.window.engine_of.values())):
            lines.append(("searched", engines))
        return Results([*lines, *stored.counts], stored.places)

    def closed(self, reason: str) -> None:
        """End the walks that wait for a page; the next run begins them again."""
        for walk in self._walks.values():
            walk.cancel()
        if reason == "finished" and self._seeds:
            run.mark_incomplete(
                self.crawler, f"{len(self._seeds)} sites were not crawled to the end; run again"
            )

    async def _go_on(self, name: str, page: FetchedPage | None = None) -> list[Entry]:
        """Return the next request of a walk, or at its end its items and what follows from it.

        Requests come first, for items wait for the stores. A seed comes last: where a run is killed in
        between, it is crawled again, and what follows from it is decided again.
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
        """Return the first requests of as many sites as there are places, and the skipped seeds."""
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
        """Return the records that are gone, once every seed is settled."""
        if self._seeds or self._is_over or run.has_failed(self.crawler):
            return []
        self._is_over = True
        if self.window.failed_queries:
            # Seeds that were not searched for may still have their records.
            run.note(self.crawler, "not all was searched: what was not met is kept")
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
        """Prepare the crawl of the seeds, which are listed now."""
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
        """Return the outcome of a site; one that breaks the program is no fault of the others."""
        from focuscrawl.crawling.site_crawl import Site

        try:
            return walk.result()
        except Exception as exception:
            error = named(exception)
            if isinstance(error, FocuscrawlError):
                raise error from exception
            logger.exception("%s cannot be crawled: %r", seed, exception)
        self.crawler.stats.inc_value("spider_exceptions/count")
        return Site(seed, [], is_faulty=True)

    def _killed_by(self, request: Request) -> FetchedPage | None:
        """Return the outcome of a page that the frontier leaves out, since it kills the crawler."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        if not kills(self.crawler, request):
            return None
        return FetchedPage(request.url, failure=KILLER.reason, is_fault=True)


def _name_of_seeds(source: str) -> str:
    """Return what tells given seeds from others: the name of their file, if they are in one."""
    return "seeds" if source == "-" or "://" in source else Path(source).stem


def _crawl_name(given: TemplateArguments, template: Template, seeds_name: str) -> str:
    """Return the name by which windows belong together: of what was searched, or of given seeds."""
    if given.name:
        return f"template-{given.name}"
    words = [*(given.region or ()), *(given.entity or ())]
    if given.seeds is not None:
        words = [seeds_name]
    # It names a lock file, too, and few file systems have names of more than 255 bytes.
    name = re.sub(r"[^\w-]", "_", "-".join(["template", template.name, *words]))
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{name.encode()[: _LONGEST_NAME - 33].decode(errors='ignore')}-{check_code(name)}"
