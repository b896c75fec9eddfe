"""Mean prices of a day, and quantiles of groups of prices, in workbook, web views and alarms.

The databases' views have the same means, rounded.
"""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from focuscrawl.items import EntityType

ENTITY_TYPES: tuple[str, ...] = get_args(EntityType)
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


def group_quantiles(
    groups: NDArray[np.integer[Any]],
    values: NDArray[np.float64],
    number: int,
    shares: tuple[float, ...],
) -> list[NDArray[np.float64]]:
    """Return for each share the quantile of each of ``number`` groups, NaN where one is empty.

    Of n sorted values it is the one at share * (n - 1), between two values in proportion; the share 0.5
    is the median.

    >>> group_quantiles(np.array([0, 2, 0]), np.array([2000.0, 2100.0, 2200.0]), 3, (0.5,))
    [array([2100.,   nan, 2100.])]
    """
    counts = np.bincount(groups, minlength=number)
    if not len(values):
        return [np.full(number, np.nan) for _ in shares]
    by_value = np.argsort(values)
    keys = groups[by_value]
    # Twice as fast as lexsort: small integers are sorted by their digits.
    keys = keys.astype(np.int16) if number <= np.iinfo(np.int16).max else keys
    ordered = values[by_value[np.argsort(keys, kind="stable")]]
    starts, most = np.cumsum(counts) - counts, np.maximum(counts - 1, 0)
    found = []
    for share in shares:
        place = starts + share * most
        below = np.floor(place).astype(np.int64)
        weight = place - below
        lower = ordered[np.minimum(below, len(ordered) - 1)]
        upper = ordered[np.minimum(np.minimum(below + 1, starts + most), len(ordered) - 1)]
        found.append(np.where(counts > 0, lower * (1 - weight) + upper * weight, np.nan))
    return found
