"""Doubtful prices: which of an entity's daily prices are far from the others, and what they move."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from statistics import median

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.price_statistics.price_index import WHOLE
from focuscrawl.price_statistics.price_jumps import (
    MAX_FACTOR,
    NEAREST,
    NEAREST_DAYS,
    doubtful_prices,
)
from focuscrawl.reports.price_figures import price_figures, price_trends
from focuscrawl.reports.quote_facts import QuoteFacts
from tests.reports.invented_quotes import make_quote, make_stored

FIRST = date(2026, 1, 1)
Prices = dict[int, float]
"""Prices by day (from 0)."""


def daily(of: dict[str, Prices]) -> pd.DataFrame:
    rows = [
        ("玉米", name, pd.Timestamp(FIRST + timedelta(days=day)), price)
        for name, own in of.items()
        for day, price in own.items()
    ]
    frame = pd.DataFrame(rows, columns=["commodity", "entity", "date", "price"])
    return frame.astype({"date": "datetime64[s]", "price": float})


def doubtful(of: dict[str, Prices]) -> set[tuple[str, int]]:
    found = doubtful_prices(daily(of))
    return {
        (entity, (day.date() - FIRST).days)
        for entity, day in zip(found["entity"], found["date"], strict=True)
    }


def by_hand(own: Prices) -> set[int]:
    days = sorted(own)
    found = set()
    for place, day in enumerate(days):
        first = max(0, min(place - NEAREST // 2, len(days) - NEAREST))
        near = [d for d in days[first : first + NEAREST] if abs(d - day) <= NEAREST_DAYS]
        usual = median(own[d] for d in near)
        if not usual / MAX_FACTOR <= own[day] <= usual * MAX_FACTOR:
            found.add(day)
    return found


@given(
    st.dictionaries(
        st.sampled_from("甲乙丙"),
        st.dictionaries(
            st.integers(0, 90), st.sampled_from([1600.0, 1700, 2500, 800, 16000]), min_size=1
        ),
        min_size=1,
    )
)
def test_it_is_as_its_definition_says(of: dict[str, Prices]) -> None:
    assert doubtful(of) == {(name, day) for name, own in of.items() for day in by_hand(own)}


@pytest.mark.parametrize("day", [0, 4, 8])
@pytest.mark.parametrize("factor", [10, 0.1, 2, 0.5])
def test_one_absurd_price_is_doubtful_wherever_it_is(day: int, factor: float) -> None:
    own = dict.fromkeys(range(9), 1600.0) | {day: 1600 * factor}
    assert doubtful({"甲": own}) == {("甲", day)}


def test_a_new_level_is_believed_when_most_prices_are_on_it() -> None:
    own = dict.fromkeys(range(10), 1000.0) | {10: 2000.0}
    assert doubtful({"甲": own}) == {("甲", 10)}
    assert doubtful({"甲": own | dict.fromkeys(range(11, 17), 2000.0)}) == set()


def test_a_price_of_another_year_is_not_compared() -> None:
    assert doubtful({"甲": {0: 1000.0, 365: 2000.0, 730: 3000.0}}) == set()


@pytest.mark.parametrize("day", [0, 5, 9])
def test_an_absurd_price_does_not_move_the_index_of_a_small_region(day: int) -> None:
    facts = QuoteFacts()
    for entity in "甲乙":
        for number in range(10):
            price = 16000 if (entity, number) == ("乙", day) else 1600
            quote = make_quote(FIRST + timedelta(days=number), price, entity=entity)
            facts.add(make_stored(quote))
    trends = price_trends(price_figures(facts, date(2026, 3, 1)))
    for region in (WHOLE, "山东"):
        assert trends.indices["玉米"][region]["index"].tolist() == [1610] * 10
    (row,) = trends.doubtful.to_dict("records")
    assert (row["entity"], row["price"], row["usual"]) == ("乙", 16010, 1610)


def test_a_price_that_an_editor_has_confirmed_is_not_doubtful() -> None:
    facts = QuoteFacts()
    for number in range(10):
        price = 3000 if number in (4, 6) else 1600
        stored = make_stored(make_quote(FIRST + timedelta(days=number), price, entity="甲"))
        facts.add(replace(stored, is_confirmed=number == 4))
    trends = price_trends(price_figures(facts, date(2026, 3, 1)))
    assert [row.date() for row in trends.doubtful["date"]] == [FIRST + timedelta(days=6)]
    known = trends.indices["玉米"][WHOLE]["index"].to_dict()
    assert known[pd.Timestamp(FIRST + timedelta(days=4))] == 3010
