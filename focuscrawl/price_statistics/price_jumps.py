"""Doubtful daily prices: far from the other prices of their own entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from focuscrawl.price_statistics.price_moves import (
    KEYS,
    DatedPrices,
    Days,
    Floats,
    Rows,
    day_numbers,
)

if TYPE_CHECKING:
    # The web views get by without it, which saves them 70 MB.
    import pandas as pd

NEAREST = 7
"""Number of an entity's daily prices, nearest to a day, with which the price of that day is compared."""
NEAREST_DAYS = 30
"""Older prices, and later ones, are not compared: prices double within years."""
MAX_FACTOR = 1.5
"""Largest ratio of a price and that median, either way. Yuan per jin read as yuan per kilogram is a factor
of 2."""


def doubtful_prices(daily: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``daily`` whose price is far from the nearest ones, with the column ``usual``.

    ``daily`` is the result of :func:`~focuscrawl.price_statistics.price_trends.daily_means`; ``usual`` is the
    median of the nearest prices, the doubtful one among them. A new level is doubtful only until most
    of the nearest prices are on it.
    """
    ordered = daily.sort_values([*KEYS, "date"])
    series = ordered.groupby(KEYS, observed=True, sort=False).ngroup().to_numpy()
    prices = ordered["price"].to_numpy(dtype=float)
    usual = _usual(series, day_numbers(ordered["date"].to_numpy()), prices)
    far: pd.DataFrame = ordered.assign(usual=usual)[are_far(prices, usual)]
    return far


def newest_doubts(daily: DatedPrices, day: int) -> dict[int, float]:
    """Return the series whose price of a day, their newest one, is doubtful, each with its usual price."""
    # Only the nearest prices before it count, which are the last ones.
    last = np.searchsorted(daily.owner, daily.owner, side="right")
    chosen = np.flatnonzero(np.arange(len(daily)) >= last - NEAREST)
    owners, prices = daily.owner[chosen], daily.price[chosen]
    usual = _usual(owners, daily.day[chosen], prices)
    found = np.flatnonzero(are_far(prices, usual) & (daily.day[chosen] == day))
    return dict(zip(owners[found].tolist(), usual[found].tolist(), strict=True))


def are_far(prices: Any, usual: Any) -> Any:
    """Return which prices are far from their usual ones."""
    is_far = (prices > usual * MAX_FACTOR) | (prices * MAX_FACTOR < usual)
    # Below zero a factor says nothing.
    return is_far & (usual > 0)


def _usual(series: Rows, days: Days, prices: Floats) -> Floats:
    """Return the median of the nearest prices for each of some prices, sorted by series and date."""
    number = len(prices)
    begins = np.searchsorted(series, series, side="left")
    ends = np.searchsorted(series, series, side="right")
    first = np.maximum(np.minimum(np.arange(number) - NEAREST // 2, ends - NEAREST), begins)
    places = first[:, None] + np.arange(NEAREST)
    inside = places < ends[:, None]
    places = np.where(inside, places, 0)
    inside &= np.abs(days[places] - days[:, None]) <= NEAREST_DAYS
    found = np.sort(np.where(inside, prices[places], np.inf), axis=1)
    count, rows = inside.sum(axis=1), np.arange(number)
    middle: Floats = found[rows, (count - 1) // 2] + found[rows, count // 2]
    return middle / 2
