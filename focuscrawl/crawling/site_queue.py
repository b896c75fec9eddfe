"""Choice of the seeds of a window by the outcomes of those before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from focuscrawl.items import Seed
from focuscrawl.templates.crawl_windows import CRAWLED, Window
from focuscrawl.templates.seed_choice import SeedChoice
from focuscrawl.templates.seed_search import SeedLists


class SeedQueue(Protocol):
    """Chosen seeds that are crawled one at a time per site."""

    def add(self, seed: Seed) -> None:
        """Add a chosen seed."""

    def done(self, seed: Seed) -> None:
        """Record that a seed is settled."""


class SiteQueue:
    """Chooses the seeds to crawl, adds them to ``line``, and settles them.

    A choice depends on the outcomes of the seeds before it in its list and on the random seed
    ``randomness``, not on the order in which sites end. Seeds settled by an interrupted window stay so.
    """

    def __init__(
        self,
        seeds: SeedLists,
        window: Window,
        line: SeedQueue,
        *,
        randomness: int,
        crawls_all: bool,
        first: Container[str] = (),
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._seeds = seeds
        self._window = window
        self._line = line
        self._choices = {
            query: SeedChoice([seed.url for seed in listed], randomness, crawls_all, first)
            for query, listed in seeds.lists.items()
        }
        for seed in seeds:
            if seed.state in CRAWLED:
                self._count(seed)
                self._choices[seed.query].settle(seed.url, seed.state == "useful")

    def skip(self) -> Iterator[Seed]:
        """Decide on all seeds that can be decided; add the chosen ones to the line, yield the skipped ones."""
        for choice in self._choices.values():
            for decision in choice.ready():
                seed = self._seeds.by_url[decision.url]
                if decision.is_chosen:
                    self._line.add(seed)
                else:
                    skipped = replace(seed, state="skipped", listed_at=datetime.now(UTC))
                    self._count(skipped)
                    yield skipped

    def settle(self, seed: Seed, arrived: str = "") -> None:
        """Record the state of a crawled seed; ``arrived`` is the URL after its redirects."""
        self._seeds.take_states([seed])
        self._count(seed, arrived)
        self._line.done(seed)
        self._choices[seed.query].settle(seed.url, seed.state == "useful")

    @property
    def is_finished(self) -> bool:
        """Return whether every seed is skipped or settled."""
        return all(choice.is_finished for choice in self._choices.values())

    def _count(self, seed: Seed, arrived: str = "") -> None:
        self.counts[seed.state] += 1
        self._window.settle(seed, arrived)
