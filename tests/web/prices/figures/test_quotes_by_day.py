"""Quotes by day, compared with a look at all of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.price_statistics.price_moves import PERIODS, newest_moves
from focuscrawl.web.prices.figures.daily_prices import calendars, daily_prices, on_calendar
from focuscrawl.web.prices.figures.price_query import PriceQuery, select
from focuscrawl.web.prices.figures.price_table import day_number
from focuscrawl.web.prices.figures.quotes_by_day import QuotedDays, QuotesByDay, compared_rows
from tests.web.prices.price_tables import TODAY, drawn_quotes, drawn_table

_spans = st.lists(st.integers(0, 460), min_size=2, max_size=2).map(sorted)


def _numbers(span: list[int]) -> tuple[int, int]:
    first, last = (day_number(TODAY - timedelta(days=460)) + number for number in span)
    return first, last


@given(drawn_quotes, _spans, _spans)
def test_only_the_quotes_of_the_spans_are_read(
    drawn: Any, one: list[int], other: list[int]
) -> None:
    table = drawn_table(drawn)
    quotes = QuotesByDay.of(table, np.arange(len(table)))
    spans = sorted([_numbers(one), _numbers(other)])
    is_inside = np.zeros(len(table), dtype=bool)
    for first, last in spans:
        is_inside |= (table.day >= first) & (table.day <= last)
    assert quotes.rows.tolist() == list(range(len(table)))
    assert quotes.between(*spans).tolist() == np.flatnonzero(is_inside).tolist()
    days = table.day[quotes.of_days(*spans[0])].tolist()
    assert days == sorted(day for day in table.day.tolist() if spans[0][0] <= day <= spans[0][1])


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


@given(drawn_quotes, _spans)
def test_calendars_of_series_are_those_of_each(drawn: Any, span: list[int]) -> None:
    table = drawn_table(drawn)
    first, last = _numbers(span)
    quotes = select(table, PriceQuery()).region
    owners = np.unique(table.owner[quotes.rows])[::-1][:2].tolist()
    daily = daily_prices(table, quotes.rows)
    found = calendars(table, quotes.of_days(first, last), owners, first, last)
    for owner, prices in zip(owners, found, strict=True):
        np.testing.assert_allclose(prices, on_calendar(daily.of(owner), first, last))
