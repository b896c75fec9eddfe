"""Records as flat rows: one value a column, the same columns for all rows of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from types import MappingProxyType

from focuscrawl.items import Article, NumberedArticle, OwnItem, Page, Record, TemplateRecord
from focuscrawl.reports.item_columns import item_row
from focuscrawl.stored_records import StoredQuote

Cell = str | bool | int | float | Decimal | date | datetime | None
Row = dict[str, Cell]
Columns = Mapping[str, type]
"""Types of the cells by the name of the column, in order; a cell may also be None."""

QUOTE_COLUMNS: Columns = MappingProxyType(
    {
        "date": date,
        "commodity": str,
        "entity": str,
        "entity_type": str,
        "province": str,
        "city": str,
        "county": str,
        "region": str,
        "price_low": Decimal,
        "price_high": Decimal,
        "unit": str,
        "price_yuan_per_ton_low": Decimal,
        "price_yuan_per_ton_high": Decimal,
        "price_change": Decimal,
        "price_change_high": Decimal,
        "moisture": str,
        "goods_condition": str,
        "is_primary": bool,
        "confidence": Decimal,
        "flag": str,
        "mention": str,
        "entity_is_known": bool,
        "span": str,
        "text_start": int,
        "text_end": int,
        "article_title": str,
        "article_url": str,
        "site": str,
    }
)
ARTICLE_COLUMNS: Columns = MappingProxyType(
    {
        "published": date,
        "title": str,
        "url": str,
        "site": str,
        "is_complete": bool,
        "pages": int,
        "quotes": int,
        "fetched_at": datetime,
        "text": str,
        # Last, so that the places of the others stay.
        "relevance": float,
    }
)
PAGE_COLUMNS: Columns = MappingProxyType(
    {
        "topic": str,
        "title": str,
        "url": str,
        "site": str,
        "is_relevant": bool,
        "relevance": float,
        "score": float,
        "steps": int,
        "via": str,
        "fetched_at": datetime,
        "text": str,
    }
)
NUMBERED_COLUMNS: Columns = MappingProxyType(
    {
        "series": str,
        "number": int,
        "title": str,
        "url": str,
        "site": str,
        "published": date,
        "author": str,
        "tags": str,
        "description": str,
        "fetched_at": datetime,
        "text": str,
        "extra": str,
        "relevance": float,
    }
)
RECORD_COLUMNS: Columns = MappingProxyType(
    {
        "crawl": str,
        "template": str,
        "window": int,
        "title": str,
        "url": str,
        "site": str,
        "fetched_at": datetime,
    }
)
_SEPARATOR = "; "
_of_quote = attrgetter(*list(QUOTE_COLUMNS)[:-3])


def quote_row(stored: StoredQuote) -> Row:
    """Return a quote with its article in the order of ``QUOTE_COLUMNS``."""
    article = stored.article_title, stored.article_url, stored.site
    return dict(zip(QUOTE_COLUMNS, (*_of_quote(stored.quote), *article), strict=True))


def article_row(article: Article) -> Row:
    """Return an article in the order of ``ARTICLE_COLUMNS``.

    Its quotes are only counted; None if its prices were not read.
    """
    quotes = None if article.quotes is None else len(article.quotes)
    counts = {"pages": len(article.page_urls), "quotes": quotes}
    return {
        name: counts[name] if name in counts else getattr(article, name) for name in ARTICLE_COLUMNS
    }


def page_row(page: Page) -> Row:
    """Return a page of a topical crawl in the order of ``PAGE_COLUMNS``."""
    return {name: getattr(page, name) for name in PAGE_COLUMNS}


def numbered_row(article: NumberedArticle) -> Row:
    """Return a numbered article in the order of ``NUMBERED_COLUMNS``, without its HTML."""
    other: Row = {
        "tags": _SEPARATOR.join(article.tags),
        "text": article.body_text,
        "extra": json.dumps(article.extra, ensure_ascii=False) if article.extra else "",
    }
    return {
        name: other[name] if name in other else getattr(article, name) for name in NUMBERED_COLUMNS
    }


def record_row(record: TemplateRecord) -> Row:
    """Return a record of a template: ``RECORD_COLUMNS``, then each field with its values joined."""
    row: Row = {name: getattr(record, name) for name in RECORD_COLUMNS}
    for found in record.values:
        column = field_column(found.field)
        before = row.get(column)
        row[column] = f"{before}{_SEPARATOR}{found.value}" if before else found.value
    return row


def field_column(field: str) -> str:
    """Return the name of the column of a template's field, which may be named like a fixed column."""
    # With a point, which no field's name has.
    return f"value.{field}" if field in RECORD_COLUMNS else field


def flat_rows(record: Record, *, with_prices: bool) -> Iterator[Row]:
    """Yield the rows of a record: an article gives one, or ``with_prices`` one for each quote read.

    Records that only mark what is gone, missing or waiting give none, and neither do unread articles.
    """
    match record:
        case Article(is_read=False):
            return
        case Article(quotes=[*quotes]) if with_prices:
            for quote in quotes:
                yield quote_row(
                    StoredQuote(
                        quote=quote,
                        article_url=record.url,
                        article_title=record.title,
                        site=record.site,
                    )
                )
        case Article():
            yield article_row(record)
        case Page():
            yield page_row(record)
        case NumberedArticle():
            yield numbered_row(record)
        case TemplateRecord():
            yield record_row(record)
        case OwnItem():
            yield item_row(record)
