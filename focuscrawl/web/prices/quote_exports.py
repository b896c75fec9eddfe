"""Quotes with the addresses of their articles as rows and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from focuscrawl.exports.flat_records import Cell, Columns, Row
from focuscrawl.exports.row_files import json_value
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.web.prices.figures.price_query import PriceQuery
from focuscrawl.web.prices.figures.price_table import PriceTable, Rows, day_of

AT_ONCE = 2000
QUOTE_COLUMNS: Columns = MappingProxyType(
    {
        "date": date,
        "commodity": str,
        "entity": str,
        "entity_type": str,
        "province": str,
        "city": str,
        "county": str,
        "price_low": float,
        "price_high": float,
        "unit": str,
        "flag": str,
        "is_primary": bool,
        "is_counted": bool,
        "site": str,
        "published": date,
        "article_url": str,
        "quote": str,
    }
)


def quote_address(table: PriceTable, row: int) -> str:
    """Return the address of the page of a quote."""
    md5, seq = table.key(row)
    return f"/prices/quotes/{md5}/{seq}{f'?known_on={table.known_on}' if table.known_on else ''}"


def quote_row(table: PriceTable, row: int, query: PriceQuery, origin: str) -> Row:
    """Return a quote in the order of ``QUOTE_COLUMNS``; ``origin`` is the address of this server."""
    series = table.series[table.owner[row]]
    article = int(table.article[row])
    digits = query.digits
    values: tuple[Cell, ...] = (
        day_of(table.day[row]),
        table.commodities[table.commodity[row]],
        series.name,
        ENTITY_TYPES[table.kind[row]],
        *series.place,
        round(float(table.low[row]) * query.factor, digits),
        round(float(table.high[row]) * query.factor, digits),
        query.unit_name,
        table.flags[table.flag[row]],
        bool(table.is_primary[row]),
        bool(table.is_counted[row]),
        table.articles.site_name(article),
        day_of(table.articles.published[article]),
        table.articles.urls[article],
        origin + quote_address(table, row),
    )
    return dict(zip(QUOTE_COLUMNS, values, strict=True))


def quote_rows(table: PriceTable, rows: Rows, query: PriceQuery, origin: str) -> Iterator[Row]:
    """Yield quotes as rows of a table."""
    for row in rows:
        yield quote_row(table, int(row), query, origin)


def json_lines(rows: Iterable[Mapping[str, Any]], *, is_first: bool) -> bytes:
    """Return rows as a part of a JSON list, with a comma before each but the first."""
    lines = [
        json.dumps({name: json_value(value) for name, value in row.items()}, ensure_ascii=False)
        for row in rows
    ]
    text = ",\n".join(lines)
    return (text if is_first or not lines else f",\n{text}").encode("utf-8", "replace")
