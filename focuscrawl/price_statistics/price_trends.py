"""Price movements: daily means, and changes against a day, week, month and year ago."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from focuscrawl.price_statistics import price_moves
from focuscrawl.price_statistics.mean_prices import group_means
from focuscrawl.price_statistics.price_moves import (
    KEYS,
    PERIODS,
    Days,
    Floats,
    Period,
    day_numbers,
    newest_moves,
)


def daily_means(facts: pd.DataFrame) -> pd.DataFrame:
    """Return the mean price of each commodity, entity and date.

    ``facts`` has one row per quote and the columns commodity, entity, region, date (datetime64) and
    price (yuan per ton). The result has columns commodity, entity, date, price, in that order.
    """
    days = facts.groupby([*KEYS, "date"], observed=True)
    daily = days.size().reset_index()[[*KEYS, "date"]]
    prices = facts["price"].to_numpy(dtype=float)
    return daily.assign(price=group_means(days.ngroup().to_numpy(), prices, len(daily)))


def entities_of(facts: pd.DataFrame, places: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return region, province, city and entity_type of each entity, "" where unknown, by entity.

    Those quoted most often count. ``places`` has province and city of each region.
    """
    found = pd.DataFrame(index=facts["entity"].unique().astype(str))
    for column in ("region", "entity_type"):
        found[column] = _most_quoted(facts, column).reindex(found.index, fill_value="")
    found["province"], found["city"] = (
        [places.get(region, ("", ""))[part] for region in found["region"]] for part in (0, 1)
    )
    return found


def _most_quoted(facts: pd.DataFrame, column: str) -> pd.Series[str]:
    named = facts[facts[column] != ""]
    counts = named.groupby(["entity", column], observed=True).size().rename("count").reset_index()
    most = counts.sort_values("count", ascending=False, kind="stable").drop_duplicates("entity")
    return most.set_index("entity")[column].astype(str)


@dataclass(frozen=True, slots=True)
class _SeriesPrices:
    """Daily means by series and day, and the position of each one in the frame of them."""

    owner: Days
    day: Days
    price: Floats
    place: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.day)


def changes(daily: pd.DataFrame) -> pd.DataFrame:
    """Return the latest price of each commodity and entity, and its changes.

    ``daily`` is the result of :func:`daily_means`. Columns: commodity, entity, days (dates quoted),
    date and price (the latest), and for each of ``PERIODS`` ``{period}_change`` (yuan per ton) and
    ``{period}_ratio`` (a fraction of the earlier price), NaN where
    :mod:`focuscrawl.price_statistics.price_moves` has none.
    """
    series = _by_series(daily)
    moves = newest_moves(series)
    # By date, as the rows of one day in ``daily``.
    places = series.place[moves.newest]
    order = np.lexsort((places, series.day[moves.newest]))
    latest = daily.iloc[places[order]].reset_index(drop=True)
    latest["days"] = np.bincount(series.owner)[series.owner[moves.newest]][order]
    for period in PERIODS:
        latest[f"{period}_change"] = moves.change[period][order]
        latest[f"{period}_ratio"] = moves.ratio[period][order]
    return latest


def change_since(values: pd.Series[float], period: Period) -> float:
    """Return the last of the values, by date, minus the one a period before; NaN if there is none."""
    prices, dates = values.to_numpy(dtype=float), values.index.to_numpy()
    is_known = ~np.isnan(prices)
    if not is_known.any():
        return math.nan
    owner = np.zeros(is_known.sum(), dtype=np.int64)
    series = _sorted(owner, dates[is_known], np.asarray(prices[is_known], dtype=np.float64))
    change, _ = price_moves.changes(series, period, np.array([len(series) - 1]))
    return float(change[0])


def _by_series(daily: pd.DataFrame) -> _SeriesPrices:
    numbers = daily.groupby(KEYS, observed=True).ngroup().to_numpy().astype(np.int64)
    return _sorted(numbers, daily["date"].to_numpy(), daily["price"].to_numpy(dtype=float))


def _sorted(owner: Days, dates: NDArray[np.datetime64], price: Floats) -> _SeriesPrices:
    day = day_numbers(dates)
    place = np.lexsort((day, owner))
    return _SeriesPrices(owner[place], day[place], price[place], place)
