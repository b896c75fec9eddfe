"""Table of quotes, as a page and as data, and the way from a point of a chart to its quotes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from focuscrawl.exports.flat_records import Cell, Columns, Row
from focuscrawl.exports.row_files import json_value
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.price_statistics.moisture_classes import MOISTURES
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.price_query import Day, KnownQuery, PriceQuery, Unit, matching, select
from focuscrawl.web.prices.price_requests import (
    Rendered,
    cached,
    file_routes,
    price_query,
    rendered_page,
    shared_values,
    text_of,
    with_table,
)
from focuscrawl.web.prices.price_table import PriceTable, Rows, day_of
from focuscrawl.web.query_values import query_of, with_query
from focuscrawl.web.quotations.quote_lookup import hidden_from
from focuscrawl.web.web_site import origin_of, site_of

AT_ONCE = 2000
QUOTE_COLUMNS: Columns = MappingProxyType(
    {
        "date": date,
        **dict.fromkeys("commodity entity entity_type province city county".split(), str),
    }
    | {"price_low": float, "price_high": float, "unit": str, "moisture": str, "flag": str}
    | {"is_primary": bool, "is_counted": bool, "site": str, "published": date}
    | {"article_url": str, "quote": str}
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
        MOISTURES[table.moisture[row]],
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


ROWS_A_PAGE = 100


class PointQuery(KnownQuery):
    """A point of a chart: an entity on a day."""

    day: Day = date.min
    unit: Unit = "ton"


async def quotes(request: Request, table: PriceTable) -> Response:
    """Show a page of the quotes of a choice."""
    query = price_query(request)
    return await cached(request, table, partial(_page, request, table, query))


def _page(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    rows = matching(table, query)
    start = (query.page - 1) * ROWS_A_PAGE
    # In yuan per ton, as the texts of pages take prices.
    shown = list(quote_rows(table, rows[start : start + ROWS_A_PAGE], PriceQuery(), ""))
    pages = max(1, -(-len(rows) // ROWS_A_PAGE))
    chosen = select(table, query)
    if query.commodity is None:
        chosen = replace(chosen, commodity=text_of(request)("prices.all_goods"))
    values = shared_values(request, chosen)
    values |= {"rows": shown, "count": len(rows), "pages": pages}
    return rendered_page(request, "prices/quotes.html", values)


async def point(request: Request, table: PriceTable) -> Response:
    """Lead from a point of a chart to its quote, or to the quotes of the day where there are several."""
    asked = query_of(request, PointQuery)
    days: dict[str, Any] = {"since": asked.day, "until": asked.day}
    query = PriceQuery(commodity=asked.commodity or "", entity=asked.entity, **days)
    rows = [int(row) for row in matching(table, query) if table.is_counted[row]]
    if len(rows) == 1:
        return RedirectResponse(quote_address(table, rows[0]), status_code=303)
    unit = None if asked.unit == "ton" else asked.unit
    where: dict[str, Any] = {
        "commodity": asked.commodity,
        "entity": asked.entity,
        "flag": "unflagged",
    }
    where |= {"known_on": asked.known_on, "unit": unit, **days}
    return RedirectResponse(with_query("/prices/quotes", **where), 303)


def _exported(request: Request, table: PriceTable) -> tuple[Iterator[Row], Columns]:
    query = price_query(request)
    return quote_rows(table, matching(table, query), query, origin_of(request)), QUOTE_COLUMNS


async def quotes_json(request: Request, table: PriceTable) -> Response:
    """Return all quotes of a choice with their sentences and where they come from."""
    query = price_query(request)
    return StreamingResponse(_json_parts(request, table, query), media_type="application/json")


async def _json_parts(
    request: Request, table: PriceTable, query: PriceQuery
) -> AsyncIterator[bytes]:
    rows = matching(table, query)
    provenance = {
        "address": str(request.url),
        "filters": query.model_dump(mode="json", exclude_defaults=True),
        "snapshot": table.read_at.isoformat(),
        "count": len(rows),
    }
    head = json.dumps(provenance, ensure_ascii=False)
    yield f'{{"provenance": {head},\n"quotes": [\n'.encode("utf-8", "replace")
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        spans = await _spans(request, table, part)
        origin = origin_of(request)
        found = [quote_row(table, int(row), query, origin) for row in part]
        sentences = [spans.get(key, "") for key in map(table.key, part)]
        whole = [row | {"span": text} for row, text in zip(found, sentences, strict=True)]
        yield json_lines(whole, is_first=start == 0)
    yield b"\n]}\n"


async def _spans(request: Request, table: PriceTable, rows: Rows) -> dict[tuple[str, int], str]:
    articles = {table.articles.md5(int(one)) for one in table.article[rows]}
    articles -= await hidden_from(request, articles)
    return await site_of(request).store.spans(sorted(articles))


ROUTES = (
    PageRoute("/prices/quotes", with_table(quotes), Permission.READ),
    PageRoute("/prices/points", with_table(point), Permission.READ),
    *file_routes("/prices/quotes", _exported, "prices.quotes_title"),
    PageRoute("/prices/quotes.json", with_table(quotes_json), Permission.EXPORT),
)
