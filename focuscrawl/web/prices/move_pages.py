"""Entities by the change of their newest price, as a page and as data."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import partial
from types import MappingProxyType

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.price_statistics.price_moves import newest_moves
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.daily_prices import compared_rows, daily_prices
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
from focuscrawl.web.prices.series_view import Ranked, ranked
from focuscrawl.web.web_site import origin_of

ROWS_A_PAGE = 100
_DEFAULT_DAYS = 7
MOVE_COLUMNS: Columns = MappingProxyType(
    {
        "entity": str,
        "place": str,
        "date": date,
        "price": float,
        "unit": str,
        "day_change": float,
        "week_change": float,
        "month_change": float,
        "year_change": float,
        "quotes": str,
    }
)


async def moves(request: Request, table: PriceTable) -> Response:
    """Show the entities of a choice by the size of their changes."""
    query = price_query(request)
    return await cached(request, table, partial(_page, request, table, query))


def _page(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    chosen = select(table, query, _DEFAULT_DAYS)
    start = (query.page - 1) * ROWS_A_PAGE
    rows, count = ranking(chosen, slice(start, start + ROWS_A_PAGE))
    values = shared_values(request, chosen)
    pages = max(1, -(-count // ROWS_A_PAGE))
    values |= {"rows": rows, "count": count, "pages": pages, "start": start}
    return rendered_page(request, "prices/moves.html", values)


def ranking(chosen: Selection, part: slice) -> tuple[list[Ranked], int]:
    """Return a part of the entities with a price on the days shown, and the number of all of them.

    Those with the largest change of the chosen period come first, up or down; entities without
    an earlier price come last.
    """
    if chosen.is_empty:
        return [], 0
    rows = compared_rows(chosen.quotes, chosen.first, chosen.last)
    daily = daily_prices(chosen.table, rows)
    found = newest_moves(daily)
    size = np.abs(found.change[chosen.query.period])
    # NaN sorts last.
    order = np.lexsort((-daily.day[found.newest], -size))
    order = order[(daily.day[found.newest] >= chosen.first)[order]]
    return ranked(chosen, daily, found, order[part].tolist()), len(order)


def _rows(request: Request, chosen: Selection) -> Iterator[Row]:
    factor, digits = chosen.query.factor, chosen.query.digits
    for one in ranking(chosen, slice(None))[0]:
        changes = {
            f"{period}_change": None if np.isnan(value) else round(value * factor, digits)
            for period, value in one.change.items()
        }
        yield {
            "entity": one.name,
            "place": one.place,
            "date": date.fromisoformat(one.day),
            "price": round(one.price * factor, digits),
            "unit": chosen.query.unit_name,
            **changes,
            "quotes": origin_of(request) + one.link,
        }


def _exported(request: Request, table: PriceTable) -> tuple[Iterator[Row], Columns]:
    chosen = select(table, price_query(request), _DEFAULT_DAYS)
    return _rows(request, chosen), MOVE_COLUMNS


async def moves_json(request: Request, table: PriceTable) -> Response:
    """Return the ranking of a choice with its provenance."""
    chosen = select(table, price_query(request), _DEFAULT_DAYS)
    return await cached(request, table, partial(_json, request, chosen))


def _json(request: Request, chosen: Selection) -> Rendered:
    rows = list(_rows(request, chosen))
    return json_rendered({"provenance": provenance(request, chosen), "rows": rows})


ROUTES = (
    PageRoute("/prices/moves", with_table(moves), Permission.READ),
    *file_routes("/prices/moves", _exported, "prices.moves_ranked"),
    PageRoute("/prices/moves.json", with_table(moves_json), Permission.EXPORT),
)
