"""Conversion between records and the rows that all stores share."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from operator import itemgetter
from typing import Any, get_type_hints

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    FILE,
    TRIED,
    Article,
    GoneArticle,
    GoneRecord,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    PageVerdict,
    PriceDecision,
    Quote,
    Record,
    RereadArticle,
    Seed,
    TemplateRecord,
    WithdrawnNumber,
    check_code,
    content_md5,
)
from focuscrawl.stored_records import ArticleSummary, KnownArticle
from focuscrawl.stores.records.batch_changes import (
    ARTICLES,
    DECISIONS,
    NUMBERED,
    PAGES,
    VERDICTS,
    Prepared,
    Row,
    instant,
)
from focuscrawl.stores.records.numbered_rows import prepare_missing, prepare_numbered
from focuscrawl.stores.records.own_items import prepare_item
from focuscrawl.stores.records.template_rows import prepare_gone, prepare_record, prepare_seed
from focuscrawl.stores.schema_version import RELEVANCE
from focuscrawl.system.package_extras import has_extra
from focuscrawl.text.file_kinds import PACKAGED

# U+0000 ends a text in many database tools; lone surrogates cannot be encoded.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# A 64-bit float preserves 15 significant digits, DECIMAL(18,6) has 12 before the point.
_DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN)
_SIX_PLACES = Decimal("0.000001")
_TOO_LARGE = Decimal(10) ** 12
QUOTE_FIELDS = tuple(entry.name for entry in fields(Quote))
_quote_values = itemgetter(*QUOTE_FIELDS)


def clean_text(text: str) -> str:
    """Replace characters that not all databases can store (NUL, lone surrogates) by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def tidy(number: Decimal) -> Decimal:
    """Remove trailing zeros and exponents: 2000.50000 becomes 2000.5 and 2E+3 becomes 2000."""
    if number == number.to_integral_value():
        return number.quantize(Decimal(1))
    return number.normalize()


@lru_cache(maxsize=4096)
def _number(value: Decimal) -> Decimal:
    if not value.is_finite() or abs(value) >= _TOO_LARGE:
        raise StoreError(f"the number {value:.3E} is too large to be a price; correct the quote")
    return tidy(_DIGITS.plus(value.quantize(_SIX_PLACES, rounding=ROUND_HALF_EVEN)))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise StoreError(f"{value} is not a finite number; correct the score")
    return float(value)


# The fields of a page by their types, so that none is missed.
_FORMS: dict[Any, Callable[[Any], Any]] = {
    str: clean_text,
    float: _finite,
    bool: bool,
    int: int,
    datetime: instant,
}
_PAGE_FORMS = {name: _FORMS[kind] for name, kind in get_type_hints(Page).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    return _number(value) if isinstance(value, Decimal) else value


def _quote_rows(article: Article, url_md5: str) -> list[Row]:
    return [
        {"article_md5": url_md5, "seq": seq}
        | {name: _plain(getattr(quote, name)) for name in QUOTE_FIELDS}
        for seq, quote in enumerate(article.quotes or ())
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
        RELEVANCE: article.relevance,
    }
    quotes = _quote_rows(article, url_md5)
    # No other column says whether prices were read.
    is_read = article.quotes is not None
    row["record_md5"] = _record_md5(row, quotes) if is_read else row["content_md5"]
    is_reread = isinstance(article, RereadArticle)
    return Prepared(ARTICLES, url_md5, article.url, row, quotes, is_reread=is_reread)


def _prepare_gone_article(gone: GoneArticle) -> Prepared:
    gone_at = instant(gone.gone_at)
    if gone.title is None:
        return Prepared(ARTICLES, gone.url_md5, gone.url, gone_at=gone_at)
    link = Article(
        url=gone.url,
        site=gone.site,
        title=gone.title,
        text="",
        published=gone.published,
        fetched_at=gone.gone_at,
        quotes=None,
    )
    prepared = _prepare_article(link)
    prepared.gone_at = prepared.row["gone_at"] = gone_at
    return prepared


def _prepare_page(page: Page) -> Prepared:
    row: Row = {name: form(getattr(page, name)) for name, form in _PAGE_FORMS.items()}
    row["key"] = page.key
    row["content_md5"] = content_md5(row["title"], row["text"])
    row["first_seen"] = row["fetched_at"]
    return Prepared(PAGES, page.key, page.url, row)


_DECISION_FIELDS = tuple(entry.name for entry in fields(PriceDecision))


def _prepare_decision(decision: PriceDecision) -> Prepared:
    row: Row = {name: _plain(getattr(decision, name)) for name in _DECISION_FIELDS}
    row["decided_at"] = instant(decision.decided_at)
    row |= {"key": decision.key, "article_md5": check_code(decision.url)}
    return Prepared(DECISIONS, decision.key, decision.url, row)


def stored_decision(row: Mapping[str, Any]) -> PriceDecision:
    """Build an editor's verdict on a quote from its row."""
    return PriceDecision(**{name: row[name] for name in _DECISION_FIELDS})


_VERDICT_FIELDS = tuple(entry.name for entry in fields(PageVerdict))


def _prepare_verdict(verdict: PageVerdict) -> Prepared:
    row: Row = {name: _plain(getattr(verdict, name)) for name in _VERDICT_FIELDS}
    row |= {"key": verdict.key, "decided_at": instant(verdict.decided_at)}
    return Prepared(VERDICTS, verdict.key, verdict.url, row)


def stored_verdict(row: Mapping[str, Any]) -> PageVerdict:
    """Build a person's verdict on a page from its row."""
    return PageVerdict(**{name: row[name] for name in _VERDICT_FIELDS})


def prepare(record: Record) -> Prepared:
    """Convert a record to the row that is stored.

    Prices are rounded to 6 decimals and 15 significant digits. Raises StoreError for a number
    that is not finite, and for a price of more than 12 digits before the point.
    """
    try:
        match record:
            case GoneArticle():
                return _prepare_gone_article(record)
            case Page():
                return _prepare_page(record)
            case Article():
                return _prepare_article(record)
            case NumberedArticle():
                return prepare_numbered(record)
            case MissingNumber():
                return prepare_missing(record)
            case WithdrawnNumber():
                return Prepared(NUMBERED, record.url_md5, record.url, is_erased=True)
            case TemplateRecord():
                return prepare_record(record)
            case GoneRecord():
                return prepare_gone(record)
            case Seed():
                return prepare_seed(record)
            case PriceDecision():
                return _prepare_decision(record)
            case PageVerdict():
                return _prepare_verdict(record)
            case OwnItem():
                return prepare_item(record)
    except StoreError as error:
        raise StoreError(f"{record.url} cannot be stored: {error}") from error


def prepare_all(records: Sequence[Record]) -> list[Prepared | StoreError]:
    """Prepare each record; a record that cannot be stored is replaced by its error."""
    prepared: list[Prepared | StoreError] = []
    for record in records:
        try:
            prepared.append(prepare(record))
        except StoreError as error:
            prepared.append(error)
        except (TypeError, ValueError, AttributeError) as error:
            prepared.append(StoreError(f"{record.url!r} cannot be stored as it is: {error}"))
    return prepared


def _is_read_file(validators: Mapping[str, Sequence[str]]) -> bool:
    """Return whether nothing more can be read of a file, now that the packages for it may be there."""
    if not (file := validators.get(FILE)):
        return False
    return TRIED in file or file[0] not in PACKAGED or not has_extra("files")


def known_article(row: Mapping[str, Any]) -> KnownArticle:
    """Build the known part of an article from its row."""
    return KnownArticle(
        url=row["url"],
        url_md5=row["url_md5"],
        title=row["title"],
        content_md5=row["content_md5"],
        published=row["published"],
        stamp=row["stamp"],
        is_complete=bool(row["is_complete"]) or _is_read_file(row["validators"]),
        is_gone=row["gone_at"] is not None,
        page_urls=row["page_urls"],
        validators=row["validators"],
        first_seen=row["first_seen"],
        has_prices_read=_has_prices_read(row),
    )


def _has_prices_read(row: Mapping[str, Any]) -> bool:
    # Both are empty where a program was killed while it replaced the quotes.
    return not row["record_md5"] or bool(row["record_md5"] != row["content_md5"])


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
        quotes=quotes if _has_prices_read(row) else None,
        relevance=row.get(RELEVANCE),
    )


def stored_summary(row: Mapping[str, Any]) -> ArticleSummary:
    """Build the summary of an article from its row, which has ``has_text`` instead of the text."""
    return ArticleSummary(
        url=row["url"],
        site=row["site"],
        title=row["title"],
        published=row["published"],
        page_urls=row["page_urls"],
        missing_urls=row["missing_urls"],
        is_complete=bool(row["is_complete"]),
        is_gone=row["gone_at"] is not None,
        first_seen=row["first_seen"],
        has_prices_read=_has_prices_read(row),
        has_text=bool(row["has_text"]),
    )


def stored_quote(row: Mapping[str, Any]) -> Quote:
    """Build a quote from its row."""
    return quote_of(_quote_values(row))


def quote_of(values: Iterable[Any]) -> Quote:
    """Build a quote from its values in the order of ``QUOTE_FIELDS``."""
    return Quote(*values)


def stored_page(row: Mapping[str, Any]) -> Page:
    """Build a page of a topical crawl from its row."""
    page = Page(**{name: row[name] for name in _PAGE_FORMS})
    page.is_relevant = bool(row["is_relevant"])
    return page
