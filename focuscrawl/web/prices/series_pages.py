"""First page of the prices, as a page and as data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices import price_texts
from focuscrawl.web.prices.price_query import PriceQuery, Selection
from focuscrawl.web.prices.price_requests import (
    Text,
    cached,
    csv_response,
    origin_of,
    price_query,
    rendered_page,
    text_of,
    with_table,
    workbook_response,
)
from focuscrawl.web.prices.price_table import PriceTable, Rows
from focuscrawl.web.prices.quote_exports import QUOTE_COLUMNS, quote_rows
from focuscrawl.web.prices.response_cache import Rendered, packed
from focuscrawl.web.prices.series_view import (
    SeriesView,
    options,
    select_view,
    series_view,
    title_of,
)
from focuscrawl.web.web_site import site_of

SPANS = (30, 90, 180, 365)
DAY_COLUMNS: Columns = MappingProxyType(
    {
        "date": date,
        "commodity": str,
        "region": str,
        "entity": str,
        "price": float,
        "low": float,
        "high": float,
        "median": float,
        "lower_tenth": float,
        "upper_tenth": float,
        "entities": int,
        "unit": str,
        "missing_because": str,
        "quotes": str,
    }
)


async def prices(request: Request, table: PriceTable) -> Response:
    """Show the prices of a choice."""
    query = price_query(request)
    return await cached(request, table, partial(_page, request, table, query))


def _page(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    t = text_of(request)
    chosen = select_view(table, query)
    values: dict[str, Any] = shared_values(request, chosen, t)
    if not chosen.is_empty:
        view = series_view(chosen, t)
        values |= {"view": view, "chart": view.chart.as_json()}
    return rendered_page(request, "prices/series.html", values)


def shared_values(request: Request, chosen: Selection, t: Text) -> dict[str, Any]:
    """Return the values of templates that all pages of prices need."""
    table, query = chosen.table, chosen.query
    return {
        "chosen": chosen,
        "query": query,
        "title": title_of(chosen, t),
        "options": options(table, chosen.commodity, query.province, query.city),
        "texts": price_texts,
        "read_at": table.read_at,
        "is_old": site_of(request).prices.error is not None,
        "spans": SPANS,
        "view": None,
        "chart": None,
    }


async def prices_csv(request: Request, table: PriceTable) -> Response:
    """Return the quotes, or the days, of a choice as CSV."""
    query = price_query(request)
    rows, columns = _exported(request, table, query)
    return csv_response(rows, columns, "prices.csv")


async def prices_xlsx(request: Request, table: PriceTable) -> Response:
    """Return the quotes, or the days, of a choice as a workbook."""
    query = price_query(request)
    rows, columns = _exported(request, table, query)
    title = text_of(request)("prices.quotes_title")
    return await workbook_response(rows, columns, "prices.xlsx", title)


def _exported(
    request: Request, table: PriceTable, query: PriceQuery
) -> tuple[Iterator[Row], Columns]:
    chosen = select_view(table, query)
    if query.rows == "days":
        return day_rows(request, chosen), DAY_COLUMNS
    origin = origin_of(request)
    return quote_rows(table, shown_rows(chosen), query, origin), QUOTE_COLUMNS


def shown_rows(chosen: Selection) -> Rows:
    """Return the quotes that the chart is drawn from, newest first."""
    table, rows = chosen.table, chosen.region
    if chosen.entity is not None:
        rows = rows[table.owner[rows] == chosen.entity]
    days = table.day[rows]
    rows = rows[(days >= chosen.first) & (days <= chosen.last)]
    is_shown = table.marked(rows)
    found: Rows = table.newest_first[is_shown[table.newest_first]]
    return found


def day_rows(request: Request, chosen: Selection) -> Iterator[Row]:
    """Yield the days of the table beneath the chart."""
    if chosen.is_empty:
        return
    query = chosen.query
    # All days, however many the page shows.
    view = series_view(chosen, text_of(request), most_rows=None)
    digits = 2 if query.unit == "ton" else 6
    for row in view.rows:
        prices = (row.price, row.low, row.high, row.median, row.lower, row.upper)
        figures = [None if one != one else round(one * query.factor, digits) for one in prices]
        link = origin_of(request) + row.link if row.link else None
        values = (
            date.fromisoformat(row.day),
            chosen.commodity,
            query.province + query.city,
            query.entity,
            *figures,
            row.entities,
            f"yuan/{query.unit}",
            row.cause,
            link,
        )
        yield dict(zip(DAY_COLUMNS, values, strict=True))


async def prices_json(request: Request, table: PriceTable) -> Response:
    """Return the days of a choice with their provenance."""
    query = price_query(request)
    return await cached(request, table, partial(_json, request, table, query))


def _json(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    chosen = select_view(table, query)
    view: SeriesView | None = None if chosen.is_empty else series_view(chosen, text_of(request))
    found = {
        "provenance": provenance(request, chosen),
        "days": [row | {"date": str(row["date"])} for row in day_rows(request, chosen)],
        "chart": view.chart.as_json() if view else None,
    }
    text = json.dumps(found, ensure_ascii=False)
    return packed(text.encode("utf-8", "replace"), "application/json")


def provenance(request: Request, chosen: Selection) -> dict[str, Any]:
    """Return where data come from: this address, the choices, the time of the snapshot, the sources."""
    table = chosen.table
    rows = shown_rows(chosen)
    sites = {table.articles.site_name(int(one)) for one in set(table.article[rows].tolist())}
    filters = chosen.query.model_dump(mode="json", exclude_defaults=True)
    return {
        "address": str(request.url),
        "filters": filters | {"commodity": chosen.commodity},
        "snapshot": table.read_at.isoformat(),
        "sites": sorted(sites),
        "quotes": len(rows),
        "quotes_csv": str(request.url).replace("/prices.json", "/prices.csv", 1),
    }


ROUTES = (
    PageRoute("/prices", with_table(prices), Permission.READ),
    PageRoute("/prices.csv", with_table(prices_csv), Permission.EXPORT),
    PageRoute("/prices.xlsx", with_table(prices_xlsx), Permission.EXPORT),
    PageRoute("/prices.json", with_table(prices_json), Permission.EXPORT),
)
