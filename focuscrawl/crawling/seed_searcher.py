"""Search for seeds: one search engine after another, until one returns all results."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from scrapy.crawler import Crawler

from focuscrawl.crawl_run import note
from focuscrawl.crawling.scheduled_walk import Fetch
from focuscrawl.errors import SearchEngineError

if TYPE_CHECKING:
    from focuscrawl.templates.search_engines.search_engine import SearchEngine


_FINDS_NOTHING = (
    "search engine {} finds nothing, although sites were found before; try again later, or use "
    "another engine"
)


class Found(NamedTuple):
    """Results of a query, pairs of URL and title; ``is_whole`` if the last engine returned all of them."""

    engine: str
    results: list[tuple[str, str]]
    is_whole: bool


class Searcher:
    """Queries search engines in order; one that fails becomes the last."""

    def __init__(
        self, crawler: Crawler, fetch: Fetch, engines: Sequence[SearchEngine], pages: int
    ) -> None:
        self._crawler = crawler
        self._fetch = fetch
        self._engines = list(engines)
        self._pages = pages

    async def search(self, query: str, *, found_some: bool = False) -> Found:
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
                note(self._crawler, f"{error}; query {query!r}")
                self._engines = [*(e for e in self._engines if e is not engine), engine]
            else:
                return Found(name, found, True)
        return Found(name, found, False)

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
        from focuscrawl.templates.search_engines.result_page import scripted_target

        page = await self._fetch(href, dont_redirect=True)
        return page.location or scripted_target(page.text) or href


def _failure_message(name: str, failure: str) -> str:
    if failure == "robots.txt":
        return (
            f"search engine {name} forbids crawlers by robots.txt: use a SearXNG of your own, give "
            "-a seeds=file.txt, or, with its permission, -s ROBOTSTXT_OBEY=False"
        )
    return f"search engine {name} does not respond ({failure})"
