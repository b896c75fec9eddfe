"""Matrix of entities and days, as a page and as data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.file_downloads import csv_response, workbook_response
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.figures.price_query import PriceQuery, Selection, select
from focuscrawl.web.prices.figures.price_table import PriceTable
from focuscrawl.web.prices.price_charts import iso_days
from focuscrawl.web.prices.price_matrix import ROWS_A_PAGE, all_rows, price_matrix
from focuscrawl.web.prices.price_requests import (
    cached,
    json_rendered,
    price_query,
    provenance,
    rendered_page,
    shared_values,
    text_of,
    with_table,
)
from focuscrawl.web.prices.response_cache import Rendered

DEFAULT_DAYS = 14
MOST_DAYS = 62
"""Columns of a page; files have all of them."""


async def matrix(request: Request, table: PriceTable) -> Response:
    """Show the matrix of a choice."""
    query = price_query(request)
    return await cached(request, table, partial(_page, request, table, query))


def _page(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    chosen = select(table, query, DEFAULT_DAYS).newest(MOST_DAYS)
    values: dict[str, Any] = shared_values(request, chosen) | {"matrix": None}
    if not chosen.is_empty:
        found = price_matrix(chosen, query.page)
        values |= {"matrix": found, "pages": max(1, -(-found.entities // ROWS_A_PAGE))}
    return rendered_page(request, "prices/matrix.html", values)


def _columns(chosen: Selection) -> Columns:
    days = [] if chosen.is_empty else iso_days(chosen.first, chosen.last)[::-1]
    return {"entity": str, "place": str, "unit": str, **dict.fromkeys(days, float)}


def _rows(chosen: Selection) -> Iterator[Row]:
    if chosen.is_empty:
        return
    digits = chosen.query.digits
    days = iso_days(chosen.first, chosen.last)[::-1]
    for row in all_rows(chosen):
        cells = zip(days, row.cells, strict=True)
        prices: Row = {day: round(c.price * chosen.query.factor, digits) for day, c in cells if c}
        head: Row = {"entity": row.name, "place": row.place, "unit": chosen.query.unit_name}
        yield head | prices


async def matrix_csv(request: Request, table: PriceTable) -> Response:
    """Return the matrix of a choice as CSV."""
    chosen = select(table, price_query(request), DEFAULT_DAYS)
    return csv_response(_rows(chosen), _columns(chosen), "matrix.csv")


async def matrix_xlsx(request: Request, table: PriceTable) -> Response:
    """Return the matrix of a choice as a workbook."""
    chosen = select(table, price_query(request), DEFAULT_DAYS)
    title = text_of(request)("prices.matrix")
    return await workbook_response(_rows(chosen), _columns(chosen), "matrix.xlsx", title)


async def matrix_json(request: Request, table: PriceTable) -> Response:
    """Return the matrix of a choice with its provenance."""
    chosen = select(table, price_query(request), DEFAULT_DAYS)
    return await cached(request, table, partial(_json, request, chosen))


def _json(request: Request, chosen: Selection) -> Rendered:
    return json_rendered({"provenance": provenance(request, chosen), "rows": list(_rows(chosen))})


ROUTES = (
    PageRoute("/prices/matrix", with_table(matrix), Permission.READ),
    PageRoute("/prices/matrix.csv", with_table(matrix_csv), Permission.EXPORT),
    PageRoute("/prices/matrix.xlsx", with_table(matrix_xlsx), Permission.EXPORT),
    PageRoute("/prices/matrix.json", with_table(matrix_json), Permission.EXPORT),
)
