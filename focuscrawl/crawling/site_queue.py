"""Queue of the seeds of a window in the order of their crawl, and their outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler

from focuscrawl.crawl_run import seed_failed
from focuscrawl.items import Seed, SeedState, TemplateRecord
from focuscrawl.templates.crawl_windows import CRAWLED, Window
from focuscrawl.templates.seed_choice import SeedChoice
from focuscrawl.templates.seed_queue import SeedLine
from focuscrawl.templates.seed_search import SeedLists

if TYPE_CHECKING:
    from focuscrawl.crawling.site_crawl import Site


class SiteQueue:
    """Chooses the seeds to crawl, one at a time per site, and settles them.

    A choice depends on the outcomes of the seeds before it in its list and on the random seed
    ``randomness``, not on the order in which sites end. Seeds settled by an interrupted window stay so.
    """

    def __init__(
        self,
        crawler: Crawler,
        seeds: SeedLists,
        window: Window,
        *,
        randomness: int,
        crawls_all: bool,
        first: Container[str] = (),
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._crawler = crawler
        self._seeds = seeds
        self._window = window
        self._line = SeedLine()
        self._choices = {
            query: SeedChoice([seed.url for seed in listed], randomness, crawls_all, first)
            for query, listed in seeds.lists.items()
        }
        for seed in seeds:
            if seed.state in CRAWLED:
                self._count(seed)
                self._choices[seed.query].settle(seed.url, seed.state == "useful")

    def skip(self) -> Iterator[Seed]:
        """Decide on all seeds that can be decided; queue the chosen ones, yield the skipped ones."""
        for choice in self._choices.values():
            for decision in choice.ready():
                seed = self._seeds.by_url[decision.url]
                if decision.is_chosen:
                    self._line.add(seed)
                else:
                    skipped = replace(seed, state="skipped", listed_at=datetime.now(UTC))
                    self._count(skipped)
                    yield skipped

    def next(self) -> Seed | None:
        """Return the seed to crawl next, None if there is none now."""
        return self._line.next()

    def settle(self, seed: Seed, site: Site, *, keeps_all: bool) -> list[TemplateRecord | Seed]:
        """Return the records of a seed, and after them the seed with its state.

        If a page got no response, the stored records of the site do not change: the new ones are
        returned only with ``keeps_all``, for a site of many records.
        """
        records = site.records
        state: SeedState = "useful" if records or site.is_repeat else "useless"
        urls = {record.url for record in records}
        if site.is_faulty and (not records or self._window.misses(seed.url, site.arrived, urls)):
            state = "failed"
            # A page read instead of a contact page without response is no evidence of a change.
            records = records if keeps_all else []
            seed_failed(self._crawler, seed.url, site.failure or "a page of the site failed")
        settled = replace(seed, state=state, listed_at=datetime.now(UTC))
        self._count(settled, site.arrived)
        self._line.done(seed)
        self._choices[seed.query].settle(seed.url, state == "useful")
        self._window.meet(record.url for record in records)
        self._crawler.stats.inc_value("focuscrawl/pages/relevant", len(records))
        return [*records, settled]

    def _count(self, seed: Seed, arrived: str = "") -> None:
        self.counts[seed.state] += 1
        self._window.settle(seed, arrived)
