"""Records in the one form that every store keeps, and what a batch of them changes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from typing import Any

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    ArticleSummary,
    GoneArticle,
    KnownArticle,
    Quote,
    Record,
    content_md5,
)
from focuscrawl.stores.base import Outcome, RefusedRecordsError, Written

Row = dict[str, Any]

# U+0000 ends a text in many database tools; lone surrogates cannot be encoded at all.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# A 64-bit float gives back 15 significant digits, DECIMAL(18,6) holds 12 before the point.
_DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN)
_SIX_PLACES = Decimal("0.000001")
_TOO_LARGE = Decimal(10) ** 12
_QUOTE_FIELDS = tuple(entry.name for entry in fields(Quote))
# What may differ while content and quotes are the same: first what reports do not show.
_UNSEEN = ("stamp", "page_urls", "validators")
_BESIDES = (*_UNSEEN, "site", "published", "missing_urls", "is_complete", "gone_at")
HELD = ("url_md5", "record_md5", *_BESIDES)
"""The columns of an article that :func:`plan` must be given of what is held."""


@dataclass(slots=True)
class Prepared:
    """A record ready to be stored: the article's row and its quotes' rows, or a gone mark."""

    url: str
    url_md5: str
    article: Row = field(default_factory=dict)
    quotes: list[Row] = field(default_factory=list)
    gone_at: datetime | None = None


@dataclass(slots=True)
class Plan:
    """What a batch changes: articles to upsert with their quotes, then columns of others to set."""

    articles: dict[str, Prepared] = field(default_factory=dict)
    columns: dict[str, Row] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)


def clean_text(text: str) -> str:
    """Replace what no database can keep (NUL, lone surrogates) by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def tidy(number: Decimal) -> Decimal:
    """Drop trailing zeros, without an exponent: 2000.50000 is 2000.5 and 2E+3 is 2000."""
    if number == number.to_integral_value():
        return number.quantize(Decimal(1))
    return number.normalize()


def instant(moment: datetime) -> datetime:
    """Return a moment in UTC, cut to the millisecond; one without a zone is taken as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=aware.microsecond // 1000 * 1000)


@lru_cache(maxsize=4096)
def _number(value: Decimal) -> Decimal:
    if not value.is_finite() or abs(value) >= _TOO_LARGE:
        raise StoreError(f"the number {value:.3E} is too large to be a price; correct the quote")
    return tidy(_DIGITS.plus(value.quantize(_SIX_PLACES, rounding=ROUND_HALF_EVEN)))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    return _number(value) if isinstance(value, Decimal) else value


def _quote_rows(article: Article, url_md5: str) -> list[Row]:
    return [
        {"article_md5": url_md5, "seq": seq}
        | {name: _plain(getattr(quote, name)) for name in _QUOTE_FIELDS}
        for seq, quote in enumerate(article.quotes)
    ]


def _record_md5(article: Row, quotes: Sequence[Row]) -> str:
    whole = json.dumps([article["content_md5"], quotes], sort_keys=True, default=str)
    return hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()


def _prepare_article(article: Article) -> Prepared:
    url_md5 = article.url_md5
    title, text = clean_text(article.title), clean_text(article.text)
    row: Row = {
        "url_md5": url_md5,
        "url": clean_text(article.url),
        "site": clean_text(article.site),
        "title": title,
        "published": article.published,
        "stamp": clean_text(article.stamp),
        "pages": len(article.page_urls),
        "page_urls": [clean_text(url) for url in article.page_urls],
        "missing_urls": [clean_text(url) for url in article.missing_urls],
        "is_complete": article.is_complete,
        "text": text,
        "content_md5": content_md5(title, text),
        "validators": {
            clean_text(url): [clean_text(value) for value in values]
            for url, values in article.validators.items()
        },
        "fetched_at": instant(article.fetched_at),
        "first_seen": instant(article.fetched_at),
        "gone_at": None,
    }
    quotes = _quote_rows(article, url_md5)
    row["record_md5"] = _record_md5(row, quotes)
    return Prepared(article.url, url_md5, row, quotes)


def prepare(record: Record) -> Prepared:
    """Bring a record into the form that is stored.

    Prices are rounded to 6 decimals and 15 significant digits. Raises StoreError for a number
    that is not finite or has more than 12 digits before the point.
    """
    if isinstance(record, GoneArticle):
        return Prepared(record.url, record.url_md5, gone_at=instant(record.gone_at))
    try:
        return _prepare_article(record)
    except StoreError as error:
        raise StoreError(f"{record.url} cannot be stored: {error}") from error


def prepare_all(records: Sequence[Record]) -> list[Prepared | StoreError]:
    """Prepare each record, with the error in the place of a record that cannot be."""
    prepared: list[Prepared | StoreError] = []
    for record in records:
        try:
            prepared.append(prepare(record))
        except StoreError as error:
            prepared.append(error)
        except (TypeError, ValueError, AttributeError) as error:
            prepared.append(StoreError(f"{record.url!r} cannot be stored as it is: {error}"))
    return prepared


def settle(results: Sequence[Outcome | StoreError]) -> Written:
    """Count the outcomes of a batch; raise RefusedRecordsError if any record was refused."""
    refused = {n: result for n, result in enumerate(results) if isinstance(result, StoreError)}
    written = Written.of([None if isinstance(r, StoreError) else r for r in results])
    if refused:
        raise RefusedRecordsError(refused, written)
    return written


def plan(batch: Sequence[Prepared], held: Mapping[str, Row]) -> Plan:
    """Decide what a batch changes, given the columns ``HELD`` of its articles (keyed by MD5).

    The records count one after the other, so that the last of several of one article stands.
    """
    result, state = Plan(), dict(held)
    for prepared in batch:
        step = _plan_article if prepared.article else _plan_gone
        result.outcomes.append(step(result, state, prepared))
    return result


def _plan_gone(result: Plan, state: dict[str, Row], prepared: Prepared) -> Outcome:
    before = state.get(prepared.url_md5)
    if before is None or before["gone_at"] is not None:
        return "unchanged"
    _set_columns(result, state, prepared.url_md5, {"gone_at": prepared.gone_at})
    return "gone"


def _plan_article(result: Plan, state: dict[str, Row], prepared: Prepared) -> Outcome:
    row, before = prepared.article, state.get(prepared.url_md5)
    if before is None:
        _replace(result, state, prepared)
        return "new"
    if not row["is_complete"] and len(before["page_urls"]) >= len(row["page_urls"]):
        differing = _differing(before, row, ("missing_urls", "is_complete", "gone_at"))
        _set_columns(result, state, prepared.url_md5, differing)
    elif before["record_md5"] == row["record_md5"]:
        differing = _differing(before, row, _BESIDES)
        also = {name: row[name] for name in ("pages", "fetched_at")} if differing else {}
        _set_columns(result, state, prepared.url_md5, differing | also)
    else:
        _replace(result, state, prepared)
        return "changed"
    if "gone_at" in differing:
        return "changed"
    return "unchanged" if differing.keys() <= set(_UNSEEN) else "amended"


def _differing(before: Row, row: Row, names: Sequence[str]) -> Row:
    return {name: row[name] for name in names if row[name] != before[name]}


def _set_columns(result: Plan, state: dict[str, Row], url_md5: str, columns: Row) -> None:
    if columns:
        state[url_md5] = state[url_md5] | columns
        result.columns[url_md5] = result.columns.get(url_md5, {}) | columns


def _replace(result: Plan, state: dict[str, Row], prepared: Prepared) -> None:
    earlier = result.articles.get(prepared.url_md5)
    if earlier:
        prepared.article["first_seen"] = earlier.article["first_seen"]
    state[prepared.url_md5] = prepared.article
    result.articles[prepared.url_md5] = prepared
    result.columns.pop(prepared.url_md5, None)


def known_article(row: Mapping[str, Any]) -> KnownArticle:
    """Build what is known of an article from its row."""
    return KnownArticle(
        url=row["url"],
        url_md5=row["url_md5"],
        title=row["title"],
        content_md5=row["content_md5"],
        published=row["published"],
        stamp=row["stamp"],
        is_complete=bool(row["is_complete"]),
        is_gone=row["gone_at"] is not None,
        page_urls=row["page_urls"],
        validators=row["validators"],
        first_seen=row["first_seen"],
    )


def stored_article(row: Mapping[str, Any], quotes: list[Quote]) -> Article:
    """Build an article from its row and its quotes."""
    return Article(
        url=row["url"],
        site=row["site"],
        title=row["title"],
        text=row["text"],
        published=row["published"],
        stamp=row["stamp"],
        page_urls=row["page_urls"],
        missing_urls=row["missing_urls"],
        validators=row["validators"],
        fetched_at=row["fetched_at"],
        quotes=quotes,
    )


def stored_summary(row: Mapping[str, Any]) -> ArticleSummary:
    """Build the summary of an article from its row."""
    return ArticleSummary(
        url=row["url"],
        site=row["site"],
        title=row["title"],
        published=row["published"],
        page_urls=row["page_urls"],
        missing_urls=row["missing_urls"],
        is_complete=bool(row["is_complete"]),
        is_gone=row["gone_at"] is not None,
    )


def stored_quote(row: Mapping[str, Any]) -> Quote:
    """Build a quote from its row."""
    return Quote(**{name: row[name] for name in _QUOTE_FIELDS})
