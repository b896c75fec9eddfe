"""Entities, regions and goods that the search box of the prices' pages finds by parts of their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from starlette.requests import Request

from focuscrawl.price_statistics.entity_groups import is_futures
from focuscrawl.text.name_search import NameSearch, folded_name
from focuscrawl.web.prices.price_table import PriceTable
from focuscrawl.web.query_values import with_query

COMPARING = "/prices"
"""The page on which a found name is added to those chosen; on others it takes their place."""
PAGES = (COMPARING, "/prices/matrix", "/prices/quotes")
_MOST = 12


class Suggestion(NamedTuple):
    """A name, where it is, the text for its kind, and the address of the page that shows it."""

    name: str
    place: str
    kind: str
    address: str


def suggestions(request: Request, table: PriceTable, page: str) -> list[Suggestion]:
    """Return what the text in the search box may mean, the nearest names first of each kind."""
    given = request.query_params
    text = given.get("find", "")
    if not folded_name(text):
        return []
    query = {name: given.getlist(name) for name in given if name not in ("find", "at", "page")}
    here = with_query(page, **query)
    found = []
    for kind, name, place in _found(table, text):
        chosen = given.getlist(kind) if page == COMPARING else []
        values: dict[str, object] = {kind: [*filter(None, [*chosen, name])]}
        if page != COMPARING and kind == "province":
            values["city"] = ""
        if name not in chosen:
            shown = "group_futures" if kind == "entity" and is_futures(name) else kind
            found.append(Suggestion(name, place, shown, with_query(here, **values)))
    return found


def meant(text: str, found: list[Suggestion]) -> str:
    """Return the address of the one that is meant: the only one, or the only one of just this name."""
    same = [one for one in found if folded_name(one.name) == folded_name(text)]
    chosen = same if len(same) == 1 else found
    return chosen[0].address if len(chosen) == 1 else ""


def _found(table: PriceTable, text: str) -> Iterator[tuple[str, str, str]]:
    for kind in ("province", "city", "commodity"):
        names, search = table.summed(("names", kind), lambda kind=kind: _names(table, kind))  # type: ignore[misc]
        for position in search.find(text, _MOST // 2):
            yield kind, names[position], ""
    for position in table.names.find(text, _MOST):
        one = table.series[position]
        yield "entity", one.name, "".join(dict.fromkeys(filter(None, one.place[:2])))


def _names(table: PriceTable, kind: str) -> tuple[list[str], NameSearch]:
    places = {"province": table.provinces, "city": table.cities}
    names = [*filter(None, dict.fromkeys(places.get(kind, table.commodities)))]
    return names, NameSearch(names)
