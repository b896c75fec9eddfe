"""Versions of an article: which one was there on a day, and what changed from one to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import NamedTuple

from focuscrawl.items import Quote
from focuscrawl.stored_records import ArticleRevision, KeptArticle


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
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


def versions_of(kept: KeptArticle, revisions: Sequence[ArticleRevision]) -> list[Version]:
    """Return all versions of an article, the oldest first, given its earlier ones by time."""
    found, since = [], kept.first_seen
    for one in revisions:
        found.append(
            Version(
                kept=kept,
                title=one.title,
                text=one.text,
                published=one.published,
                quotes=one.quotes,
                since=since,
                until=one.replaced_at,
            )
        )
        since = one.replaced_at
    article = kept.article
    newest = Version(
        kept=kept,
        title=article.title,
        text=article.text,
        published=article.published,
        quotes=article.quotes or (),
        since=since,
        until=None,
    )
    return [*found, newest]


def version_on(
    kept: KeptArticle, revisions: Sequence[ArticleRevision], day: date | None
) -> Version | None:
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


def has_price_changes(kept: KeptArticle, revisions: Sequence[ArticleRevision]) -> bool:
    """Return whether any price changed between two versions of an article."""
    versions = versions_of(kept, revisions)
    pairs = pairwise(versions)
    return any(price_changes(one.quotes, other.quotes) for one, other in pairs)
