"""Moves of a price within some days, by entities that have a price on both days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from statistics import median
from typing import NamedTuple

import numpy as np

from focuscrawl.web.alarms.alarm_rules import Rule, Unit
from focuscrawl.web.prices.figures.daily_prices import daily_prices
from focuscrawl.web.prices.figures.price_query import kinds_of
from focuscrawl.web.prices.figures.price_table import UNIX_EPOCH, PriceTable, Series, day_number

LEAST_ENTITIES = 3
"""Number of entities whose median is taken, where no entity is named."""

Prices = Mapping[date, Mapping[str, float]]
"""Prices in yuan per ton, by day and entity."""


class Move(NamedTuple):
    """The move from one day to the newest one, in yuan per ton and as share; medians over entities."""

    since: date
    day: date
    yuan: float
    share: float
    price: float
    entities: int


def prices_of(rule: Rule, table: PriceTable, first: date, last: date) -> Prices:
    """Return the prices of some days that a rule watches: those that the pages show.

    Averages and groups of buyers count only if they are named, as in the median of a region.
    """
    if rule.commodity not in table.commodities:
        return {}
    part = table.slice_of(table.commodities.index(rule.commodity))
    watched = np.array([_is_watched(rule, one) for one in table.series], dtype=bool)
    day = table.day[part]
    chosen = table.is_counted[part] & watched[table.owner[part]]
    chosen &= (day >= day_number(first)) & (day <= day_number(last))
    if not rule.entity:
        chosen &= np.isin(table.kind[part], kinds_of(""))
    daily = daily_prices(table, np.flatnonzero(chosen) + part.start)
    found: dict[date, dict[str, float]] = defaultdict(dict)
    rows = zip(daily.day.tolist(), daily.owner.tolist(), daily.price.tolist(), strict=True)
    for number, owner, price in rows:
        found[date.fromordinal(number + UNIX_EPOCH)][table.series[owner].name] = price
    return found


def _is_watched(rule: Rule, series: Series) -> bool:
    # In two places, a name has its place beside it.
    is_named = rule.entity in ("", series.name, series.name.partition("(")[0])
    return is_named and (not rule.region or rule.region in (*series.place, *series.regions))


def largest_move(rule: Rule, prices: Prices) -> Move | None:
    """Return the largest move to the newest day from any of the days before, None if none is known."""
    if not prices:
        return None
    newest = max(prices)
    first = newest - timedelta(days=rule.days)
    days = (day for day in prices if first <= day < newest)
    least = 1 if rule.entity else LEAST_ENTITIES
    moves = [move for day in days if (move := _move(prices, day, newest, least))]
    return max(moves, key=lambda move: (amount_of(rule, move), move.since), default=None)


def _move(prices: Prices, since: date, day: date, least: int) -> Move | None:
    before, now = prices[since], prices[day]
    both = [entity for entity in now if before.get(entity)]
    if len(both) < least:
        return None
    return Move(
        since,
        day,
        median(now[entity] - before[entity] for entity in both),
        median(now[entity] / before[entity] - 1 for entity in both),
        median(now[entity] for entity in both),
        len(both),
    )


def amount_of(rule: Rule, move: Move) -> float:
    """Return the size of a move in the unit of a rule."""
    amount = 100 * move.share if rule.unit is Unit.PERCENT else move.yuan
    # 2100 / 2000 - 1 is a little more than 0.05.
    return round(abs(amount), 9)
