"""Changes of prices against a day, a week, a month and a year ago.

A price is compared with the newest one of its series at the period before, or at most
``TOLERANCE_DAYS`` earlier: change = price - earlier, ratio = price / earlier - 1. A month or year ago is
the same calendar day, or the last day of the month if there is none: a year before 29 February is
28 February.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from focuscrawl.price_statistics.mean_prices import group_quantiles

Rows = NDArray[np.integer[Any]]
Days = NDArray[np.int64]
Floats = NDArray[np.float64]

KEYS = ["commodity", "entity"]
"""Columns that tell the series of prices apart."""
UNIX_EPOCH = date(1970, 1, 1).toordinal()
Period = Literal["day", "week", "month", "year"]
PERIODS: tuple[Period, ...] = get_args(Period)
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}
TOLERANCE_DAYS: dict[Period, int] = {"day": 3, "week": 3, "month": 7, "year": 15}
COMPARED_DAYS: dict[Period, int] = {"day": 4, "week": 10, "month": 38, "year": 381}
"""How many days before a price the oldest one is that it may be compared with."""
LEAST_DAYS: dict[Period, int] = {"day": 0, "week": 7, "month": 28, "year": 365}
"""How many days before a price the newest one is, at least, that it may be compared with."""


def day_numbers(dates: NDArray[np.datetime64]) -> Days:
    """Return dates as numbers of days since 1 January 1970."""
    return dates.astype("datetime64[D]").astype(np.int64)


class DatedPrices(Protocol):
    """Prices (n,) in yuan per ton by series and day: the number of each one's series, and its day.

    Days count from 1 January 1970. A series has one price a day.
    """

    @property
    def owner(self) -> Days:
        """The numbers of the series, ascending."""

    @property
    def day(self) -> Days:
        """The days, ascending in each series."""

    @property
    def price(self) -> Floats:
        """The prices."""

    def __len__(self) -> int:
        """Return the number of prices."""


def earlier(daily: DatedPrices, period: Period, chosen: Rows) -> Rows:
    """Return the position of the price a period before each of the chosen ones, -1 if there is none.

    It is the newest one at most a few days older than the period.
    """
    if not len(chosen):
        return np.zeros(0, dtype=np.intp)
    offset = int(daily.day.min()) - 800
    keys = (daily.owner << 32) + daily.day - offset
    owner, day = daily.owner[chosen], _before(daily.day[chosen], period)
    wanted = (owner << 32) + day - offset
    places = np.searchsorted(keys, wanted, side="right") - 1
    is_own = (places >= 0) & (daily.owner[places] == owner)
    is_near = daily.day[places] >= day - TOLERANCE_DAYS[period]
    return np.where(is_own & is_near, places, -1)


def _before(days: Days, period: Period) -> Days:
    if period in _DAYS:
        return days - _DAYS[period]
    unique, inverse = np.unique(days, return_inverse=True)
    moved = [_months_before(int(day), _MONTHS[period]) for day in unique]
    found: Days = np.array(moved, dtype=np.int64)[inverse]
    return found


def _months_before(number: int, months: int) -> int:
    """Return the same day of an earlier month, or its last one if there is no such day."""
    day = date.fromordinal(number + UNIX_EPOCH)
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        return number - months * 31
    return (
        date(year, month + 1, min(day.day, monthrange(year, month + 1)[1])).toordinal() - UNIX_EPOCH
    )


@dataclass(frozen=True, slots=True)
class Moves:
    """The newest price of each series (positions in the daily prices), and its changes by period.

    ``change`` is in yuan per ton, ``ratio`` a share of the earlier price; NaN without an earlier one.
    """

    newest: Rows
    change: dict[Period, Floats]
    ratio: dict[Period, Floats]


def newest_moves(daily: DatedPrices) -> Moves:
    """Return the changes of each series' newest price."""
    is_last = np.ones(len(daily), dtype=bool)
    is_last[:-1] = daily.owner[1:] != daily.owner[:-1]
    newest = np.flatnonzero(is_last)
    change, ratio = {}, {}
    for period in PERIODS:
        change[period], ratio[period] = changes(daily, period, newest)
    return Moves(newest, change, ratio)


def changes(daily: DatedPrices, period: Period, chosen: Rows) -> tuple[Floats, Floats]:
    """Return the changes of chosen prices against a period before, in yuan per ton and as shares.

    NaN where there is no earlier price; the share also where that is not positive.
    """
    before = earlier(daily, period, chosen)
    old = np.where(before >= 0, daily.price[before], np.nan) if len(before) else np.zeros(0)
    change = daily.price[chosen] - old
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(old > 0, daily.price[chosen] / old - 1, np.nan)
    return change, ratio


def move_limits(prices: Floats, amount: float, *, is_share: bool) -> tuple[float, float]:
    """Return the price below and the one above which the next one moves more than an amount from one of some days.

    ``prices`` are those of the days, NaN where there is none; ``is_share`` says that the amount is in per cent.

    >>> move_limits(np.array([2000.0, np.nan, 2100.0]), 5, is_share=True)
    (1995.0, 2100.0)
    """
    known = prices[~np.isnan(prices)]
    if not len(known):
        return np.nan, np.nan
    lowest, highest = float(known.min()), float(known.max())
    if is_share:
        return highest * (100 - amount) / 100, lowest * (100 + amount) / 100
    return highest - amount, lowest + amount


def median_moves(daily: DatedPrices, period: Period, first: int, last: int) -> tuple[Floats, Days]:
    """Return the median change of the entities on each day from ``first`` to ``last``, and their number.

    Only entities with both prices count: one that enters or leaves moves nothing.
    """
    chosen = np.flatnonzero((daily.day >= first) & (daily.day <= last))
    change, _ = changes(daily, period, chosen)
    is_known = ~np.isnan(change)
    day, change = daily.day[chosen][is_known] - first, change[is_known]
    counts = np.bincount(day, minlength=last - first + 1).astype(np.int64)
    (medians,) = group_quantiles(day, change, len(counts), (0.5,))
    return medians, counts
