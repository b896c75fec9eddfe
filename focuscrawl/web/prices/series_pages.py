"""First page of the prices, as a page and as data."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.alarms.alarm_store import StoredRule
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.compared_series import (
    COMPARED_COLUMNS,
    compared_rows,
    compared_series,
    newest_values,
)
from focuscrawl.web.prices.price_charts import Chart, picture_of, picture_threads
from focuscrawl.web.prices.price_query import PriceQuery, Selection
from focuscrawl.web.prices.price_requests import (
    Rendered,
    cached,
    file_routes,
    json_rendered,
    price_query,
    price_rules,
    provenance,
    rendered_page,
    shared_values,
    suggested,
    text_of,
    with_table,
)
from focuscrawl.web.prices.price_table import PriceTable
from focuscrawl.web.prices.quote_pages import QUOTE_COLUMNS, quote_rows
from focuscrawl.web.prices.series_view import select_view, series_view, shown_rows, title_of
from focuscrawl.web.web_site import origin_of

ROWS = 30
SPANS = (30, 90, 180, 365)
_NAMES, _TOLD = ("commodity", "region", "entity"), ("unit", "missing_because", "quotes")
_FIGURES = ("price", "low", "high", "median", "lower_tenth", "upper_tenth")
DAY_COLUMNS: Columns = MappingProxyType(
    {"date": date, **dict.fromkeys(_NAMES, str), **dict.fromkeys(_FIGURES, float)}
    | {"entities": int, **dict.fromkeys(_TOLD, str)}
)


async def prices(request: Request, table: PriceTable) -> Response:
    """Show the prices of a choice."""
    query, rules = price_query(request), await price_rules(request)
    return await cached(request, table, partial(_page, request, table, query, rules), repr(rules))


def _page(
    request: Request, table: PriceTable, query: PriceQuery, rules: list[StoredRule]
) -> Rendered:
    t = text_of(request)
    if query.is_compared:
        found = compared_series(table, query, t)
        shared = shared_values(request, found.chosen[0]) | {"query": query, "found": found}
        shared |= {"title": found.chart.title, "rows": newest_values(found, ROWS)}
        shared["chart"] = found.chart.as_json()
        return rendered_page(request, "prices/compared.html", shared)
    chosen = select_view(table, query)
    values: dict[str, Any] = shared_values(request, chosen) | {"view": None, "spans": SPANS}
    if not chosen.is_empty:
        view = series_view(chosen, t, rules)
        values |= {"view": view, "chart": view.chart.as_json()}
    return rendered_page(request, "prices/series.html", values)


def _exported(request: Request, table: PriceTable) -> tuple[Iterator[Row], Columns]:
    query = price_query(request)
    if query.is_compared:
        return _compared(request, table, query), COMPARED_COLUMNS
    chosen = select_view(table, query)
    if query.rows == "days":
        return day_rows(request, chosen), DAY_COLUMNS
    origin = origin_of(request)
    return quote_rows(table, shown_rows(chosen), query, origin), QUOTE_COLUMNS


def _compared(request: Request, table: PriceTable, query: PriceQuery) -> Iterator[Row]:
    found = compared_series(table, query, text_of(request))
    unit = query.compare if query.compare in ("index", "ratio") else query.unit_name
    return compared_rows(found, unit, origin_of(request))


def day_rows(request: Request, chosen: Selection) -> Iterator[Row]:
    """Yield the days of the table beneath the chart."""
    if chosen.is_empty:
        return
    query = chosen.query
    # All days, however many the page shows.
    view = series_view(chosen, text_of(request), most_rows=None)
    digits = query.digits
    for row in view.rows:
        prices = (row.price, row.low, row.high, row.median, row.lower, row.upper)
        figures = [None if one != one else round(one * query.factor, digits) for one in prices]
        link = origin_of(request) + row.link if row.link else None
        names = chosen.commodity, query.province + query.city, query.entity
        values = (date.fromisoformat(row.day), *names, *figures, row.entities)
        values += (query.unit_name, row.cause, link)
        yield dict(zip(DAY_COLUMNS, values, strict=True))


async def prices_json(request: Request, table: PriceTable) -> Response:
    """Return the days of a choice with their provenance."""
    query, rules = price_query(request), await price_rules(request)
    return await cached(request, table, partial(_json, request, table, query, rules), repr(rules))


def _json(
    request: Request, table: PriceTable, query: PriceQuery, rules: list[StoredRule]
) -> Rendered:
    if query.is_compared:
        compared = compared_series(table, query, text_of(request))
        told = {"provenance": [provenance(request, one) for one in compared.chosen]}
        rows = list(_compared(request, table, query))
        return json_rendered(told | {"days": rows, "chart": compared.chart.as_json()})
    chosen = select_view(table, query)
    found: dict[str, Any] = {"provenance": provenance(request, chosen)}
    found["days"] = list(day_rows(request, chosen))
    view = None if chosen.is_empty else series_view(chosen, text_of(request), rules)
    found["chart"] = view.chart.as_json() if view else None
    return json_rendered(found)


async def prices_png(request: Request, table: PriceTable) -> Response:
    """Return the chart of a choice as a picture."""
    query, rules = price_query(request), await price_rules(request)
    make = partial(_png, request, table, query, rules)
    return await cached(request, table, make, repr(rules), picture_threads.run)


def _png(
    request: Request, table: PriceTable, query: PriceQuery, rules: list[StoredRule]
) -> Rendered:
    t = text_of(request)
    if query.is_compared:
        return Rendered(picture_of(compared_series(table, query, t).chart), "image/png")
    chosen = select_view(table, query)
    title = title_of(chosen, t)
    empty = Chart(title, title, t(f"prices.unit_{query.unit}"), [], [])
    chart = empty if chosen.is_empty else series_view(chosen, t, rules).chart
    return Rendered(picture_of(chart), "image/png")


ROUTES = (
    PageRoute("/prices/suggest", with_table(suggested), Permission.READ),
    PageRoute("/prices.png", with_table(prices_png), Permission.READ),
    PageRoute("/prices", with_table(prices), Permission.READ),
    *file_routes("/prices", _exported, "prices.quotes_title"),
    PageRoute("/prices.json", with_table(prices_json), Permission.EXPORT),
)
