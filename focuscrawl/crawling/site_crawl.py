"""Crawl of one site from its seed to its records (Chen Duanbing et al. 2012)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from scrapy.crawler import Crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.crawling.scheduled_walk import Fetch
from focuscrawl.errors import PageLimitError
from focuscrawl.items import Seed, SeedState, TemplateRecord, content_md5
from focuscrawl.middlewares.link_scoring import scorer_of
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link import ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.system.worker_pool import read_in_worker
from focuscrawl.templates.crawl_windows import CRAWLED, Window
from focuscrawl.templates.extraction import (
    PageValues,
    combine,
    found_values,
    names_firm,
    read_page,
)
from focuscrawl.templates.link_screening import (
    Screen,
    is_within,
    scripted_links,
    shown_pages,
    without_session,
)
from focuscrawl.templates.searched_regions import Regions
from focuscrawl.templates.seed_choice import SeedChoice
from focuscrawl.templates.seed_search import SeedLists
from focuscrawl.templates.site_walk import SiteStep, SiteWalk
from focuscrawl.templates.template_model import FieldType, Template

PageReading = tuple[FetchedPage, PageValues]
# Field types with a value on nearly every page.
_ON_EVERY_PAGE = (FieldType.ORGANISATION, FieldType.TEXT)
# Field types that a complete record has, if the template has them.
_IN_EVERY_RECORD = frozenset({FieldType.ADDRESS, FieldType.PHONE})
# Those of a home page that leaves little to find.
_IN_FULL_RECORD = _IN_EVERY_RECORD | {FieldType.EMAIL}


class CrawledSite(NamedTuple):
    """Outcome of a seed: the URL after redirects, and the records of its site.

    ``is_faulty`` if a page got no response, ``is_repeat`` if another seed of this window has led to the
    same page. ``failure`` is the reason why the page of the seed is missing.
    """

    arrived: str
    records: list[TemplateRecord]
    is_faulty: bool = False
    is_repeat: bool = False
    failure: str = ""


class SiteCrawl:
    """Follows the links of a site layer by layer and reads the pages of the last one."""

    def __init__(
        self,
        crawler: Crawler,
        template: Template,
        screen: Screen,
        regions: Regions,
        crawl: str,
        window: int,
    ) -> None:
        self._crawler = crawler
        self._run = RunningCrawl.of(crawler)
        self._template = template
        self._screen = screen
        self._regions = regions
        self._crawl = crawl
        self._window = window
        # Pages of seeds by URL, True if they were useful; and all other requested pages.
        self._homes: dict[str, bool] = {}
        self._pages: set[str] = set()

    def resume(self, seeds: Iterable[Seed], records: Iterable[TemplateRecord]) -> None:
        """Add the crawled seeds of an interrupted window, and their records."""
        self._homes.update((seed.url, seed.state == "useful") for seed in seeds)
        self._pages.update(record.url for record in records if record.seed in self._homes)

    async def crawl(self, seed: str, fetch: Fetch) -> CrawledSite:
        """Return the records of the site behind a seed."""
        home = await self._page(seed, fetch)
        if home.failure:
            self._count_failure(home, seed)
            return CrawledSite(home.url, [], home.is_fault, failure=home.failure)
        arrived = canonical_or_same(home.url)
        if arrived in self._homes or arrived in self._pages:
            return CrawledSite(home.url, [], is_repeat=self._homes.get(arrived, True))
        self._homes[arrived] = False
        walk = SiteWalk(self._template.screening, self._screen, seed)
        walk.arrived(home.url)
        self._take(walk, SiteStep(seed, 0), home)
        records, is_faulty, is_repeat = await self._last_layer(walk, seed, home, fetch)
        records = [record for record in records if self._is_in_region(record)]
        self._homes[arrived] = bool(records) or is_repeat
        return CrawledSite(home.url, records, is_faulty, is_repeat)

    async def _last_layer(
        self, walk: SiteWalk, seed: str, home: FetchedPage, fetch: Fetch
    ) -> tuple[list[TemplateRecord], bool, bool]:
        """Return the records of a site, and whether a page got no response or was read before.

        For a site with one record, the first page of the last layer with values is enough.
        """
        found: list[PageReading] = []
        others = [(home, await self._read(home))]
        is_faulty = is_repeat = False
        while step := walk.next():
            is_last = step.layer == self._screen.last_layer
            page = await self._new_page(step.url, fetch, is_last=is_last)
            if page is None:
                is_repeat = is_repeat or is_last
                continue
            if page.failure:
                is_faulty = is_faulty or page.is_fault
                self._count_failure(page, step.url)
                continue
            if is_last:
                found += await self._with_values(page)
                if found and self._template.records == "site":
                    break
            elif step.is_detour:
                others.append((page, await self._read(page)))
            self._take(walk, step, page)
        if self._template.records == "page":
            if walk.is_seed_an_end:
                self._pages.add(canonical_or_same(home.url))
                found += await self._with_values(home)
            return [self._record(seed, *entry, []) for entry in found], is_faulty, is_repeat
        if is_repeat and not found:
            return [], is_faulty, is_repeat
        further, is_missing = await self._fallbacks(walk, found, others, fetch)
        found = found or self._of_contacts(further, others)
        others += further
        return await self._site_record(seed, found, others, fetch), is_faulty or is_missing, False

    async def _fallbacks(
        self, walk: SiteWalk, found: list[PageReading], others: list[PageReading], fetch: Fetch
    ) -> tuple[list[PageReading], bool]:
        """Return other pages of a site whose known pages lack values, and whether one got no response."""
        pages: list[PageReading] = []
        is_faulty = False
        has_all = self._has_all(*found, *others)
        links = [] if found and has_all else self._links(others[0][0])
        named = bool(found) or (has_all and self._has_all(*others, types=_IN_FULL_RECORD))
        while step := walk.fallback(links, named=named):
            page = await self._new_page(step.url, fetch, is_last=True)
            if page and page.failure:
                is_faulty = is_faulty or page.is_fault
                self._count_failure(page, step.url)
            elif page:
                pages.append((page, await self._read(page)))
                if found and self._of_contacts(pages, others):
                    break
        return pages, is_faulty

    async def _site_record(
        self, seed: str, found: list[PageReading], others: list[PageReading], fetch: Fetch
    ) -> list[TemplateRecord]:
        """Return the record of a site: of its contact page, or of another page with values."""
        with_values = [entry for entry in others if self._has_values(entry[1])]
        if not found and not with_values:
            return []
        main = (
            found[0]
            if found
            else max(with_values, key=lambda page: len(_IN_EVERY_RECORD & self._types(page)))
        )
        pages = [entry for entry in others if entry is not main]
        about = await self._about(others[0][0], [main, *pages], fetch)
        return [self._record(seed, *main, [*pages, *about])]

    async def _about(
        self, home: FetchedPage, pages: list[PageReading], fetch: Fetch
    ) -> list[PageReading]:
        """Return the pages about the site with their readings, as long as no page names a firm as its owner."""
        near = [link for link in home.links if is_within(link.link.url, host_of(home.url))]
        found: list[PageReading] = []
        for url in self._screen.about(near):
            if names_firm([reading for _, reading in (*pages, *found)], self._template.fields):
                break
            page = await self._new_page(url, fetch, is_last=False)
            if page and not page.failure:
                found.append((page, await self._read(page)))
        return found

    async def _new_page(self, url: str, fetch: Fetch, *, is_last: bool) -> FetchedPage | None:
        """Fetch a page of a site; None if this window has fetched it already."""
        # The home page of another seed was not read as a page of the last layer.
        if url in self._pages or (url in self._homes and not is_last):
            return None
        page = await self._page(url, fetch)
        arrived = canonical_or_same(page.url)
        is_known = arrived in self._pages
        self._pages |= {url, arrived}
        return None if is_known else page

    async def _page(self, url: str, fetch: Fetch) -> FetchedPage:
        """Fetch a page, by http if https gets no response: some old sites do not serve their https links."""
        page = await fetch(url)
        plain = url.replace("https://", "http://", 1)
        if page.is_silent and plain != url and plain not in self._pages:
            page = await fetch(plain)
        return page

    def _count_failure(self, page: FetchedPage, url: str) -> None:
        """Count a page that does not exist or that failed."""
        if page.is_counted:
            return
        is_failed = page.is_fault and not page.is_ignored
        count = self._run.page_failed if is_failed else self._run.drop
        count(page.failure, url)

    def _take(self, walk: SiteWalk, step: SiteStep, page: FetchedPage) -> None:
        text = page.parsed.text if page.parsed else ""
        shown = shown_pages(page.text, page.url, page.charset)
        walk.take(step, self._links(page), text, shown)

    def _links(self, page: FetchedPage) -> list[ScoredLink]:
        scripted = list(scripted_links(page.text, page.url, page.charset))
        scorer = scorer_of(self._crawler, self._template.topic)
        return [*page.links, *(scorer.score(scripted) if scripted else ())]

    async def _read(self, page: FetchedPage) -> PageValues:
        try:
            return await read_in_worker(read_page, page.text, page.url, self._template.fields)
        except PageLimitError as error:
            self._run.give_up_page(error, page.url)
            return PageValues("", {}, "")

    async def _with_values(self, page: FetchedPage) -> list[PageReading]:
        """Return a page of the last layer with its reading, nothing if it has no values."""
        reading = await self._read(page)
        return [(page, reading)] if self._has_values(reading) else []

    def _is_in_region(self, record: TemplateRecord) -> bool:
        """Return whether the addresses of a record may lie in the searched regions; count it if not."""
        fields = self._template.fields
        addresses = [v.value for v in record.values if fields[v.field].type is FieldType.ADDRESS]
        if not self._regions.exclude(addresses):
            return True
        self._run.drop("other region", record.url)
        return False

    def _has_all(self, *pages: PageReading, types: frozenset[FieldType] = _IN_EVERY_RECORD) -> bool:
        """Return whether pages together have a value of each of ``types`` that the template asks for."""
        fields = self._template.fields
        asked = types.intersection(field.type for field in fields.values())
        has_any = any(self._has_values(reading) for _, reading in pages)
        return has_any and asked <= self._types(*pages)

    def _of_contacts(self, pages: list[PageReading], known: list[PageReading]) -> list[PageReading]:
        """Return the page with the most kinds of values that the ``known`` pages lack, if its record is complete."""
        before = set().union(*(_values(reading) for _, reading in known))
        gains = [(page, _values(page[1]) - before) for page in pages if self._has_all(page)]
        best = max(gains, key=lambda gain: (len(dict(gain[1])), len(gain[1])), default=None)
        return [best[0]] if best and best[1] else []

    def _types(self, *pages: PageReading) -> frozenset[FieldType]:
        fields = self._template.fields
        return frozenset(fields[name].type for _, reading in pages for name in reading.values)

    def _has_values(self, reading: PageValues) -> bool:
        """Return whether a page has values beyond those of nearly every page."""
        fields = self._template.fields
        specific = {name for name, field in fields.items() if field.type not in _ON_EVERY_PAGE}
        return any(reading.values.get(name) for name in specific or fields)

    def _record(
        self,
        seed: str,
        page: FetchedPage,
        main: PageValues,
        others: list[PageReading],
    ) -> TemplateRecord:
        fields = self._template.fields
        combined = combine(main, [reading for _, reading in others], fields)
        url = _stored_url(page)
        pages = {url: main} | {_stored_url(other): reading for other, reading in others}
        return TemplateRecord(
            crawl=self._crawl,
            template=self._template.name,
            url=url,
            site=url.split("/")[2],
            seed=seed,
            title=main.title,
            window=self._window,
            region_md5=content_md5(main.region),
            values=found_values(combined, pages, fields),
            fetched_at=datetime.now(UTC),
        )


def _values(reading: PageValues) -> set[tuple[str, str]]:
    return {(name, value.value) for name, values in reading.values.items() for value in values}


def _stored_url(page: FetchedPage) -> str:
    return without_session(canonical_or_same(page.url))


def site_outcome(
    crawler: Crawler, window: Window, seed: Seed, site: CrawledSite, *, keeps_all: bool
) -> tuple[list[TemplateRecord], Seed]:
    """Return the records of a seed to be stored, and the seed with its state.

    If a page got no response, the stored records of the site do not change: the new ones are
    returned only with ``keeps_all``, for a site of many records.
    """
    records = site.records
    state: SeedState = "useful" if records or site.is_repeat else "useless"
    urls = {record.url for record in records}
    if site.is_faulty and (not records or window.misses(seed.url, site.arrived, urls)):
        state = "failed"
        # A page read instead of a contact page without response is no evidence of a change.
        records = records if keeps_all else []
        RunningCrawl.of(crawler).seed_failed(seed.url, site.failure or "a page of the site failed")
    window.meet(record.url for record in records)
    crawler.stats.inc_value("focuscrawl/pages/relevant", len(records))
    return records, replace(seed, state=state, listed_at=datetime.now(UTC))


# Choice of the seeds of a window by the outcomes of those before them.


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
