"""One site from its seed to its records: screening and extraction (Chen Duanbing et al. 2012)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from scrapy.crawler import Crawler

from focuscrawl.crawling.fetching import Answer, fetch
from focuscrawl.items import FoundValue, TemplateRecord, content_md5
from focuscrawl.links.link import ScoredLink
from focuscrawl.links.urls import canonical_or_same
from focuscrawl.middlewares.link_scoring import scorer_of
from focuscrawl.run import drop
from focuscrawl.templates.extraction import Reading, combine, read_page
from focuscrawl.templates.screening import Screen, scripted_links
from focuscrawl.templates.site_walk import SiteWalk, Step
from focuscrawl.templates.template import FieldType, Template
from focuscrawl.worker import in_worker

# Field types of which nearly every page has a value.
_ON_EVERY_PAGE = (FieldType.ORGANISATION, FieldType.TEXT)


class Site(NamedTuple):
    """What came of a seed: where its redirects have led, and its records.

    ``is_faulty`` says that a page did not answer, ``is_repeat`` that another seed of this window has
    led to the same page before.
    """

    arrived: str
    records: list[TemplateRecord]
    is_faulty: bool = False
    is_repeat: bool = False


class SiteCrawl:
    """Follows the links of a site layer by layer and reads the pages of the last one."""

    def __init__(
        self, crawler: Crawler, template: Template, screen: Screen, crawl: str, window: int
    ) -> None:
        self._crawler = crawler
        self._template = template
        self._screen = screen
        self._crawl = crawl
        self._window = window
        self._asked: set[str] = set()

    async def crawl(self, seed: str) -> Site:
        """Return the records of the site behind a seed."""
        home = await self._page(seed)
        if home.failure:
            drop(self._crawler, home.failure, seed)
            return Site(home.url, [], home.is_fault)
        if home.url in self._asked:
            return Site(home.url, [], is_repeat=True)
        self._asked.add(home.url)
        walk = SiteWalk(self._template.screening, self._screen, seed)
        walk.arrived(home.url)
        walk.take(Step(seed, 0), self._links(home), _text(home))
        site = await self._last_layer(walk, seed, home)
        return Site(home.url, *site)

    async def _last_layer(
        self, walk: SiteWalk, seed: str, home: Answer
    ) -> tuple[list[TemplateRecord], bool, bool]:
        """Return the records of a site, and whether a page did not answer, or was read before.

        Of a site that makes one record the first page of the last layer with values is enough.
        """
        found: list[tuple[Answer, Reading]] = []
        others = [home]
        is_faulty = is_repeat = False
        while step := walk.next():
            if step.url in self._asked:
                is_repeat = is_repeat or step.layer == self._screen.last_layer
                continue
            self._asked.add(step.url)
            answer = await self._page(step.url)
            self._asked.add(answer.url)
            if answer.failure:
                is_faulty = is_faulty or answer.is_fault
                drop(self._crawler, answer.failure, step.url)
                continue
            if step.layer == self._screen.last_layer:
                reading = await self._read(answer)
                if self._tells(reading):
                    found.append((answer, reading))
                    if self._template.records == "site":
                        break
            elif step.is_detour:
                others.append(answer)
            walk.take(step, self._links(answer), _text(answer))
        if self._template.records == "page":
            return [self._record(seed, *entry, []) for entry in found], is_faulty, is_repeat
        if is_repeat and not found:
            return [], is_faulty, is_repeat
        return await self._site_record(seed, found, others), is_faulty, False

    async def _site_record(
        self, seed: str, found: list[tuple[Answer, Reading]], others: list[Answer]
    ) -> list[TemplateRecord]:
        """Return the record of a site: of its contact page, or of another page that tells something."""
        home, *detours = others
        own = await self._read(home)
        if found:
            return [self._record(seed, *found[0], [own])]
        readings = [(home, own), *[(answer, await self._read(answer)) for answer in detours]]
        telling = [entry for entry in readings if self._tells(entry[1])]
        return [self._record(seed, *telling[0], [own])] if telling else []

    async def _page(self, url: str) -> Answer:
        """Ask for a page; old sites link to themselves by https, and serve nothing there."""
        answer = await fetch(self._crawler, url)
        plain = url.replace("https://", "http://", 1)
        if answer.is_silent and plain != url and plain not in self._asked:
            answer = await fetch(self._crawler, plain)
        return answer

    def _links(self, answer: Answer) -> list[ScoredLink]:
        scripted = list(scripted_links(answer.text, answer.url, answer.charset))
        scorer = scorer_of(self._crawler, self._template.topic)
        return [*answer.links, *(scorer.score(scripted) if scripted else ())]

    async def _read(self, answer: Answer) -> Reading:
        return await in_worker(read_page, answer.text, answer.url, self._template.fields)

    def _tells(self, reading: Reading) -> bool:
        """Whether a page says more than what nearly every page does."""
        fields = self._template.fields
        telling = {name for name, field in fields.items() if field.type not in _ON_EVERY_PAGE}
        return any(reading.values.get(name) for name in telling or fields)

    def _record(
        self, seed: str, answer: Answer, main: Reading, others: list[Reading]
    ) -> TemplateRecord:
        fields = self._template.fields
        combined = combine(main, others, fields)
        url = canonical_or_same(answer.url)
        return TemplateRecord(
            crawl=self._crawl,
            template=self._template.name,
            url=url,
            site=url.split("/")[2],
            seed=seed,
            title=main.title,
            window=self._window,
            region_md5=content_md5(main.region),
            values=[
                FoundValue(field=name, title=field.title or name, **value._asdict())
                for name, field in fields.items()
                for value in combined.get(name, ())
            ],
            fetched_at=datetime.now(UTC),
        )


def _text(answer: Answer) -> str:
    return answer.page.text if answer.page else ""
