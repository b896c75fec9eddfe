"""Crawl of sites found by a search engine, and the records of a template (Chen Duanbing et al. 2012)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import FocuscrawlError
from focuscrawl.extensions.run_summary import ResultLines, stored_results
from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.items import GoneRecord, Seed, TemplateRecord
from focuscrawl.scheduling.request_errback import request_of
from focuscrawl.scheduling.scrapy_engine import is_closing, kills
from focuscrawl.spider_arguments import TemplateArguments, parse_arguments
from focuscrawl.summary.run_report import Line, NamedCounts
from focuscrawl.system.machine_faults import named
from focuscrawl.system.worker_pool import use_all_cores
from focuscrawl.templates.crawl_windows import CRAWLED
from focuscrawl.templates.template_model import crawl_name, name_of_seeds

if TYPE_CHECKING:
    from focuscrawl.crawling.fetched_page import FetchedPage
    from focuscrawl.crawling.run_window import RunWindow
    from focuscrawl.crawling.scheduled_walk import ScheduledWalk
    from focuscrawl.crawling.site_crawl import CrawledSite, SiteCrawl, SiteQueue
    from focuscrawl.pages.link import LinkScorer
    from focuscrawl.scheduling.crawl_services import CrawlSeeds
    from focuscrawl.templates.search_engines.search_engine import SearchEngine
    from focuscrawl.templates.seed_choice import SeedLine
    from focuscrawl.templates.template_model import Template

logger = logging.getLogger(__name__)

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
    run: RunningCrawl
    argument_model = TemplateArguments
    item_class = TemplateRecord
    text_only = True
    window: RunWindow
    # The stores know which seeds are settled; the others are crawled again from the start.
    discards_frontier = True
    # Several workers of a crawl divide its seeds.
    shares_seeds = True
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
        from focuscrawl.templates.seed_choice import SeedLine

        super().__init__()
        self.arguments = arguments
        self.template = template
        self.crawl_name = crawl_name(arguments, template, seeds_name)
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
        self._shared: CrawlSeeds | None = None
        self._line: SeedLine | CrawlSeeds = SeedLine()
        self._queue: SiteQueue | None = None
        self._sites: SiteCrawl | None = None
        self._has_ended = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> TemplateSpider:
        """Build the spider; raises a FocuscrawlError before any request."""
        # Imported here: every crawl loads the modules of all spiders.
        from focuscrawl.crawling.run_window import RunWindow
        from focuscrawl.scoring.lexicon_scorer import KeywordScorer
        from focuscrawl.templates.search_engines.search_engine import load_search_engine
        from focuscrawl.templates.template_model import load_template

        given = parse_arguments(cls.argument_model, kwargs, cls.name)
        # The add-on sets its defaults after the spider is built.
        folder = Path(crawler.settings.get("FOCUSCRAWL_TEMPLATES") or "templates")
        engines = Path(crawler.settings.get("FOCUSCRAWL_ENGINES") or "engines")
        template = load_template(given.template, folder)
        names = [] if given.seeds else given.engine or template.search.engines
        seeds_name = name_of_seeds(str(kwargs.get("seeds")))
        spider = cls(
            given, template, [load_search_engine(name, engines) for name in names], seeds_name
        )
        if not template.topic:
            spider.link_scorer = KeywordScorer(template.name, spider._screen.keywords)
        spider._set_crawler(crawler)
        spider.run = RunningCrawl.of(crawler)
        spider.window = RunWindow(
            spider.run, spider.crawl_name, given, template.search, spider._engines
        )
        return spider

    async def start(self) -> AsyncIterator[Entry]:
        """Open the window; request the first page of a search engine, or the pages of the first seeds."""
        use_all_cores()
        services = getattr(self.crawler.engine.scheduler, "services", None)
        if services and (shared := services.seeds):
            self._shared = self._line = shared
            async for entry in self._share(shared):
                yield entry
        else:
            for entry in await self._open_window():
                yield entry

    async def _open_window(self) -> list[Entry]:
        from focuscrawl.crawling.scheduled_walk import ScheduledWalk

        await self.window.open()
        self._walks[_SEARCH] = ScheduledWalk(self.window.list_seeds)
        return await self._continue(_SEARCH)

    async def _share(self, shared: CrawlSeeds) -> AsyncIterator[Entry]:
        """Crawl seeds as long as the workers of the crawl have any; as their leader, choose them."""
        is_open = False
        while not (self._has_ended or shared.is_over or is_closing(self.crawler)):
            for url in shared.lost():
                self._seeds.pop(url, None)
                if walk := self._walks.pop(url, None):
                    walk.cancel()
            for entry in await self._take_seeds(shared):
                yield entry
            if shared.is_led and not is_open:
                is_open = True
                for entry in await self._open_window():
                    yield entry
            if self._queue:
                for seed in await shared.ended():
                    self._queue.settle(seed)
                for seed in self._queue.skip():
                    yield seed
                if self._queue.is_finished:
                    await self.window.meet_stored()
                    for record in self._gone():
                        yield record
            await shared.news()

    async def _take_seeds(self, shared: CrawlSeeds) -> list[Entry]:
        """Return the first request of each site of this worker that has a free slot."""
        entries: list[Entry] = []
        is_searching = shared.is_led and self._queue is None
        while self._has_slot and not is_searching and (seed := shared.next()):
            if self._sites is None or seed.window > self.window.window.number:
                await self.window.join(seed.window)
                self._open_sites(self.window.crawled)
            if seed.window < self.window.window.number:
                shared.drop(seed)
            else:
                entries += await self._begin_site(seed)
        return entries

    async def parse(self, response: Response, walk: str) -> AsyncIterator[Entry]:
        """Pass a page to its walk; yield its next request, or at its end items and other requests."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        for entry in await self._continue(walk, FetchedPage.from_response(response)):
            yield entry

    async def failed(self, failure: Failure) -> AsyncIterator[Entry]:
        """Pass a failure to its walk, unless the crawl is being closed."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        if is_closing(self.crawler) or self.run.has_failed:
            return
        walk = request_of(failure).cb_kwargs["walk"]
        for entry in await self._continue(walk, FetchedPage.from_failure(failure)):
            yield entry

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return the state of a window that has ended, which is stored after all its items."""
        return {self.window.state_key: self.window.state(is_open=False)} if self._has_ended else {}

    async def results(self) -> ResultLines:
        """Return the counts of seeds and records."""
        stored = stored_results(self.crawler)
        sites = self.crawler.stats.get_value("focuscrawl/sites", 0)
        own: list[Line | NamedCounts] = [("sites", f"{sites} crawled")] if self._shared else []
        if not self._line.is_led:
            return stored._replace(counts=[*own, *stored.counts])
        counts = self._queue.counts if self._queue else Counter[str]()
        crawled = sum(counts[state] for state in CRAWLED)
        if not self._shared:
            self.run.check_seeds(crawled)
        elif 0 < counts["failed"] == crawled:
            sentence = "no seed could be read; the summaries of the workers say why"
            self.run.mark_incomplete(sentence)
        states = ", ".join(f"{counts[state]} {state}" for state in (*CRAWLED, "skipped"))
        text = f"{counts.total()}: {states}"
        lines = [*own, NamedCounts("seeds", counts, text)]
        if engines := ", ".join(dict.fromkeys(self.window.engine_of.values())):
            lines.append(("searched", engines))
        return stored._replace(counts=[*lines, *stored.counts])

    def closed(self, reason: str) -> None:
        """Cancel the walks that wait for a page; the next run starts them again."""
        for walk in self._walks.values():
            walk.cancel()
        if reason == "finished" and self._walks:
            self.run.mark_incomplete(
                f"{len(self._walks)} sites were not crawled completely; run again"
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
            if self._shared:
                self._shared.notify()
                return entries
            first = await self._next_sites()
            return [*first, *self._gone(), *entries]
        except FocuscrawlError as error:
            self.run.fail(error)
            return []

    async def _advance(self, name: str, page: FetchedPage | None = None) -> list[Entry]:
        """Return the next request of a walk, or at its end its items."""
        walk = self._walks.get(name)
        request = await walk.next(page) if walk else None
        while walk and request is not None and (killer := self._killed_by(request)):
            request = await walk.next(killer)
        if request is not None:
            return [
                request.replace(callback=self.parse, errback=self.failed, cb_kwargs={"walk": name})
            ]
        if walk is None or self._walks.get(name) is not walk:
            # Another worker crawls that site by now.
            return []
        del self._walks[name]
        if name == _SEARCH:
            walk.result()
            self._open_queue()
            return []
        return self._end_site(self._seeds.pop(name), self._site(walk, name))

    def _end_site(self, seed: Seed, site: CrawledSite) -> list[Entry]:
        """Settle a seed; return its records, and after them the seed with its state."""
        from focuscrawl.crawling.site_crawl import site_outcome

        keeps_all = self.template.records == "page"
        records, settled = site_outcome(
            self.crawler, self.window.window, seed, site, keeps_all=keeps_all
        )
        if self._shared:
            self.crawler.stats.inc_value("focuscrawl/sites")
        elif self._queue:
            self._queue.settle(settled, site.arrived)
        return [*records, settled]

    async def _next_sites(self) -> list[Entry]:
        """Return the first request of each site that has a free slot, and the skipped seeds."""
        assert self._queue is not None
        entries: list[Entry] = []
        while True:
            entries += self._queue.skip()
            if not (self._has_slot and (seed := self._line.next())):
                return entries
            entries += await self._begin_site(seed)

    @property
    def _has_slot(self) -> bool:
        return len(self._walks) < max(1, self.settings.getint("CONCURRENT_REQUESTS"))

    async def _begin_site(self, seed: Seed) -> list[Entry]:
        from focuscrawl.crawling.scheduled_walk import ScheduledWalk

        assert self._sites is not None
        self._seeds[seed.url] = seed
        self._walks[seed.url] = ScheduledWalk(partial(self._sites.crawl, seed.url))
        return await self._advance(seed.url)

    def _gone(self) -> list[GoneRecord]:
        """Return the records that no longer exist, once every seed is settled."""
        if self._seeds or self._has_ended or self.run.has_failed:
            return []
        self._has_ended = True
        return self.window.gone()

    def _open_queue(self) -> None:
        """Prepare the crawl of the listed seeds."""
        from focuscrawl.crawling.site_crawl import SiteQueue

        given, window = self.arguments, self.window.window
        self._queue = SiteQueue(
            self.window.seeds,
            window,
            self._line,
            randomness=given.random + window.number - 1,
            crawls_all=given.crawls_all,
            first=self.window.first,
        )
        self._open_sites([seed for seed in self.window.seeds if seed.state in CRAWLED])

    def _open_sites(self, crawled: list[Seed]) -> None:
        from focuscrawl.crawling.site_crawl import SiteCrawl

        number = self.window.window.number
        self._sites = SiteCrawl(
            self.crawler, self.template, self._screen, self._regions, self.crawl_name, number
        )
        self._sites.resume(crawled, self.window.done)

    def _site(self, walk: ScheduledWalk[CrawledSite], seed: str) -> CrawledSite:
        """Return the outcome of a site; an exception is logged and does not affect other sites."""
        from focuscrawl.crawling.site_crawl import CrawledSite

        try:
            return walk.result()
        except Exception as exception:
            error = named(exception)
            if isinstance(error, FocuscrawlError):
                raise error from exception
            logger.exception("error while crawling %s: %r", seed, exception)
        self.crawler.stats.inc_value("spider_exceptions/count")
        return CrawledSite(seed, [], is_faulty=True)

    def _killed_by(self, request: Request) -> FetchedPage | None:
        """Return the failure of a page that the frontier leaves out, since it kills the crawler."""
        from focuscrawl.crawling.fetched_page import FetchedPage

        if not kills(self.crawler, request):
            return None
        return FetchedPage(request.url, failure=FATAL.reason, is_fault=True)
