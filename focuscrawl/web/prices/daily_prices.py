"""Quotes of a choice by day, the daily prices of series, and the median of a region on each day."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from focuscrawl.price_statistics.mean_prices import group_means, group_quantiles, middle
from focuscrawl.price_statistics.price_moves import COMPARED_DAYS, LEAST_DAYS, PERIODS
from focuscrawl.stores.sql.price_columns import UNDATED
from focuscrawl.web.prices.price_table import Flags, Floats, Ints, PriceTable, Rows, run_of


@dataclass(frozen=True, slots=True)
class QuotesByDay:
    """Positions of quotes by day, ascending within a day.

    Those of ``days[n]`` are ``positions[starts[n]:starts[n + 1]]``.
    """

    positions: Ints
    days: Ints
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, table: PriceTable, rows: Rows) -> Self:
        """Return quotes, given by ascending positions, by their days."""
        order, days, starts = _sorted_days(table.day[rows])
        return cls(rows[order].astype(np.int32), days, starts)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def rows(self) -> Rows:
        """All positions, ascending."""
        return np.sort(self.positions)

    def of_days(self, first: int, last: int) -> Rows:
        """Return the positions of the days from ``first`` to ``last``, by day."""
        return self.positions[self._between(first, last)]

    def between(self, *spans: tuple[int, int]) -> Rows:
        """Return the ascending positions of spans of days, which come in order and may overlap."""
        parts, end = [], 0
        for first, last in spans:
            part = self._between(first, last)
            parts.append(self.positions[max(part.start, end) : part.stop])
            end = max(end, part.stop)
        return np.sort(np.concatenate(parts))

    def _between(self, first: int, last: int) -> slice:
        places = np.searchsorted(self.days, [first, last + 1])
        start, stop = self.starts[places].tolist()
        return slice(start, stop)


def _sorted_days(days: Ints) -> tuple[Rows, Ints, NDArray[np.int64]]:
    """Return the order of the days, each day once, and where each begins and the last ends."""
    if not len(days):
        return np.zeros(0, dtype=np.intp), days, np.zeros(1, dtype=np.int64)
    offset = int(days.min())
    # Twice as fast as to sort integers of 32 bits: small ones are sorted by their digits.
    is_short = int(days.max()) - offset < 2**16
    order = np.argsort((days - offset).astype(np.uint16) if is_short else days, kind="stable")
    ordered = days[order]
    is_first = np.ones(len(days), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    return order, ordered[starts], np.append(starts, len(days))


@dataclass(frozen=True, slots=True)
class QuotedDays:
    """Days of quotes, counted or not: how many quotes, flagged ones and unknown entities each has.

    ``fetched_at`` is the last time that an article of the day was fetched, in milliseconds since 1970,
    and ``sites`` are the numbers of the articles' sites.
    """

    days: Ints
    quotes: NDArray[np.int64]
    flagged: NDArray[np.int64]
    unknown: NDArray[np.int64]
    fetched_at: NDArray[np.int64]
    sites: tuple[int, ...]

    @classmethod
    def of(cls, table: PriceTable, rows: Rows) -> Self:
        """Sum up the dated ones of quotes, given by their positions."""
        rows = rows[table.day[rows] != UNDATED]
        order, days, starts = _sorted_days(table.day[rows])
        rows, starts = rows[order], starts[:-1]
        sites = table.articles.site[table.articles_of(rows)]

        def count(chosen: Flags) -> NDArray[np.int64]:
            return np.add.reduceat(chosen.astype(np.int64), starts) if len(starts) else starts

        fetched = table.articles.fetched_at[table.article[rows]]
        return cls(
            days,
            count(np.ones(len(rows), dtype=bool)),
            count(table.flag[rows] != 0),
            count(~table.is_known[rows]),
            np.maximum.reduceat(fetched, starts) if len(starts) else starts,
            tuple(np.unique(sites).tolist()),
        )

    def between(self, first: int, last: int) -> QuotedDays:
        """Return the days from ``first`` to ``last``, with all sites."""
        part = slice(*np.searchsorted(self.days, [first, last + 1]).tolist())
        return QuotedDays(
            self.days[part],
            self.quotes[part],
            self.flagged[part],
            self.unknown[part],
            self.fetched_at[part],
            self.sites,
        )


def compared_rows(quotes: QuotesByDay, first: int, last: int, recent: int = 0) -> Rows:
    """Return the quotes of some days, of those that ``newest_moves`` compares them with, and of the
    last ``recent`` days."""
    spans = [(first - COMPARED_DAYS[one], last - LEAST_DAYS[one]) for one in reversed(PERIODS)]
    if recent:
        spans[2:] = [(min(spans[2][0], last - recent + 1), last)]
    return quotes.between(*spans)


Days = NDArray[np.int64]
MOST_DAYS = 20_000
"""Days of the longest calendar: 54 years."""
LOWER, UPPER = 0.1, 0.9
"""Shares of the entities whose prices are below the lower and the upper edge of a region's band."""


@dataclass(frozen=True, slots=True)
class DailyPrices:
    """The prices of series by day, by series and day: the mean of the middles of a day's quotes.

    ``low`` and ``high`` are the lowest and the highest end.
    """

    owner: Days
    day: Days
    price: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.day)

    def of(self, owner: int) -> DailyPrices:
        """Return the prices of one series, which are adjacent."""
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
        return DailyPrices(owner, day, low, low, high)
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (owner[1:] != owner[:-1]) | (day[1:] != day[:-1])
    starts = np.flatnonzero(is_first)
    return DailyPrices(
        owner[starts],
        day[starts],
        group_means(np.cumsum(is_first) - 1, middle(low, high), len(starts)),
        np.minimum.reduceat(low, starts),
        np.maximum.reduceat(high, starts),
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
