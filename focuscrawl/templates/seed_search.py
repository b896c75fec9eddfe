"""Seeds from search results: queries, and lists without duplicate URLs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product

from focuscrawl.items import Seed
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.templates.template_model import Search

GIVEN = "given"
"""The engine of seeds that the user names, and their query."""


def queries(
    search: Search, regions: Sequence[str] | None = None, entities: Sequence[str] | None = None
) -> list[str]:
    """Return the queries of a template: regions times entities; the arguments replace its own."""
    pairs = product(regions or search.regions or [""], entities or search.entities)
    joined = (search.query.format(region=region, entity=entity) for region, entity in pairs)
    return list(dict.fromkeys(" ".join(query.split()) for query in joined))


class SeedLists:
    """Seeds of a window by query, each URL only in the first list that contains it."""

    def __init__(self, crawl: str, window: int) -> None:
        self._crawl = crawl
        self._window = window
        self.by_url: dict[str, Seed] = {}
        self.lists: dict[str, list[Seed]] = {}

    def __iter__(self) -> Iterator[Seed]:
        return iter(self.by_url.values())

    def add(self, query: str, engine: str, found: Iterable[tuple[str, str]], now: datetime) -> None:
        """Add results (URL and title) in order, except for URLs already listed."""
        listed = self.lists.setdefault(query, [])
        for url, title in found:
            canonical = canonical_or_same(url)
            if canonical in self.by_url:
                continue
            seed = Seed(
                crawl=self._crawl,
                url=canonical,
                title=title,
                engine=engine,
                query=query,
                rank=len(listed) + 1,
                window=self._window,
                state="waiting",
                listed_at=now,
            )
            self.by_url[canonical] = seed
            listed.append(seed)

    def take_states(self, seeds: Iterable[Seed]) -> None:
        """Restore the states of listed seeds from an interrupted window."""
        for seed in seeds:
            if listed := self.by_url.get(seed.url):
                self.by_url[seed.url] = replace(listed, state=seed.state)

    def resume(self, seeds: Iterable[Seed]) -> None:
        """Restore the lists from the seeds of an interrupted window."""
        for seed in sorted(seeds, key=lambda seed: seed.rank):
            self.by_url[seed.url] = seed
            self.lists.setdefault(seed.query, []).append(seed)
