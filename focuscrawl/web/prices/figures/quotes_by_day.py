"""Quotes of a choice in the order of their days, so that a view of some days reads only those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focuscrawl.price_statistics.price_moves import COMPARED_DAYS, LEAST_DAYS, PERIODS
from focuscrawl.web.prices.figures.price_table import UNDATED, Flags, Ints, PriceTable, Rows


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


def compared_rows(quotes: QuotesByDay, first: int, last: int) -> Rows:
    """Return the quotes of some days, and of those that ``newest_moves`` compares them with."""
    spans = ((first - COMPARED_DAYS[one], last - LEAST_DAYS[one]) for one in reversed(PERIODS))
    return quotes.between(*spans)
