"""Matrix of entities and days, as a page and as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.price_statistics.price_moves import changes
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.daily_prices import DailyPrices, daily_prices
from focuscrawl.web.prices.price_charts import DAY, iso_day, iso_days, point_links
from focuscrawl.web.prices.price_query import PriceQuery, Selection, select
from focuscrawl.web.prices.price_requests import (
    Rendered,
    cached,
    file_routes,
    json_rendered,
    price_query,
    provenance,
    rendered_page,
    shared_values,
    with_table,
)
from focuscrawl.web.prices.price_table import PriceTable

# Matrix of the newest days' prices: an entity a row, a day a column.

STEPS = (0.0, 0.01, 0.02)
"""Shares of the earlier price beyond which a cell has the next colour."""
ROWS_A_PAGE = 60
_COMPARED_DAYS = 10


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A price, its change against the last one before, and the step of its colour, from -3 to 3."""

    price: float
    change: float
    step: int
    link: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """An entity with a cell, or None, for each day."""

    name: str
    place: str
    cells: list[MatrixCell | None]


@dataclass(frozen=True, slots=True)
class PriceMatrix:
    """Days, newest first, the number of all entities, and the rows, which can be read once."""

    days: list[str]
    entities: int
    rows: Iterator[MatrixRow]


def price_matrix(chosen: Selection, page: int | None = None) -> PriceMatrix:
    """Return one page of the matrix of a choice with at least one day, or all of it."""
    daily, owners = _of_choice(chosen)
    start = 0 if page is None else (page - 1) * ROWS_A_PAGE
    shown = owners[start : None if page is None else start + ROWS_A_PAGE]
    days = [iso_day(number) for number in range(chosen.last, chosen.first - 1, -1)]
    link = point_links(chosen)
    return PriceMatrix(days, len(owners), (_row(chosen, daily, owner, link) for owner in shown))


def _of_choice(chosen: Selection) -> tuple[DailyPrices, list[int]]:
    """Return the daily prices, and the series with one on the days shown, by their places."""
    daily = daily_prices(chosen.table, chosen.rows(_COMPARED_DAYS))
    inside = (daily.day >= chosen.first) & (daily.day <= chosen.last)
    series = chosen.table.series
    found = [int(owner) for owner in np.unique(daily.owner[inside])]
    return daily, sorted(found, key=lambda owner: (series[owner].place, series[owner].name))


def _row(
    chosen: Selection, daily: DailyPrices, owner: int, link: Callable[[str], str]
) -> MatrixRow:
    own = daily.of(owner)
    shown = np.flatnonzero((own.day >= chosen.first) & (own.day <= chosen.last))
    change, ratio = changes(own, "day", shown)
    series = chosen.table.series[owner]
    own_link = link(series.name)
    cells: list[MatrixCell | None] = [None] * (chosen.last - chosen.first + 1)
    for place, position in enumerate(shown):
        day = int(own.day[position])
        cells[chosen.last - day] = MatrixCell(
            float(own.price[position]),
            float(change[place]),
            _step(float(ratio[place])),
            own_link.replace(DAY, iso_day(day)),
        )
    place_name = "".join(dict.fromkeys(filter(None, series.place[:2])))
    return MatrixRow(series.name, place_name, cells)


def _step(ratio: float) -> int:
    if np.isnan(ratio):
        return 0
    size = sum(abs(ratio) > limit for limit in STEPS)
    return size if ratio > 0 else -size


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
    found = price_matrix(chosen)
    for row in found.rows:
        cells = zip(found.days, row.cells, strict=True)
        prices: Row = {day: round(c.price * chosen.query.factor, digits) for day, c in cells if c}
        head: Row = {"entity": row.name, "place": row.place, "unit": chosen.query.unit_name}
        yield head | prices


def _exported(request: Request, table: PriceTable) -> tuple[Iterator[Row], Columns]:
    chosen = select(table, price_query(request), DEFAULT_DAYS)
    return _rows(chosen), _columns(chosen)


async def matrix_json(request: Request, table: PriceTable) -> Response:
    """Return the matrix of a choice with its provenance."""
    chosen = select(table, price_query(request), DEFAULT_DAYS)
    return await cached(request, table, partial(_json, request, chosen))


def _json(request: Request, chosen: Selection) -> Rendered:
    return json_rendered({"provenance": provenance(request, chosen), "rows": list(_rows(chosen))})


ROUTES = (
    PageRoute("/prices/matrix", with_table(matrix), Permission.READ),
    *file_routes("/prices/matrix", _exported, "prices.matrix"),
    PageRoute("/prices/matrix.json", with_table(matrix_json), Permission.EXPORT),
)
