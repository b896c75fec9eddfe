"""Price movements: daily means, and changes against a day, week, month and year ago."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from focuscrawl.reports.mean_prices import group_means

KEYS = ["commodity", "entity"]


@dataclass(frozen=True, slots=True)
class Period:
    """A period between two prices to compare.

    The price to compare with is the newest one in ``[latest - span - tolerance, latest - span]``.
    """

    name: str
    span: pd.DateOffset
    tolerance_days: int


PERIODS = (
    Period("day", pd.DateOffset(days=1), 3),
    Period("week", pd.DateOffset(weeks=1), 3),
    Period("month", pd.DateOffset(months=1), 7),
    Period("year", pd.DateOffset(years=1), 15),
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


def changes(daily: pd.DataFrame) -> pd.DataFrame:
    """Return the latest price of each commodity and entity, and its changes.

    ``daily`` is the result of :func:`daily_means`. Columns: commodity, entity, days (dates quoted),
    date and price (the latest), and for each of ``PERIODS`` ``{name}_change`` (yuan per ton) and
    ``{name}_ratio`` (a fraction of the earlier price), NaN if there is no earlier price
    (the ratio also if that is not positive). A month or year ago is the same calendar day, or the last day of the month if there is none:
    a year before 29 February is 28 February.
    """
    daily = daily.sort_values("date", kind="stable")
    latest = daily.drop_duplicates(KEYS, keep="last").reset_index(drop=True)
    latest["days"] = latest[KEYS].merge(_days_quoted(daily), on=KEYS)["days"]
    for period in PERIODS:
        earlier = _earlier_prices(latest, daily, period)
        latest[f"{period.name}_change"] = latest["price"] - earlier
        latest[f"{period.name}_ratio"] = latest["price"] / earlier.where(earlier > 0) - 1
    return latest


def change_since(values: pd.Series[float], period: Period) -> float:
    """Return the last of the values, by date, minus the one a period before; NaN if there is none."""
    known = values.dropna()
    if known.empty:
        return math.nan
    days = known.index.to_numpy()
    # Not as a scalar, which has no day before the year 1.
    latest = (pd.DatetimeIndex(known.index[-1:]) - period.span).to_numpy()[0]
    oldest = latest - np.timedelta64(period.tolerance_days, "D")
    earlier = known[(days >= oldest) & (days <= latest)]
    return math.nan if earlier.empty else float(known.iloc[-1] - earlier.iloc[-1])


def _days_quoted(daily: pd.DataFrame) -> pd.DataFrame:
    return daily.groupby(KEYS, observed=True).size().rename("days").reset_index()


def _earlier_prices(latest: pd.DataFrame, daily: pd.DataFrame, period: Period) -> pd.Series[float]:
    """Return the earlier price for each latest one, in the order of ``latest`` (by date)."""
    wanted = latest[KEYS].assign(date=latest["date"] - period.span)
    found = pd.merge_asof(
        wanted.reset_index().sort_values("date", kind="stable"),
        daily,
        on="date",
        by=KEYS,
        tolerance=pd.Timedelta(days=period.tolerance_days),
    )
    return found.set_index("index")["price"].reindex(latest.index)
