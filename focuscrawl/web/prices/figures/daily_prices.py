"""Daily prices of series, and the median of a region on each day."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.price_statistics.mean_prices import group_means, group_quantiles, middle
from focuscrawl.web.prices.figures.price_table import Flags, Floats, PriceTable, Rows, run_of
from focuscrawl.web.prices.figures.quotes_by_day import QuotesByDay

Days = NDArray[np.int64]
MOST_DAYS = 20_000
"""Days of the longest calendar: 54 years."""
LOWER, UPPER = 0.1, 0.9
"""Shares of the entities whose prices are below the lower and the upper edge of a region's band."""


@dataclass(frozen=True, slots=True)
class DailyPrices:
    """The prices of series by day, by series and day: the mean of the middles of a day's quotes.

    ``low`` and ``high`` are the lowest and the highest end; ``quotes`` counts them, and ``first`` is
    the position of the first one in the table.
    """

    owner: Days
    day: Days
    price: Floats
    low: Floats
    high: Floats
    quotes: Days
    first: Rows

    def __len__(self) -> int:
        return len(self.day)

    def of(self, owner: int) -> DailyPrices:
        """Return the prices of one series, which are beside each other."""
        return self.where(run_of(self.owner, owner))

    def where(self, chosen: Flags | Rows | slice) -> DailyPrices:
        """Return some of the prices, in the same order."""
        return DailyPrices(*(getattr(self, name)[chosen] for name in self.__slots__))


def daily_prices(table: PriceTable, rows: Rows) -> DailyPrices:
    """Return the daily prices of quotes of one commodity, given by ascending positions."""
    owner = table.owner[rows].astype(np.int64)
    day = table.day[rows].astype(np.int64)
    low, high = table.low[rows], table.high[rows]
    if not len(rows):
        return DailyPrices(owner, day, low, low, high, day, rows)
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (owner[1:] != owner[:-1]) | (day[1:] != day[:-1])
    starts = np.flatnonzero(is_first)
    counts = np.diff(np.append(starts, len(rows)))
    return DailyPrices(
        owner[starts],
        day[starts],
        group_means(np.cumsum(is_first) - 1, middle(low, high), len(starts)),
        np.minimum.reduceat(low, starts),
        np.maximum.reduceat(high, starts),
        counts.astype(np.int64),
        rows[starts],
    )


@dataclass(frozen=True, slots=True)
class RegionDays:
    """Figures of all series of a region on each day of a calendar from ``first`` on; NaN without prices.

    ``lower`` and ``upper`` are the edges between which eight of ten prices are.
    """

    first: int
    median: Floats
    lower: Floats
    upper: Floats
    lowest: Floats
    highest: Floats
    entities: Days

    def __len__(self) -> int:
        return len(self.median)

    def between(self, first: int, last: int) -> RegionDays:
        """Return the days from ``first`` to ``last``."""
        places = np.arange(first, last + 1) - self.first
        is_known = (places >= 0) & (places < len(self))
        if not len(self):
            nothing = np.full(len(places), np.nan)
            return RegionDays(first, nothing, nothing, nothing, nothing, nothing, places * 0)
        known = np.where(is_known, places, 0)

        def part(values: Floats) -> Floats:
            return np.where(is_known, values[known], np.nan)

        return RegionDays(
            first,
            part(self.median),
            part(self.lower),
            part(self.upper),
            part(self.lowest),
            part(self.highest),
            np.where(is_known, self.entities[known], 0),
        )


def region_days(daily: DailyPrices, first: int, last: int) -> RegionDays:
    """Return the figures of the days from ``first`` to ``last``, which may lack prices."""
    number = last - first + 1
    inside = (daily.day >= first) & (daily.day <= last)
    day, price = daily.day[inside] - first, daily.price[inside]
    median, lower, upper = group_quantiles(day, price, number, (0.5, LOWER, UPPER))
    lowest, highest = np.full(number, np.nan), np.full(number, np.nan)
    np.fmin.at(lowest, day, daily.low[inside])
    np.fmax.at(highest, day, daily.high[inside])
    entities = np.bincount(day, minlength=number).astype(np.int64)
    return RegionDays(first, median, lower, upper, lowest, highest, entities)


def on_calendar(daily: DailyPrices, first: int, last: int, column: str = "price") -> Floats:
    """Return the prices of one series on each day from ``first`` to ``last``, NaN where it has none."""
    found = np.full(last - first + 1, np.nan)
    inside = (daily.day >= first) & (daily.day <= last)
    found[daily.day[inside] - first] = getattr(daily, column)[inside]
    return found


def whole_region(table: PriceTable, key: Hashable, quotes: QuotesByDay) -> RegionDays:
    """Return the figures of all days of a region, which the table keeps under the key."""

    def sum_up() -> RegionDays:
        daily = daily_prices(table, quotes.rows)
        first, last = (int(daily.day.min()), int(daily.day.max())) if len(daily) else (1, 0)
        return region_days(daily, max(first, last - MOST_DAYS + 1), last)

    return table.summed(("days", key), sum_up)


def calendars(table: PriceTable, rows: Rows, owners: list[int], first: int, last: int) -> Floats:
    """Return the prices of series on each day from ``first`` to ``last``, by series and day.

    ``rows`` are quotes of these days in any order, also of other series; a day without a price is NaN.
    """
    number = last - first + 1
    place_of = np.full(len(table.series), -1)
    place_of[owners] = np.arange(len(owners))
    place = place_of[table.owner[rows]]
    rows, place = rows[place >= 0], place[place >= 0]
    cells = place * number + (table.day[rows] - first)
    prices = middle(table.low[rows], table.high[rows])
    return group_means(cells, prices, len(owners) * number).reshape(len(owners), number)


def most_quoted(owners: NDArray[Any], number: int) -> list[int]:
    """Return the series with the most quotes, most first, from the series of each quote."""
    counts = np.bincount(owners)
    order = np.argsort(-counts, kind="stable")[:number]
    return [int(owner) for owner in order if counts[owner]]
