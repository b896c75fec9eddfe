"""Prices as they were known at the end of a day: without later articles, with the versions of then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np

from focuscrawl.errors import ArgumentError
from focuscrawl.items import Quote
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.reports.entity_series import location_of
from focuscrawl.stored_records import ArticleRevision
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.web.prices.figures.price_table import NEVER, PriceTable, Series, day_number
from focuscrawl.web.prices.figures.price_table_builder import assembled, right_quotes

_AT_ONCE = 200
Versions = dict[int, list[Quote]]
"""The quotes of the version of then, by the position of their article."""


def end_of(day: date) -> int:
    """Return the end of a day, in this machine's time zone, in milliseconds since 1970."""
    try:
        midnight = datetime.combine(day, time()) + timedelta(days=1)
        return round(midnight.astimezone().timestamp() * 1000)
    except (OverflowError, OSError, ValueError) as error:
        raise ArgumentError(f"known_on = {day}: beyond the calendar of this machine") from error


async def versions_of(store: SQLStore, table: PriceTable, until: int) -> Versions:
    """Return the quotes of articles that were known, and have changed since."""
    own = table.articles
    has_changed = (own.first_seen < until) & (own.fetched_at >= until)
    places = {own.md5(int(place)): int(place) for place in np.flatnonzero(has_changed)}
    revised = [key for key in await store.revised() if key in places] if places else []
    found: Versions = {}
    for start in range(0, len(revised), _AT_ONCE):
        revisions = await store.revisions(revised[start : start + _AT_ONCE])
        for key, version in _valid(revisions, until).items():
            found[places[key]] = version.quotes
    return found


def _valid(revisions: Iterable[ArticleRevision], until: int) -> Mapping[str, ArticleRevision]:
    """Return the first version of each article that was replaced only later; they come by time."""
    found: dict[str, ArticleRevision] = {}
    for one in revisions:
        if one.replaced_at.timestamp() * 1000 >= until:
            found.setdefault(one.article_md5, one)
    return found


def as_known(table: PriceTable, commodity: str | None, day: date, versions: Versions) -> PriceTable:
    """Return the quotes of a commodity, of all if it is None, as they were known at the end of a day."""
    until = end_of(day)
    articles = replace(
        table.articles,
        gone_at=np.where(table.articles.gone_at >= until, NEVER, table.articles.gone_at),
    )
    is_kept = table.articles.first_seen < until
    is_kept[list(versions)] = False
    rows = np.arange(len(table))
    if commodity in table.commodities:
        part = table.slice_of(table.commodities.index(commodity))
        rows = rows[part]
    rows = rows[is_kept[table.article[rows]]]
    names = [name for name in _COLUMNS if name != "is_counted"]
    columns: dict[str, Any] = {name: getattr(table, name)[rows] for name in names}
    columns["is_right"] &= columns["day"] <= day_number(day)
    known = _Names(table)
    extra = known.columns_of(versions, commodity, day)
    columns = {name: np.concatenate([columns[name], extra[name]]) for name in names}
    is_standing = (articles.gone_at == NEVER)[columns["article"]]
    columns["is_counted"] = columns["is_right"] & is_standing
    lists = {"commodities": known.commodities, "series": known.series, "flags": known.flags}
    return assembled(columns, lists, articles, table.runs, table.read_at, day)


_COLUMNS = (
    "commodity owner day low high article seq flag kind is_primary is_known is_right is_counted"
).split()


class _Names:
    """Names of a table, with those that only earlier versions have."""

    def __init__(self, table: PriceTable) -> None:
        self.commodities = list(table.commodities)
        self.series = list(table.series)
        self.flags = list(table.flags)
        self._owners = dict(table.series_by_name)
        # In two places, a name has its place beside it: the first of such a place is meant.
        self._by_place = {
            (one.name.partition("(")[0], one.place): number
            for number, one in reversed(list(enumerate(table.series)))
        }

    def columns_of(self, versions: Versions, commodity: str | None, today: date) -> dict[str, Any]:
        """Return the columns of the quotes of versions."""
        listed = [
            (article, seq, quote)
            for article, quotes in versions.items()
            for seq, quote in enumerate(quotes)
            if commodity in (None, quote.commodity)
        ]
        quotes = [quote for _, _, quote in listed]
        low = [float(quote.price_yuan_per_ton_low) for quote in quotes]
        high = [float(quote.price_yuan_per_ton_high) for quote in quotes]
        columns: dict[str, Any] = {
            "commodity": _ints(_number(self.commodities, quote.commodity) for quote in quotes),
            "owner": _ints(map(self._owner, quotes)),
            "day": _ints(day_number(quote.date) for quote in quotes),
            "low": np.array(low, dtype=np.float64),
            "high": np.array(high, dtype=np.float64),
            "article": _ints(article for article, _, _ in listed),
            "seq": _ints(seq for _, seq, _ in listed),
            "flag": _ints(_number(self.flags, quote.flag) for quote in quotes),
            "kind": np.array([ENTITY_TYPES.index(q.entity_type) for q in quotes], dtype=np.int8),
            "is_primary": _flags(quote.is_primary for quote in quotes),
            "is_known": _flags(quote.entity_is_known for quote in quotes),
        }
        is_named = _flags(bool(quote.entity) for quote in quotes)
        columns["is_right"] = right_quotes(columns, is_named, today)
        return columns

    def _owner(self, quote: Quote) -> int:
        place = location_of(quote)
        found = self._by_place.get((quote.entity, place), self._owners.get(quote.entity))
        if found is None:
            found = self._owners[quote.entity] = len(self.series)
            self.series.append(Series(quote.entity, place))
        return found


def _number(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _ints(values: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(list(values), dtype=np.int32)


def _flags(values: Iterable[bool]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array(list(values), dtype=bool)
