"""Daily prices and medians, compared with the plainest way to get them."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from statistics import mean, median
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from focuscrawl.web.prices.figures.daily_prices import daily_prices, on_calendar, region_days
from focuscrawl.web.prices.figures.price_query import PriceQuery, select
from focuscrawl.web.prices.figures.price_table import day_number
from tests.web.prices.price_tables import TODAY, drawn_quotes, drawn_table

_EARLY = date(2024, 1, 1)


def plain_days(drawn: Any) -> dict[tuple[str, date], list[tuple[float, float]]]:
    found = defaultdict(list)
    for day, entity, low, more, flag, is_primary in drawn:
        if is_primary and not flag:
            found[entity, day].append((low, low + more))
    return found


@given(drawn_quotes)
def test_daily_prices_are_the_means_of_the_middles(drawn: Any) -> None:
    table = drawn_table(drawn)
    rows = select(table, PriceQuery(since=_EARLY, until=TODAY)).region.rows
    daily = daily_prices(table, rows)
    found = {
        (table.series[owner].name, int(day)): (price, low, high, count)
        for owner, day, price, low, high, count in zip(
            daily.owner, daily.day, daily.price, daily.low, daily.high, daily.quotes, strict=True
        )
    }
    assert found == {
        (entity, day_number(day)): (
            pytest.approx(mean((low + high) / 2 for low, high in ends)),
            min(low for low, _ in ends),
            max(high for _, high in ends),
            len(ends),
        )
        for (entity, day), ends in plain_days(drawn).items()
    }
    assert all(table.day[first] == day for first, day in zip(daily.first, daily.day, strict=True))


@given(drawn_quotes)
def test_a_region_has_median_band_and_ends_of_each_day(drawn: Any) -> None:
    table = drawn_table(drawn)
    daily = daily_prices(table, select(table, PriceQuery()).region.rows)
    first, last = day_number(TODAY) - 460, day_number(TODAY)
    region = region_days(daily, first, last)
    by_day = defaultdict(list)
    for (_, day), ends in plain_days(drawn).items():
        price = mean((low + high) / 2 for low, high in ends)
        by_day[day_number(day)].append((price, min(e[0] for e in ends), max(e[1] for e in ends)))
    assert len(region) == 461
    for place in range(461):
        prices = by_day.get(first + place, [])
        assert region.entities[place] == len(prices)
        if not prices:
            assert np.isnan(
                [region.median[place], region.lower[place], region.highest[place]]
            ).all()
            continue
        means = [price for price, _, _ in prices]
        assert region.median[place] == pytest.approx(median(means))
        assert region.lower[place] == pytest.approx(np.quantile(means, 0.1))
        assert region.upper[place] == pytest.approx(np.quantile(means, 0.9))
        assert region.lowest[place] == min(low for _, low, _ in prices)
        assert region.highest[place] == max(high for _, _, high in prices)


def test_a_calendar_has_gaps_where_a_series_has_no_price() -> None:
    drawn = [
        (date(2026, 3, 1), "甲", 2000.0, 0, "", True),
        (date(2026, 3, 3), "甲", 2010.0, 0, "", True),
    ]
    table = drawn_table(drawn)
    daily = daily_prices(table, select(table, PriceQuery()).region.rows)
    first = day_number(date(2026, 3, 1))
    values = on_calendar(daily, first, first + 3)
    assert [None if np.isnan(value) else value for value in values] == [2000, None, 2010, None]
