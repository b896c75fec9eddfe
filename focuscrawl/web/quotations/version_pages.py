"""Pages of the earlier versions of articles, and of those whose prices changed."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import SequenceMatcher
from itertools import islice, pairwise, zip_longest
from typing import Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.items import Article, Quote
from focuscrawl.stored_records import ArticleRevision, KeptArticle, RevisedArticle
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import query_of
from focuscrawl.web.quotations import quote_facts
from focuscrawl.web.quotations.quote_lookup import hidden_from, kept_article
from focuscrawl.web.web_site import site_of

# Versions of an article: which one was there on a day, and what changed from one to the next.


@dataclass(frozen=True, slots=True)
class ArticleVersion:
    """A version of an article: there from ``since`` to ``until``, which is None for the newest."""

    kept: KeptArticle
    title: str
    text: str
    published: date | None
    quotes: Sequence[Quote]
    since: datetime
    until: datetime | None

    @property
    def is_newest(self) -> bool:
        """Whether it is the version that is stored as the article."""
        return self.until is None


def versions_of(kept: KeptArticle, revisions: Sequence[ArticleRevision]) -> list[ArticleVersion]:
    """Return all versions of an article, the oldest first, given its earlier ones by time."""
    found, since = [], kept.first_seen
    stages: list[tuple[ArticleRevision | Article, datetime | None]]
    stages = [*((one, one.replaced_at) for one in revisions), (kept.article, None)]
    for one, until in stages:
        own = one.title, one.text, one.published, one.quotes or (), since, until
        found.append(ArticleVersion(kept, *own))
        since = until or since
    return found


def version_on(
    kept: KeptArticle, revisions: Sequence[ArticleRevision], day: date | None
) -> ArticleVersion | None:
    """Return the version that was known at the end of a day, the newest without a day.

    None before the article was first seen.
    """
    versions = versions_of(kept, revisions)
    if day is None:
        return versions[-1]
    return next((one for one in reversed(versions) if day_of(one.since) <= day), None)


def day_of(time: datetime) -> date:
    """Return the day of a time in the time zone in which pages show times."""
    return time.astimezone().date()


class PriceChange(NamedTuple):
    """A price that differs between two versions; None where a version lacks it."""

    before: Quote | None
    after: Quote | None


def price_changes(before: Sequence[Quote], after: Sequence[Quote]) -> list[PriceChange]:
    """Return the prices that two versions of an article do not share.

    Quotes belong together if all but the price is the same, in the order of the text.
    """
    waiting = defaultdict[tuple[object, ...], list[Quote]](list)
    for quote in after:
        waiting[_owner(quote)].append(quote)
    found = []
    for quote in before:
        same = waiting[_owner(quote)]
        other = same.pop(0) if same else None
        if other is None or _price(other) != _price(quote):
            found.append(PriceChange(quote, other))
    return [*found, *_added(after, waiting)]


def _added(
    after: Sequence[Quote], waiting: dict[tuple[object, ...], list[Quote]]
) -> Iterator[PriceChange]:
    for quote in after:
        if any(quote is one for one in waiting[_owner(quote)]):
            yield PriceChange(None, quote)


def _owner(quote: Quote) -> tuple[object, ...]:
    place = quote.province, quote.city, quote.county, quote.region
    goods = quote.commodity, quote.moisture, quote.goods_condition, quote.is_primary
    return (quote.date, quote.entity, *place, *goods)


def _price(quote: Quote) -> tuple[object, ...]:
    return quote.price_low, quote.price_high, quote.unit


# Differences of two texts, by line and within changed lines.

_MOST_COMPARISONS = 4_000_000
"""Product of the lengths of two sequences that are compared element by element."""
_MOST_IN_LINE = 2000 * 2000
_CONTEXT = 1
"""Unchanged lines shown around a change."""

Change = Literal["same", "removed", "added"]


class Run(NamedTuple):
    """A part of a line: unchanged, removed or added."""

    change: Change
    text: str


class ComparedLine(NamedTuple):
    """A line of a comparison in its parts; ``skipped`` counts unchanged lines that are not shown."""

    runs: list[Run]
    skipped: int = 0


def differences(before: str, after: str) -> list[ComparedLine]:
    """Return the changed lines of two texts with those around them, nothing for equal texts."""
    if before == after:
        return []
    old, new = before.split("\n"), after.split("\n")
    found: list[ComparedLine] = []
    codes = list(_codes(old, new, _MOST_COMPARISONS))
    for place, (kind, first, last, start, end) in enumerate(codes):
        if kind == "equal":
            found += _shortened(old[first:last], place > 0, place < len(codes) - 1)
        else:
            found += _changed(old[first:last], new[start:end])
    return found


def _codes(
    old: Sequence[str], new: Sequence[str], most: int
) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield opcodes; what is too long to be compared counts as replaced, but for its ends."""
    begin = _shared(old, new)
    rest = min(len(old), len(new)) - begin
    tail = _shared(old[::-1][:rest], new[::-1][:rest])
    middle = old[begin : len(old) - tail], new[begin : len(new) - tail]
    if begin:
        yield "equal", 0, begin, 0, begin
    if len(middle[0]) * len(middle[1]) <= most:
        for kind, *places in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
            first, last, start, end = (place + begin for place in places)
            yield kind, first, last, start, end
    else:
        yield "replace", begin, len(old) - tail, begin, len(new) - tail
    if tail:
        yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many elements two sequences share at their beginning."""
    for place, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return place
    return min(len(one), len(other))


def _shortened(lines: Sequence[str], has_before: bool, has_after: bool) -> list[ComparedLine]:
    head = _CONTEXT if has_before else 0
    tail = _CONTEXT if has_after else 0
    if len(lines) <= head + tail + 1:
        return [_line("same", line) for line in lines]
    ends = [_line("same", line) for line in lines[:head]]
    begins = [_line("same", line) for line in lines[len(lines) - tail :]] if tail else []
    return [*ends, ComparedLine([], len(lines) - head - tail), *begins]


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[ComparedLine]:
    if len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            yield ComparedLine(_within(before, after))
        return
    for before, after in zip_longest(old, new):
        if before is not None:
            yield _line("removed", before)
        if after is not None:
            yield _line("added", after)


def _line(change: Change, text: str) -> ComparedLine:
    return ComparedLine([Run(change, text)])


def _within(before: str, after: str) -> list[Run]:
    """Return the differences within a line."""
    runs = []
    for kind, first, last, start, end in _codes(before, after, _MOST_IN_LINE):
        if kind == "equal":
            runs.append(Run("same", before[first:last]))
            continue
        if last > first:
            runs.append(Run("removed", before[first:last]))
        if end > start:
            runs.append(Run("added", after[start:end]))
    return runs


_CHANGES, _ROWS = 5, 20
_MOST_SEEN = 200
"""Revised articles that are looked through for a page, most of which may have no price changes."""


class Before(BaseModel):
    """The time before which changes are shown."""

    before: AwareDatetime | None = None


class ShownChange(NamedTuple):
    """What changed from one version to the next."""

    at: datetime
    titles: list[ComparedLine]
    lines: list[ComparedLine]
    prices: list[PriceChange]


async def versions_page(request: Request) -> Response:
    """Show what changed in an article, the newest changes first."""
    before = query_of(request, Before).before
    kept = await kept_article(request)
    revisions = await site_of(request).store.revisions([kept.article.url_md5])
    versions = versions_of(kept, revisions)
    pairs = [
        (one, other)
        for one, other in reversed(list(pairwise(versions)))
        if before is None or other.since < before
    ]
    shown = pairs[:_CHANGES]
    values = {
        "kept": kept,
        "facts": quote_facts,
        "versions": [(one, _only_day(one, kept, revisions)) for one in versions],
        "changes": await asyncio.to_thread(lambda: [_change(*pair) for pair in shown]),
        "next": shown[-1][1].since.isoformat() if len(pairs) > _CHANGES else "",
    }
    return page(request, "quotations/versions.html", values)


def _only_day(
    version: ArticleVersion, kept: KeptArticle, revisions: list[ArticleRevision]
) -> date | None:
    """Return a day on whose evening a version was the known one, None if it lived for less."""
    day = day_of(version.since)
    known = version_on(kept, revisions, day)
    return day if known and known.since == version.since else None


def _change(before: ArticleVersion, after: ArticleVersion) -> ShownChange:
    return ShownChange(
        after.since,
        differences(before.title, after.title),
        differences(before.text, after.text),
        price_changes(before.quotes, after.quotes),
    )


class RevisedQuery(BaseModel):
    """The article behind which a page of the list begins."""

    after: str = Field("", pattern="^(|[0-9a-f]{32})$")


class Revised(NamedTuple):
    """An article whose prices changed, with the changes of each time, the newest first."""

    kept: KeptArticle
    changes: list[tuple[datetime, list[PriceChange]]]


async def revised_page(request: Request) -> Response:
    """Show the articles whose prices changed after they were published, the latest changes first."""
    after = query_of(request, RevisedQuery).after
    store = site_of(request).store
    found: list[Revised] = []
    seen, last, is_end = 0, after or None, False
    while len(found) < _ROWS and seen < _MOST_SEEN and not is_end:
        listed = await store.last_revised(_ROWS, last)
        is_end = len(listed) < _ROWS
        seen += len(listed)
        found += await _with_changes(request, listed)
        last = listed[-1].article_md5 if listed else last
    values = {
        "entries": found,
        "facts": quote_facts,
        "after": after,
        "next": "" if is_end else last,
    }
    return page(request, "quotations/revised.html", values)


async def _with_changes(request: Request, listed: list[RevisedArticle]) -> list[Revised]:
    store, md5s = site_of(request).store, [one.article_md5 for one in listed]
    articles = await store.articles_of(md5s)
    revisions: dict[str, list[ArticleRevision]] = defaultdict(list)
    for revision in await store.revisions(md5s):
        revisions[revision.article_md5].append(revision)
    hidden = await hidden_from(request, md5s)
    found = []
    for md5 in md5s:
        # An article may be lost to a database that was copied by hand.
        if (kept := articles.get(md5)) and md5 not in hidden:
            pairs = reversed(list(pairwise(versions_of(kept, revisions[md5]))))
            changes = ((b.since, price_changes(a.quotes, b.quotes)) for a, b in pairs)
            if some := list(islice((one for one in changes if one[1]), _CHANGES)):
                found.append(Revised(kept, some))
    return found


ROUTES = (
    PageRoute("/prices/articles/{article_md5}/versions", versions_page, Permission.READ),
    PageRoute("/prices/revised", revised_page, Permission.READ),
)
