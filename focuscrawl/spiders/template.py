"""From three kinds of keywords to records (Chen Duanbing et al. 2012)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Spider
from scrapy.crawler import Crawler

from focuscrawl import crawl_run as run
from focuscrawl.errors import EngineError, FocuscrawlError
from focuscrawl.extensions.run_summary import Results, stored_results
from focuscrawl.items import GoneRecord, Seed, SeedState, TemplateRecord, check_code
from focuscrawl.spider_arguments import TemplateArguments, parse_arguments
from focuscrawl.system.machine_faults import named
from focuscrawl.system.worker_pool import use_all_cores

if TYPE_CHECKING:
    from focuscrawl.crawling.crawl_end import StartItems
    from focuscrawl.crawling.site_crawl import Site
    from focuscrawl.pages.link import LinkScorer
    from focuscrawl.templates.search_engines.search_engine import Engine
    from focuscrawl.templates.seed_choice import SeedChoice
    from focuscrawl.templates.seed_queue import SeedLine
    from focuscrawl.templates.template_model import Template

logger = logging.getLogger(__name__)

# A window that was cut short longer ago is begun anew: half of it would be old.
_LONGEST_WINDOW = timedelta(days=7)
_LONGEST_NAME = 200
_CRAWLED = ("useful", "useless", "failed")
_STATES = (*_CRAWLED, "skipped")


class TemplateSpider(Spider):
    """Searches for sites, chooses among them, follows their links layer by layer, reads records.

    Arguments: see :class:`~focuscrawl.spider_arguments.TemplateArguments`. A run is a window: it adds, updates,
    and marks as gone what it did not meet. A run that was killed is taken up where it was.
    """

    name = "template"
    item_class = TemplateRecord
    text_only = True
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "AUTOTHROTTLE_START_DELAY": 1.0,
        "RETRY_TIMES": 2,
        # Of many sites some are dead, and each of those holds up a place in the row of sites.
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
        self._engine_of: dict[str, str] = {}
        self._first: dict[str, list[str]] = {}
        self._failed_queries: list[str] = []
        # Signals keep no reference.
        self._start_items: StartItems | None = None
        self._is_listed = False
        self._is_over = False
        self._counts: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> TemplateSpider:
        """Build the spider; raises a FocuscrawlError before anything is asked for."""
        # Here: every crawl loads the modules of all spiders.
        from focuscrawl.crawling.crawl_end import StartItems
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
        spider._start_items = StartItems(crawler)
        return spider

    async def start(self) -> AsyncIterator[TemplateRecord | GoneRecord | Seed]:
        """List the seeds, crawl the chosen ones, and tell what is gone."""
        from focuscrawl.crawling.crawl_end import is_closing

        try:
            await self._begin()
            await self._list_seeds()
            async with aclosing(self._crawled()) as crawled:
                async for item in crawled:
                    if is_closing(self.crawler):
                        return
                    yield item
        except FocuscrawlError as error:
            run.fail(self.crawler, error)
        if is_closing(self.crawler) or run.has_failed(self.crawler):
            # Seeds that were never asked for are no word on what is gone.
            return
        if self._failed_queries:
            run.note(self.crawler, "not all was searched: what was not met is kept")
        else:
            for record in self._window.gone():
                if is_closing(self.crawler):
                    return
                yield GoneRecord(
                    crawl=record.crawl,
                    url=record.url,
                    gone_at=datetime.now(UTC),
                    is_erased=self.arguments.hard_delete,
                )
        self._is_over = True

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return that the window is over, once all its items are durable."""
        return {self._state_key: self._state(is_open=False)} if self._is_over else {}

    async def results(self) -> Results:
        """Return what came of the run."""
        stored = stored_results(self.crawler)
        counts = self._counts
        run.check_seeds(self.crawler, sum(counts[state] for state in _CRAWLED))
        told = ", ".join(f"{counts[state]} {state}" for state in _STATES)
        lines = [("seeds", f"{counts.total()}: {told}")]
        if engines := ", ".join(dict.fromkeys(self._engine_of.values())):
            lines.append(("searched", engines))
        return Results([*lines, *stored.counts], stored.places)

    async def _begin(self) -> None:
        """Take up the window that was cut short, or open the next one."""
        from focuscrawl.templates.crawl_windows import Window
        from focuscrawl.templates.seed_search import SeedLists

        use_all_cores()
        archive = run.archive_of(self.crawler)
        self._last = await archive.get_state(self._state_key) or {}
        known = await archive.template_records(self.crawl_name)
        seeds = await archive.seeds(self.crawl_name)
        windows = [*(record.window for record in known), *(seed.window for seed in seeds)]
        last = max(windows, default=0)
        self._begun = datetime.now(UTC)
        self._resumes = _is_cut_short(self._last, self._begun)
        number = max(last, self._last.get("window", 0)) + (not self._resumes)
        self._before = {seed.url: seed for seed in seeds}
        if self._resumes:
            self._begun = datetime.fromisoformat(self._last["begun"])
            self._is_listed = self._last["is_listed"]
            self._engine_of = self._last["engines"]
            self._failed_queries = self._last["failed_queries"]
            run.note(self.crawler, f"window {number}, which was cut short, was taken up")
        self._first = self._first_in_line(number)
        self._window = Window(number, known)
        self._seeds = SeedLists(self.crawl_name, number)
        self._done = [record for record in known if record.window == number]
        await archive.set_state(self._state_key, self._state(is_open=True))

    def _first_in_line(self, number: int) -> dict[str, list[str]]:
        """Return title and query of the seeds that earlier windows put off, by URL."""
        first: dict[str, list[str]] = dict(self._last.get("first", {}))
        if self._resumes:
            # The store knows of them as listed again.
            return first
        for url, seed in self._before.items():
            if seed.window == number - 1 and seed.state == "skipped":
                first[url] = [seed.title, seed.query]
            elif seed.window == number - 1 and seed.state in _CRAWLED:
                first.pop(url, None)
        return first

    async def _list_seeds(self) -> None:
        """Fill the lists of seeds; they are durable when it is said that they are whole."""
        from focuscrawl.crawling.seed_searcher import Searcher
        from focuscrawl.templates.seed_search import GIVEN, queries

        given, search = self.arguments, self.template.search
        number = self._window.number
        known = [seed for seed in self._before.values() if seed.window == number]
        if given.seeds is not None:
            # The user may have cut the window short to give others.
            self._add(GIVEN, GIVEN, [(url, "") for url in given.seeds])
            self._seeds.take_states(known)
        elif self._is_listed:
            self._seeds.take_up(known)
            return
        else:
            searcher = Searcher(self.crawler, self._engines, given.pages or search.pages)
            searched = {seed.query for seed in self._before.values()}
            for query in queries(search, given.region, given.entity):
                found = await searcher.search(query, found_some=query in searched)
                self._engine_of[query] = found.engine
                self._add(query, found.engine, found.results)
                if not found.is_whole:
                    self._failed_queries.append(query)
            self._add_unmet()
            self._say_what_failed()
        archive = run.archive_of(self.crawler)
        await asyncio.gather(*(archive.write(seed) for seed in self._seeds))
        self._is_listed = True
        await archive.set_state(self._state_key, self._state(is_open=True))

    def _say_what_failed(self) -> None:
        if not self._failed_queries:
            return
        error = EngineError(
            f"no search engine gave all results for {self._failed_queries[0]!r}; "
            "see the notes, or give -a seeds=file.txt"
        )
        if not any(self._seeds):
            raise error
        run.remember(self.crawler, error)

    def _add(self, query: str, engine: str, found: list[tuple[str, str]]) -> None:
        first = [(url, title) for url, (title, of) in self._first.items() if of == query]
        for listed in (first, found):
            self._seeds.add(query, engine, listed, datetime.now(UTC))

    def _add_unmet(self) -> None:
        """Another engine lists other sites: what the last one had listed is looked at all the same."""
        for url in self._window.unmet_seeds(self._seeds.by_url):
            seed = self._before.get(url)
            if seed and self._engine_of.get(seed.query, seed.engine) != seed.engine:
                listed = [(url, seed.title)]
                self._seeds.add(seed.query, seed.engine, listed, datetime.now(UTC))

    async def _crawled(self) -> AsyncGenerator[TemplateRecord | Seed, None]:
        """Crawl the chosen seeds, several sites at a time; yield records, and after them their seed."""
        from focuscrawl.crawling.site_crawl import SiteCrawl
        from focuscrawl.templates.seed_queue import SeedLine

        waiting = SeedLine()
        tasks: dict[asyncio.Task[Site], Seed] = {}
        choices = self._choices()
        sites = SiteCrawl(
            self.crawler, self.template, self._screen, self._regions,
            self.crawl_name, self._window.number,
        )  # fmt: skip
        sites.take_up([seed for seed in self._seeds if seed.state in _CRAWLED], self._done)
        try:
            while True:
                for choice in choices.values():
                    for seed in self._decided(choice, waiting):
                        yield seed
                while len(tasks) < self._sites_at_once and (following := waiting.next()):
                    tasks[asyncio.create_task(sites.crawl(following.url))] = following
                if not tasks or run.has_failed(self.crawler):
                    return
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    seed = tasks.pop(task)
                    waiting.done(seed)
                    seed, records = self._settled(seed, self._site(task, seed.url))
                    choices[seed.query].settle(seed.url, seed.state == "useful")
                    for record in records:
                        yield record
                    yield seed
        finally:
            for task in tasks:
                task.cancel()

    def _site(self, task: asyncio.Task[Site], seed: str) -> Site:
        """Return what came of a site; one that breaks the program is none of the others' fault."""
        from focuscrawl.crawling.site_crawl import Site

        error = named(task.exception())
        if error is None:
            return task.result()
        if isinstance(error, FocuscrawlError):
            raise error
        logger.error("%s cannot be crawled: %r", seed, error, exc_info=error)
        self.crawler.stats.inc_value("spider_exceptions/count")
        return Site(seed, [], is_faulty=True)

    def _settled(self, seed: Seed, site: Site) -> tuple[Seed, list[TemplateRecord]]:
        """Settle a seed: where a page did not answer, what is known of its site stays as it is."""
        records = site.records
        state: SeedState = "useful" if records or site.is_repeat else "useless"
        urls = {record.url for record in records}
        if site.is_faulty and (not records or self._window.misses(seed.url, site.arrived, urls)):
            state = "failed"
            # What is read in the place of a contact page that does not answer is no news of it.
            records = records if self.template.records == "page" else []
            run.seed_failed(self.crawler, seed.url, site.failure or "a page of the site failed")
        seed = replace(seed, state=state, listed_at=datetime.now(UTC))
        self._settle(seed, site.arrived)
        self._window.meet(record.url for record in records)
        self.crawler.stats.inc_value("focuscrawl/pages/relevant", len(records))
        return seed, records

    def _choices(self) -> dict[str, SeedChoice]:
        """Return the choice of each list; what an interrupted run has settled is settled."""
        from focuscrawl.templates.seed_choice import SeedChoice

        given, randomness = self.arguments, self.arguments.random + self._window.number - 1
        choices = {
            query: SeedChoice([s.url for s in seeds], randomness, given.crawls_all, self._first)
            for query, seeds in self._seeds.lists.items()
        }
        for seed in self._seeds:
            if seed.state in _CRAWLED:
                self._settle(seed)
                choices[seed.query].settle(seed.url, seed.state == "useful")
        return choices

    def _decided(self, choice: SeedChoice, waiting: SeedLine) -> Iterator[Seed]:
        """Put the chosen seeds in line; yield those that are skipped."""
        for decision in choice.ready():
            seed = self._seeds.by_url[decision.url]
            if decision.is_chosen:
                waiting.add(seed)
            else:
                skipped = replace(seed, state="skipped", listed_at=datetime.now(UTC))
                self._settle(skipped)
                yield skipped

    def _settle(self, seed: Seed, arrived: str = "") -> None:
        self._counts[seed.state] += 1
        self._window.settle(seed, arrived)

    def _state(self, *, is_open: bool) -> dict[str, Any]:
        return {
            "window": self._window.number,
            "is_open": is_open,
            "is_listed": self._is_listed,
            "begun": self._begun.isoformat(),
            "engines": self._engine_of,
            "failed_queries": self._failed_queries,
            "first": self._first,
        }

    @property
    def _state_key(self) -> str:
        return f"window {self.crawl_name}"

    @property
    def _sites_at_once(self) -> int:
        return max(1, self.settings.getint("CONCURRENT_REQUESTS"))


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


def _is_cut_short(state: dict[str, Any], now: datetime) -> bool:
    if not state.get("is_open"):
        return False
    return now - datetime.fromisoformat(state["begun"]) < _LONGEST_WINDOW
