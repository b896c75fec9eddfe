"""Table of the morning, as a page and as data, with the rows and views that a user keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from itertools import groupby
from types import MappingProxyType

import numpy as np
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.price_statistics.entity_groups import GROUPS
from focuscrawl.price_statistics.price_moves import PERIODS
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.alarms.alarm_store import StoredRule
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.morning_table import MorningRow, morning
from focuscrawl.web.prices.own_views import OwnViews, own_views, set_pin, set_view
from focuscrawl.web.prices.price_query import Name, PriceQuery, Selection, select
from focuscrawl.web.prices.price_requests import (
    Rendered,
    cached,
    file_routes,
    in_worker,
    json_rendered,
    price_query,
    price_rules,
    provenance,
    rendered_page,
    shared_values,
    text_of,
    with_table,
)
from focuscrawl.web.prices.price_table import PriceTable
from focuscrawl.web.prices.series_view import select_view, series_view
from focuscrawl.web.query_values import checked, local_path
from focuscrawl.web.quotations.doubtful_quotes import Doubt
from focuscrawl.web.quotations.quotation_pages import ListedDoubt, still_open
from focuscrawl.web.web_site import origin_of, site_of

ROWS_A_PAGE = 60
_FIGURES = dict.fromkeys((f"{period}_change" for period in PERIODS), float)
MORNING_COLUMNS: Columns = MappingProxyType(
    dict.fromkeys(("entity", "place", "group", "moisture"), str)
    | {"date": date, "previous": float, "price": float, "unit": str, **_FIGURES, "quotes": str}
)
Doubts = Mapping[int, list[ListedDoubt]]


def _selected(table: PriceTable, query: PriceQuery) -> Selection:
    """Return the choice of the table; the entity is only that of the chart beside it.

    Futures, averages and groups of buyers are left out unless their kind or group is chosen.
    """
    kind = query.kind or ("all" if query.group in ("futures", "other") else "")
    return select(table, query.model_copy(update={"entity": "", "kind": kind}))


async def morning_page(request: Request, table: PriceTable) -> Response:
    """Show the table of a region, and the chart of a row."""
    query, visitor = price_query(request), request.state.visitor
    own, rules = OwnViews(), await price_rules(request)
    if visitor.may(Permission.KEEP):
        own = await site_of(request).database.run(own_views, visitor.name)

    async def make() -> Rendered:
        rows, count, doubtful = await in_worker(_shown, table, query, own)
        doubts: dict[int, list[ListedDoubt]] = {}
        for one in await still_open(request, list(doubtful)):
            doubts.setdefault(doubtful[one.doubt], []).append(one)
        return await in_worker(_page, request, table, query, rows, count, doubts, own, rules)

    kind = repr((rules, sorted(own.pins), own.views, site_of(request).doubts.decisions))
    return await cached(request, table, make, kind, lambda own_make: own_make())


def _shown(
    table: PriceTable, query: PriceQuery, own: OwnViews
) -> tuple[list[MorningRow], int, dict[Doubt, int]]:
    """Return the rows of a page, the number of all of them, and the doubts about the rows."""
    chosen = _selected(table, query)
    if chosen.is_empty:
        return [], 0, {}
    found = morning(chosen)
    places = found.ordered(chosen, own.pins)
    start = (query.page - 1) * ROWS_A_PAGE
    rows = list(found.rows(chosen, places[start : start + ROWS_A_PAGE]))
    return rows, len(places), found.doubts(chosen, rows)


def _page(
    request: Request,
    table: PriceTable,
    query: PriceQuery,
    rows: list[MorningRow],
    count: int,
    doubts: Doubts,
    own: OwnViews,
    rules: list[StoredRule],
) -> Rendered:
    beside = select_view(table, query)
    chart = None if beside.is_empty else series_view(beside, text_of(request), rules).chart
    values = shared_values(request, _selected(table, query)) | {"query": query, "own": own}
    values |= {"count": count, "pages": max(1, -(-count // ROWS_A_PAGE)), "doubts": doubts}
    values |= {"sections": _sections(rows, query, own), "groups": GROUPS}
    values["chart"] = chart and chart.as_json()
    return rendered_page(request, "prices/morning.html", values)


def _sections(
    rows: list[MorningRow], query: PriceQuery, own: OwnViews
) -> list[tuple[str, list[MorningRow]]]:
    """Return the rows by group, unless they are sorted by a column; pinned ones are first."""

    def section(row: MorningRow) -> str:
        return "pinned" if row.name in own.pins else "" if query.sort else row.group

    return [(name, list(part)) for name, part in groupby(rows, section)]


def _rows(request: Request, chosen: Selection) -> Iterator[Row]:
    if chosen.is_empty:
        return
    factor, digits = chosen.query.factor, chosen.query.digits
    found = morning(chosen)

    def figure(value: float) -> float | None:
        return None if np.isnan(value) else round(value * factor, digits)

    for one in found.rows(chosen, found.ordered(chosen, frozenset())):
        names = one.name, one.place, one.group, one.moisture, date.fromisoformat(one.day)
        prices = figure(one.previous), figure(one.price), chosen.query.unit_name
        moves = (figure(one.change[period]) for period in PERIODS)
        values = *names, *prices, *moves, origin_of(request) + one.link
        yield dict(zip(MORNING_COLUMNS, values, strict=True))


def _exported(request: Request, table: PriceTable) -> tuple[Iterator[Row], Columns]:
    return _rows(request, _selected(table, price_query(request))), MORNING_COLUMNS


async def morning_json(request: Request, table: PriceTable) -> Response:
    """Return the table of a region with its provenance."""
    chosen = _selected(table, price_query(request))
    return await cached(request, table, partial(_json, request, chosen))


def _json(request: Request, chosen: Selection) -> Rendered:
    rows = list(_rows(request, chosen))
    return json_rendered({"provenance": provenance(request, chosen), "rows": rows})


class OwnForm(BaseModel):
    """A row to pin or, without ``pinned``, to pin no more; or the title and the address of a view, which
    is deleted without an address. ``next`` is the page to go back to."""

    entity: Name = ""
    pinned: bool = False
    title: str = Field("", max_length=100)
    address: str = Field("", max_length=4000)
    next: str = "/prices/morning"


async def keep(request: Request) -> Response:
    """Pin a row of the table for a user, or save a view, or remove one of them."""
    form, name = checked(OwnForm, dict(await request.form())), request.state.visitor.name
    database = site_of(request).database
    if form.entity:
        await database.run(set_pin, name, form.entity, form.pinned)
    if title := form.title.strip():
        await database.run(set_view, name, title, form.address and local_path(form.address))
    return RedirectResponse(local_path(form.next), status_code=303)


ROUTES = (
    PageRoute("/prices/morning", with_table(morning_page), Permission.READ),
    *file_routes("/prices/morning", _exported, "prices.morning"),
    PageRoute("/prices/morning.json", with_table(morning_json), Permission.EXPORT),
    PageRoute("/prices/kept", keep, Permission.KEEP, ("POST",)),
)
