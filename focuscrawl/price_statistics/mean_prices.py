"""The mean price of a day in workbook, web views and alarms; the databases' views have the same, rounded."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.items import EntityType

LEFT_OUT: tuple[EntityType, ...] = ("average", "other")
"""Types of entities outside of every index and of a region's median: averages, and groups of buyers
(地区饲料厂) or contracts, whose members may count there themselves."""


def middle(low: Any, high: Any) -> Any:
    """Return the middle of the range of a quote, or of those of many."""
    return (low + high) / 2


def group_means(
    groups: NDArray[np.integer[Any]], prices: NDArray[np.float64], number: int
) -> NDArray[np.float64]:
    """Return the mean price of each of ``number`` groups, NaN where one is empty.

    >>> group_means(np.array([0, 2, 0]), np.array([2000.0, 2100.0, 2200.0]), 3)
    array([2100.,   nan, 2100.])
    """
    with np.errstate(invalid="ignore"):
        return np.bincount(groups, prices, number) / np.bincount(groups, minlength=number)
