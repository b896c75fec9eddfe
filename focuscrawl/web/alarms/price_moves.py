"""Moves of a price within some days, by entities that have a price on both days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from statistics import median
from typing import NamedTuple

from focuscrawl.items import Quote
from focuscrawl.web.alarms.alarm_rules import Rule, Unit

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


def prices_of(rule: Rule, quotes: Iterable[Quote], today: date) -> Prices:
    """Return the prices that a rule watches: unflagged ones, the median of each entity and day."""
    found: dict[date, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for quote in quotes:
        if quote.date and quote.date <= today and not quote.flag and _is_watched(rule, quote):
            ends = quote.price_yuan_per_ton_low, quote.price_yuan_per_ton_high
            found[quote.date][quote.entity].append(float(sum(ends)) / 2)
    return {
        day: {entity: median(prices) for entity, prices in entities.items()}
        for day, entities in found.items()
    }


def _is_watched(rule: Rule, quote: Quote) -> bool:
    places = (quote.region, quote.province, quote.city, quote.county)
    return (
        quote.commodity == rule.commodity
        and quote.is_primary
        and rule.entity in ("", quote.entity)
        and (not rule.region or rule.region in places)
    )


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
