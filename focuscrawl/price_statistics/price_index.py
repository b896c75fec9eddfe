"""Price index of a region: a chained matched-model index in yuan per ton, with carry-forward.

The basket is every entity of the region. Its price on a day is its own mean of that day, or else its
last one if that is at most ``CARRY_DAYS`` old (*carried*), or older if a pause of most entities is
between it and the entity's next one (:mod:`~focuscrawl.price_statistics.price_index`). From one day to the
next the index moves by the mean of the changes of the entities that have a price on both days::

    I(last) = mean of p(e, last) over the entities that have a price on the last day
    I(t-1)  = I(t) - mean of p(e, t) - p(e, t-1) over the entities that have a price on both days

So an entity that enters, leaves or misses a day does not move the index, and if all entities have a
price on all days, the index is their mean. Days are those on which anybody quoted the commodity.

If no entity has a price on both days, those that quoted at any time before decide (their own price of
that day minus their last one); without any, the index begins on that day.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from focuscrawl.price_statistics.price_moves import Days, Floats, day_numbers

CARRY_DAYS = 7
"""The longest public holidays (Spring Festival, National Day) last seven days or eight; an older price
says little about today's."""
WHOLE = "全部地区"
Flags = NDArray[np.bool_]


# Pauses in which most entities of a region are silent, such as Spring Festival.
class _Paused(NamedTuple):
    """Stretches of paused days, sorted: the first day of each, and the day after its last one."""

    first: Days
    end: Days


def bridged(days: Days, following: Days, is_last: Flags, carry_days: int) -> Flags:
    """Return which quotes hold until their entity's next one because a pause is between them.

    ``days`` are those of the quotes, ``following`` those of the next quote of the same entity; where
    ``is_last`` there is none yet, and ``following`` is the day after the last one known. An entity
    is silent on the days between two of its quotes if there are more than ``carry_days``; a day is
    paused if more entities are silent than have a price that is at most ``carry_days`` old. A quote
    is bridged if it held at most ``carry_days`` before the first paused day between, and the next one
    follows the last of them by at most as many.
    """
    is_long = following - days > carry_days + 1
    paused = _paused(days, following, is_long & ~is_last, carry_days)
    found = np.zeros(len(days), dtype=bool)
    if not len(paused.first):
        return found
    first = np.searchsorted(paused.end, days + 1, side="right")
    last = np.searchsorted(paused.first, following, side="left") - 1
    found = is_long & (first <= last)
    begins = np.maximum(paused.first[np.minimum(first, len(paused.first) - 1)], days + 1)
    ends = np.minimum(paused.end[last], following) - 1
    return found & (days + carry_days >= begins - carry_days) & (following <= ends + carry_days)


def _paused(days: Days, following: Days, is_silent: Flags, carry_days: int) -> _Paused:
    """Return the paused days; ``is_silent`` says after which quotes their entity is silent."""
    silent = days[is_silent] + 1, following[is_silent]
    # A silent entity has a price on the day of its quote only, or it would count on both sides.
    held_until = np.where(is_silent, days, np.minimum(days + carry_days, following - 1))
    priced = days, held_until + 1
    edges = np.unique(np.concatenate([*silent, *priced]))
    is_paused = _number(edges, *silent) > _number(edges, *priced)
    return _Paused(edges[is_paused], edges[np.flatnonzero(is_paused) + 1])


def _number(edges: Days, begins: Days, ends: Days) -> NDArray[np.intp]:
    """Return how many of the stretches cover the days from each edge to the next one."""
    size = len(edges)
    opened = np.bincount(np.searchsorted(edges, begins), minlength=size)
    closed = np.bincount(np.searchsorted(edges, ends), minlength=size)
    return np.cumsum(opened - closed)


def price_index(daily: pd.DataFrame, days: pd.DatetimeIndex) -> pd.DataFrame:
    """Return the index of the entities of ``daily`` on each of ``days``.

    ``daily`` has a row per entity and date, with the columns entity, date and price; ``days`` are
    sorted, without duplicates, and contain all its dates. The result has ``days`` as its index and the
    columns index (NaN where no entity has a price), entities (those with a price) and carried (those
    of them whose price is an earlier one).
    """
    quotes = _Quotes(daily, days)
    points = pd.DataFrame(index=days)
    points["index"] = quotes.index()
    points["entities"] = quotes.priced
    points["carried"] = quotes.priced - quotes.own
    return points


def region_indices(
    daily: pd.DataFrame, days: pd.DatetimeIndex, entities: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return the index of the whole commodity (under ``WHOLE``), then of each region, most quoted first.

    ``daily`` and ``days`` are those of one commodity, as :func:`price_index` takes them, ``entities``
    the regions, as :func:`~focuscrawl.price_statistics.price_trends.entities_of` gives them. Entities without a
    region count in the whole only.
    """
    if daily.empty:
        return {}
    found = {WHOLE: price_index(daily, days)}
    regions = daily["entity"].astype(str).map(entities["region"])
    for region in regions[regions != ""].value_counts().index:
        found[region] = price_index(daily[regions == region], days)
    return found


class _Quotes:
    """Daily prices with the days on which they hold, as places in the list of days.

    Work and memory are in proportion to the prices, not to entities times days.
    """

    def __init__(self, daily: pd.DataFrame, days: pd.DatetimeIndex) -> None:
        ordered = daily.sort_values(["entity", "date"])
        grid = day_numbers(days.to_numpy())
        own_days = day_numbers(ordered["date"].to_numpy())
        entities = ordered["entity"].astype(str).to_numpy()
        self._number = len(grid)
        self._price: Floats = ordered["price"].to_numpy(dtype=float)
        self._place = np.searchsorted(grid, own_days)
        self._has_earlier = np.zeros(len(entities), dtype=bool)
        self._has_earlier[1:] = entities[1:] == entities[:-1]
        earlier = np.roll(self._price, 1)
        self._change: Floats = np.where(self._has_earlier, self._price - earlier, 0.0)
        has_next = np.roll(self._has_earlier, -1)
        last_held = _last_held(own_days, has_next, grid)
        # The day before has a price if the entity's last one still holds then.
        self._is_matched = self._has_earlier & (np.roll(last_held, 1) >= grid[self._place - 1])
        expires = np.searchsorted(grid, last_held, side="right")
        next_place = np.where(has_next, np.roll(self._place, -1), len(grid))
        self._end = np.minimum(expires, next_place)
        self.own = self._count(self._place)
        self.priced = np.cumsum(self.own - self._count(self._end))

    def index(self) -> Floats:
        """Return the index of each day."""
        held = np.flatnonzero(self.priced)
        points = np.full(self._number, np.nan)
        if not len(held):
            return points
        last = int(held[-1])
        is_held = (self._place <= last) & (last < self._end)
        later = np.cumsum(self._changes()[last:0:-1])[::-1]
        points[: last + 1] = self._price[is_held].mean() - np.append(later, 0.0)
        return np.where(self.priced > 0, points, np.nan)

    def _changes(self) -> Floats:
        """Return the change of the index against the day before, NaN if there is nothing to compare."""
        returning = self._has_earlier & ~self._is_matched
        matched = self.priced - self._count(self._place[~self._is_matched])
        back = self._count(self._place[returning])
        unknown = np.where(self.own > 0, np.nan, 0.0)
        bridged = _quotient(self._sum(returning), back, unknown)
        return _quotient(self._sum(self._is_matched), matched, bridged)

    def _count(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.bincount(places, minlength=self._number)[: self._number]

    def _sum(self, chosen: NDArray[np.bool_]) -> Floats:
        changes = self._change[chosen].astype(float)
        return np.bincount(self._place[chosen], changes, self._number).astype(float)


def _last_held(
    days: NDArray[np.int64], has_next: NDArray[np.bool_], grid: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the last day on which each price holds unless the entity quotes a new one."""
    following = np.where(has_next, np.roll(days, -1), _after(grid))
    is_bridged = bridged(days, following, ~has_next, CARRY_DAYS)
    return np.where(is_bridged, following - 1, days + CARRY_DAYS)


def _after(grid: NDArray[np.int64]) -> int:
    return int(grid[-1]) + 1 if len(grid) else 0


def _quotient(total: Floats, count: NDArray[np.intp], otherwise: Floats) -> Floats:
    return np.where(count > 0, total / np.maximum(count, 1), otherwise)
