"""Quotes by day, daily prices and medians, compared with the plainest way to get them."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from statistics import mean, median
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.price_statistics.price_moves import PERIODS, newest_moves
from focuscrawl.web.prices.daily_prices import (
    QuotedDays,
    compared_rows,
    daily_prices,
    region_days,
)
from focuscrawl.web.prices.price_query import PriceQuery, select
from focuscrawl.web.prices.price_table import day_number
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
        (table.series[owner].name, int(day)): (price, low, high)
        for owner, day, price, low, high in zip(
            daily.owner, daily.day, daily.price, daily.low, daily.high, strict=True
        )
    }
    assert found == {
        (entity, day_number(day)): (
            pytest.approx(mean((low + high) / 2 for low, high in ends)),
            min(low for low, _ in ends),
            max(high for _, high in ends),
        )
        for (entity, day), ends in plain_days(drawn).items()
    }


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


_spans = st.lists(st.integers(0, 460), min_size=2, max_size=2).map(sorted)


def _numbers(span: list[int]) -> tuple[int, int]:
    first, last = (day_number(TODAY - timedelta(days=460)) + number for number in span)
    return first, last


@given(drawn_quotes, _spans)
def test_days_count_their_quotes(drawn: Any, span: list[int]) -> None:
    table = drawn_table(drawn)
    first, last = _numbers(span)
    found = QuotedDays.of(table, np.arange(len(table))).between(first, last)
    rows = [row for row in range(len(table)) if first <= table.day[row] <= last]
    assert found.quotes.sum() == len(rows)
    assert found.flagged.sum() == sum(table.flag[row] != 0 for row in rows)
    assert found.unknown.sum() == sum(not table.is_known[row] for row in rows)
    fetched = (table.articles.fetched_at[table.article[row]] for row in rows)
    assert found.fetched_at.max(initial=0) == max(fetched, default=0)


@given(drawn_quotes, _spans)
def test_changes_need_only_the_compared_days(drawn: Any, span: list[int]) -> None:
    table = drawn_table(drawn)
    first, last = _numbers(span)
    quotes = select(table, PriceQuery()).region
    some = daily_prices(table, compared_rows(quotes, first, last))
    every = daily_prices(table, quotes.between((first - 2000, last)))
    found, expected = newest_moves(some), newest_moves(every)
    shown = [
        {
            int(daily.owner[position]): [moves.change[period][place] for period in PERIODS]
            for place, position in enumerate(moves.newest)
            if daily.day[position] >= first
        }
        for daily, moves in ((some, found), (every, expected))
    ]
    assert shown[0].keys() == shown[1].keys()
    for owner, changes in shown[0].items():
        np.testing.assert_allclose(changes, shown[1][owner])
