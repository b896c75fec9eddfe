"""What is new in a bulletin: the largest change of a price that it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from focuscrawl.price_statistics.price_moves import COMPARED_DAYS, changes
from focuscrawl.web.prices.daily_prices import daily_prices
from focuscrawl.web.prices.price_table import PriceTable, Rows


class BulletinMove(NamedTuple):
    """A price of a series in yuan per ton, and its change against the last one before."""

    name: str
    price: float
    change: float


def largest_moves(table: PriceTable, md5s: Sequence[str]) -> dict[str, BulletinMove]:
    """Return the largest moves of articles that have one, by MD5."""
    places = table.places_of(md5s)
    is_asked = np.zeros(len(table.articles.site), dtype=bool)
    is_asked[[*places.values()]] = True
    rows = np.flatnonzero(is_asked[table.article] & table.is_counted)
    found: dict[int, BulletinMove] = {}
    for goods in np.unique(table.commodity[rows]).tolist():
        for row, move in _moves(table, goods, rows[table.commodity[rows] == goods]):
            article = int(table.article[row])
            if article not in found or abs(move.change) > abs(found[article].change):
                found[article] = move
    return {md5: found[place] for md5, place in places.items() if place in found}


def _moves(table: PriceTable, goods: int, rows: Rows) -> Iterator[tuple[int, BulletinMove]]:
    part, day = table.slice_of(goods), table.day
    is_near = table.is_counted[part] & np.isin(table.owner[part], np.unique(table.owner[rows]))
    is_near &= (day[part] >= day[rows].min() - COMPARED_DAYS["day"]) & (
        day[part] <= day[rows].max()
    )
    daily = daily_prices(table, np.flatnonzero(is_near) + part.start)
    # By series and day, as the daily prices are.
    wanted = (table.owner[rows].astype(np.int64) << 32) + day[rows]
    chosen = np.searchsorted((daily.owner << 32) + daily.day, wanted)
    change, _ = changes(daily, "day", chosen)
    for place in np.flatnonzero(np.abs(change) > 0).tolist():
        name, price = table.series[table.owner[rows[place]]].name, daily.price[chosen[place]]
        yield int(rows[place]), BulletinMove(name, float(price), float(change[place]))
