"""Doubtful daily prices: far from the other prices of their own entity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from focuscrawl.price_statistics.price_moves import DatedPrices, day_numbers
from focuscrawl.price_statistics.price_trends import KEYS

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
    usual = _usual(ordered)
    price = ordered["price"].to_numpy(dtype=float)
    is_far = (price > usual * MAX_FACTOR) | (price * MAX_FACTOR < usual)
    # Below zero a factor says nothing.
    is_far &= usual > 0
    return ordered.assign(usual=usual)[is_far]


def newest_doubts(daily: DatedPrices, day: int) -> dict[int, float]:
    """Return the series whose price of a day, their newest one, is doubtful, each with its usual price."""
    # Only the nearest prices before it count, which are the last ones.
    last = np.searchsorted(daily.owner, daily.owner, side="right")
    chosen = np.flatnonzero(np.arange(len(daily)) >= last - NEAREST)
    dates = daily.day[chosen].astype("datetime64[D]").astype("datetime64[ns]")
    values = {"commodity": "", "entity": daily.owner[chosen], "date": dates}
    found = doubtful_prices(pd.DataFrame(values | {"price": daily.price[chosen]}))
    found = found[day_numbers(found["date"].to_numpy()) == day]
    return dict(zip(found["entity"].tolist(), found["usual"].tolist(), strict=True))


def _usual(ordered: pd.DataFrame) -> NDArray[np.float64]:
    """Return the median of the nearest prices for each row of prices sorted by series and date."""
    number = len(ordered)
    days = day_numbers(ordered["date"].to_numpy())
    prices = ordered["price"].to_numpy(dtype=float)
    series = ordered.groupby(KEYS, observed=True, sort=False).ngroup().to_numpy()
    begins = np.searchsorted(series, series, side="left")
    ends = np.searchsorted(series, series, side="right")
    first = np.maximum(np.minimum(np.arange(number) - NEAREST // 2, ends - NEAREST), begins)
    places = first[:, None] + np.arange(NEAREST)
    inside = places < ends[:, None]
    places = np.where(inside, places, 0)
    inside &= np.abs(days[places] - days[:, None]) <= NEAREST_DAYS
    found = np.sort(np.where(inside, prices[places], np.inf), axis=1)
    count, rows = inside.sum(axis=1), np.arange(number)
    middle: NDArray[np.float64] = found[rows, (count - 1) // 2] + found[rows, count // 2]
    return middle / 2
