"""Changes of prices: those of the workbook, and medians of the entities with both prices."""

from __future__ import annotations

import math
from datetime import date
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from focuscrawl.price_statistics import price_trends
from focuscrawl.price_statistics.price_moves import PERIODS, changes, median_moves, newest_moves
from focuscrawl.web.prices.daily_prices import DailyPrices, daily_prices
from focuscrawl.web.prices.price_query import PriceQuery, select
from focuscrawl.web.prices.price_table import PriceTable, day_number
from tests.web.prices.price_tables import TODAY, drawn_quotes, drawn_table


def daily_of(table: PriceTable) -> DailyPrices:
    return daily_prices(table, select(table, PriceQuery()).region.rows)


@given(drawn_quotes)
def test_newest_moves_are_those_of_the_workbook(drawn: Any) -> None:
    table = drawn_table(drawn)
    daily = daily_of(table)
    frame = pd.DataFrame(
        {
            "commodity": "玉米",
            "entity": [table.series[owner].name for owner in daily.owner],
            "date": pd.to_datetime(daily.day, unit="D"),
            "price": daily.price,
        }
    )
    expected = price_trends.changes(frame).set_index("entity") if len(frame) else frame
    found = newest_moves(daily)
    assert len(found.newest) == len(expected)
    for place, position in enumerate(found.newest):
        row = expected.loc[table.series[daily.owner[position]].name]
        assert (
            pd.Timestamp(row["date"]).date().toordinal() - date(1970, 1, 1).toordinal()
            == (daily.day[position])
        )
        for period in PERIODS:
            wanted = (row[f"{period}_change"], row[f"{period}_ratio"])
            both = found.change[period][place], found.ratio[period][place]
            assert both == pytest.approx(wanted, nan_ok=True)


@given(drawn_quotes)
def test_a_days_move_is_the_median_of_those_with_both_prices(drawn: Any) -> None:
    daily = daily_of(drawn_table(drawn))
    first, last = day_number(TODAY) - 460, day_number(TODAY)
    moves, counts = median_moves(daily, "week", first, last)
    change, _ = changes(daily, "week", np.arange(len(daily)))
    for place, (move, count) in enumerate(zip(moves, counts, strict=True)):
        own = [
            one
            for one, day in zip(change, daily.day, strict=True)
            if day == first + place and not math.isnan(one)
        ]
        assert count == len(own)
        assert move == pytest.approx(median(own)) if own else math.isnan(move)


def test_a_months_end_and_a_leap_day() -> None:
    days = [date(2023, 2, 28), date(2024, 1, 29), date(2024, 2, 29), date(2024, 3, 31)]
    daily = daily_of(drawn_table([(d, "甲", 2000.0 + n, 0, "", True) for n, d in enumerate(days)]))
    chosen = np.arange(4)
    assert changes(daily, "month", chosen)[0].tolist()[2:] == [1, 1]
    assert changes(daily, "year", chosen)[0].tolist()[2] == 2
