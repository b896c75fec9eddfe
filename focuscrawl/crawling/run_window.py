"""Window of a run of the template spider: its number, seeds and progress."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.scheduled_walk import Fetch
from focuscrawl.errors import SearchEngineError
from focuscrawl.items import GoneRecord, Seed, TemplateRecord
from focuscrawl.templates.crawl_windows import CRAWLED, Window
from focuscrawl.templates.seed_search import GIVEN, SeedLists, queries

if TYPE_CHECKING:
    from focuscrawl.crawling.scheduled_walk import Fetch
    from focuscrawl.spider_arguments import TemplateArguments
    from focuscrawl.templates.search_engines.search_engine import SearchEngine
    from focuscrawl.templates.template_model import Search


# Search for seeds: one search engine after another, until one returns all results.

_FINDS_NOTHING = (
    "search engine {} finds nothing, although sites were found before; try again later, or use "
    "another engine"
)


class QueryResults(NamedTuple):
    """Results of a query, pairs of URL and title; ``is_whole`` if the last engine returned all of them."""

    engine: str
    results: list[tuple[str, str]]
    is_whole: bool


class Searcher:
    """Queries search engines in order; one that fails becomes the last."""

    def __init__(
        self, run: RunningCrawl, fetch: Fetch, engines: Sequence[SearchEngine], pages: int
    ) -> None:
        self._run = run
        self._fetch = fetch
        self._engines = list(engines)
        self._pages = pages

    async def search(self, query: str, *, found_some: bool = False) -> QueryResults:
        """Return the results of a query from at most ``pages`` result pages; note failed engines.

        An engine that finds nothing fails as well if the last window ``found_some``.
        """
        found: list[tuple[str, str]] = []
        name = ""
        for engine in list(self._engines):
            name, before = engine.name, len(found)
            try:
                async for result in self._results(engine, query):
                    found.append(result)  # noqa: PERF401 - what came before an error counts
                if found_some and len(found) == before:
                    raise SearchEngineError(_FINDS_NOTHING.format(name))
            except SearchEngineError as error:
                self._run.note(f"{error}; query {query!r}")
                self._engines = [*(e for e in self._engines if e is not engine), engine]
            else:
                return QueryResults(name, found, True)
        return QueryResults(name, found, False)

    async def _results(self, engine: SearchEngine, query: str) -> AsyncIterator[tuple[str, str]]:
        for url in islice(engine.pages(query), self._pages):
            fetched = await self._fetch(url, takes_json=True)
            if fetched.failure:
                raise SearchEngineError(_failure_message(engine.name, fetched.failure))
            page = engine.read(fetched.text, fetched.url)
            for result in page.results:
                yield result.url or await self._target(result.href), result.title
            if page.is_last or not page.results:
                return

    async def _target(self, href: str) -> str:
        """Return the target of a redirect of an engine, without requesting it."""
        from focuscrawl.templates.search_engines.search_engine import scripted_target

        page = await self._fetch(href, dont_redirect=True)
        return page.location or scripted_target(page.text) or href


def _failure_message(name: str, failure: str) -> str:
    if failure == "robots.txt":
        return (
            f"search engine {name} forbids crawlers by robots.txt: use a SearXNG of your own, give "
            "-a seeds=file.txt, or, with its permission, -s ROBOTSTXT_OBEY=False"
        )
    return f"search engine {name} does not respond ({failure})"


# An older interrupted window is not resumed: half of its records would be outdated.
_LONGEST_WINDOW = timedelta(days=7)


class RunWindow:
    """Opens the next window of a crawl, or resumes an interrupted one, and lists its seeds.

    ``first`` has title and query, by URL, of the seeds that earlier windows skipped: they come first.
    ``engine_of`` has the search engine of each query.
    """

    def __init__(
        self,
        run: RunningCrawl,
        crawl_name: str,
        arguments: TemplateArguments,
        search: Search,
        engines: Sequence[SearchEngine],
    ) -> None:
        self._run = run
        self._crawl_name = crawl_name
        self._arguments = arguments
        self._search = search
        self._engines = engines
        self._is_listed = False
        self.resumes = False
        self.engine_of: dict[str, str] = {}
        self.failed_queries: list[str] = []
        self.first: dict[str, list[str]] = {}

    async def open(self) -> None:
        """Load the results of earlier windows from the stores, and store that this one is open."""
        archive = self._run.archive
        last = await archive.get_state(self.state_key) or {}
        known, seeds = await self._stored()
        windows = [*(record.window for record in known), *(seed.window for seed in seeds)]
        self._begun = datetime.now(UTC)
        self.resumes = _is_interrupted(last, self._begun)
        number = max(windows, default=0)
        number = max(number, last.get("window", 0)) + (not self.resumes)
        if self.resumes:
            self._begun = datetime.fromisoformat(last["begun"])
            self._is_listed = last["is_listed"]
            self.engine_of = last["engines"]
            self.failed_queries = last["failed_queries"]
            self._run.note(f"resumed window {number}, which was interrupted")
        self.first = self._skipped_before(number, last)
        self._begin(number, known)
        await archive.set_state(self.state_key, self.state(is_open=True))

    async def join(self, number: int) -> None:
        """Load what a worker needs to crawl seeds of window ``number``, which another one has opened.

        The number is that of a later window if one is open.
        """
        last = await self._run.archive.get_state(self.state_key) or {}
        known, _ = await self._stored()
        self._begin(max(number, last.get("window", 0)), known)

    async def meet_stored(self) -> None:
        """Record what the stores have of this window, once the workers have crawled all seeds.

        A seed that is not stored counts as failed: its records are on the machine of its worker.
        """
        known, _ = await self._stored()
        self.window.meet(record.url for record in known if record.window == self.window.number)
        stored = {seed.url for seed in self.crawled}
        for seed in self.seeds:
            if seed.state in CRAWLED and seed.url not in stored:
                self.window.settle(replace(seed, state="failed"))
                self._run.mark_incomplete(
                    "records of some sites are not in the stores, but on the machine of a worker; start "
                    "a crawl there to have them written",
                )

    def gone(self) -> list[GoneRecord]:
        """Return the records that no longer exist, once every seed is settled."""
        if self.failed_queries:
            # Seeds of a failed query may still have their records.
            self._run.note("some queries failed, so no record is marked as gone")
            return []
        return [
            GoneRecord(
                crawl=record.crawl,
                url=record.url,
                gone_at=datetime.now(UTC),
                is_erased=self._arguments.hard_delete,
            )
            for record in self.window.gone()
        ]

    async def list_seeds(self, fetch: Fetch) -> None:
        """Fill the lists of seeds; they are durable before the state says that they are complete.

        Raises SearchEngineError if no search engine returned any seed.
        """
        given, number = self._arguments, self.window.number
        known = [seed for seed in self._before.values() if seed.window == number]
        if given.seeds is not None:
            # The user may have interrupted the window to give others.
            self._add(GIVEN, GIVEN, [(url, "") for url in given.seeds])
            self.seeds.take_states(known)
        elif self._is_listed:
            self.seeds.resume(known)
            return
        else:
            await self._search_seeds(fetch)
            self._add_unlisted()
            self._report_failed_queries()
        archive = self._run.archive
        # Other workers may be storing the states of those that were listed before.
        places = {(seed.url, seed.query, seed.rank) for seed in known}
        await asyncio.gather(
            *(
                archive.write(seed)
                for seed in self.seeds
                if (seed.url, seed.query, seed.rank) not in places
            )
        )
        self._is_listed = True
        await archive.set_state(self.state_key, self.state(is_open=True))

    def state(self, *, is_open: bool) -> dict[str, Any]:
        """Return the JSON object from which the next run resumes the window."""
        return {
            "window": self.window.number,
            "is_open": is_open,
            "is_listed": self._is_listed,
            "begun": self._begun.isoformat(),
            "engines": self.engine_of,
            "failed_queries": self.failed_queries,
            "first": self.first,
        }

    @property
    def crawled(self) -> list[Seed]:
        """The seeds that were crawled in this window before it was opened here."""
        number = self.window.number
        return [
            seed
            for seed in self._before.values()
            if seed.window == number and seed.state in CRAWLED
        ]

    @property
    def state_key(self) -> str:
        """The key of the state in the stores."""
        return f"window {self._crawl_name}"

    async def _stored(self) -> tuple[list[TemplateRecord], list[Seed]]:
        """Return the records of earlier windows, and the seeds."""
        archive = self._run.archive
        known = await archive.template_records(self._crawl_name)
        seeds = await archive.seeds(self._crawl_name)
        self._before = {seed.url: seed for seed in seeds}
        return known, seeds

    def _begin(self, number: int, known: list[TemplateRecord]) -> None:
        self.window = Window(number, known)
        self.seeds = SeedLists(self._crawl_name, number)
        self.done = [record for record in known if record.window == number]

    def _skipped_before(self, number: int, last: dict[str, Any]) -> dict[str, list[str]]:
        first: dict[str, list[str]] = dict(last.get("first", {}))
        if self.resumes:
            # In the store they are marked as listed by this window.
            return first
        for url, seed in self._before.items():
            if seed.window == number - 1 and seed.state == "skipped":
                first[url] = [seed.title, seed.query]
            elif seed.window == number - 1 and seed.state in CRAWLED:
                first.pop(url, None)
        return first

    async def _search_seeds(self, fetch: Fetch) -> None:
        from focuscrawl.crawling.run_window import Searcher

        given, pages = self._arguments, self._arguments.pages or self._search.pages
        searcher = Searcher(self._run, fetch, self._engines, pages)
        searched = {seed.query for seed in self._before.values()}
        for query in queries(self._search, given.region, given.entity):
            found = await searcher.search(query, found_some=query in searched)
            self.engine_of[query] = found.engine
            self._add(query, found.engine, found.results)
            if not found.is_whole:
                self.failed_queries.append(query)

    def _report_failed_queries(self) -> None:
        if not self.failed_queries:
            return
        error = SearchEngineError(
            f"no search engine returned all results for {self.failed_queries[0]!r}; "
            "see the notes, or give -a seeds=file.txt"
        )
        if not any(self.seeds):
            raise error
        self._run.remember(error)

    def _add(self, query: str, engine: str, found: list[tuple[str, str]]) -> None:
        first = [(url, title) for url, (title, of) in self.first.items() if of == query]
        for listed in (first, found):
            self.seeds.add(query, engine, listed, datetime.now(UTC))

    def _add_unlisted(self) -> None:
        """Add the seeds of known records that only the search engine of the last window listed."""
        for url in self.window.unmet_seeds(self.seeds.by_url):
            seed = self._before.get(url)
            if seed and self.engine_of.get(seed.query, seed.engine) != seed.engine:
                self.seeds.add(seed.query, seed.engine, [(url, seed.title)], datetime.now(UTC))


def _is_interrupted(state: dict[str, Any], now: datetime) -> bool:
    if not state.get("is_open"):
        return False
    return now - datetime.fromisoformat(state["begun"]) < _LONGEST_WINDOW
