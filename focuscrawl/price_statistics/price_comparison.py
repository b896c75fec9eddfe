"""Comparisons of series of prices, day by day; a day that lacks one of the prices has no figure."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Comparison = Literal["", "index", "difference", "ratio"]
"""The prices themselves, 100 on a common day, or each price minus, or divided by, the first series' one."""
Floats = NDArray[np.float64]


def compared(prices: Floats, comparison: Comparison) -> Floats:
    """Return series (n, days) in yuan per ton as a comparison has them.

    A difference and a ratio are those of the other series against the first one, (n - 1, days); of a
    single series there are none. NaN where a price is missing, and for a share of none or less.

    >>> compared(np.array([[2000.0, 2010.0], [2100.0, np.nan]]), "difference")
    array([[100.,  nan]])
    """
    if comparison == "index":
        return indexed(prices)
    if comparison == "difference":
        found: Floats = prices[1:] - prices[:1]
        return found
    if comparison == "ratio":
        return _shares(prices[1:], prices[:1])
    return prices


def indexed(prices: Floats) -> Floats:
    """Return series as per cent of their prices on the first day on which all of those with any have one.

    Without such a day, each series begins at 100 by itself.

    >>> indexed(np.array([[2000.0, 2500.0, 3000.0], [np.nan, 1000.0, 1100.0]]))
    array([[ 80., 100., 120.],
           [ nan, 100., 110.]])
    """
    has_price = ~np.isnan(prices)
    if not has_price.any():
        return prices
    shared = has_price[has_price.any(axis=1)].all(axis=0)
    first = shared.argmax() if shared.any() else has_price.argmax(axis=1)
    base = prices[np.arange(len(prices)), first]
    return 100 * _shares(prices, base[:, None])


def _shares(prices: Floats, bases: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bases > 0, prices / bases, np.nan)
