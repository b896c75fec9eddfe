"""Movements: what is compared with what, across gaps, months' ends and leap days."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pandas as pd
import pytest

from focuscrawl.price_statistics.price_moves import PERIODS
from focuscrawl.price_statistics.price_trends import change_since, changes, daily_means, entities_of
from focuscrawl.reports.quote_facts import QuoteFacts
from tests.reports.invented_quotes import make_quote, make_stored

Prices = dict[date, int]


def frame_of(*series: tuple[str, str, Prices]) -> pd.DataFrame:
    facts = QuoteFacts()
    for entity, region, prices in series:
        for day, price in prices.items():
            facts.add(make_stored(make_quote(day, price, entity=entity, region=region)))
    return facts.frame()


def movement(prices: Prices) -> dict[str, float]:
    (row,) = changes(daily_means(frame_of(("甲", "山东", prices)))).to_dict("records")
    return row


def test_one_quote_moves_nowhere() -> None:
    row = movement({date(2026, 3, 2): 2300})
    assert (row["days"], row["date"], row["price"]) == (1, pd.Timestamp("2026-03-02"), 2310)
    for period in ("day", "week", "month", "year"):
        assert math.isnan(row[f"{period}_change"])
        assert math.isnan(row[f"{period}_ratio"])


def test_each_period_compares_with_its_own_day() -> None:
    latest = date(2026, 3, 2)
    row = movement(
        {
            date(2025, 3, 2): 1990,
            date(2026, 2, 2): 2090,
            date(2026, 2, 23): 2190,
            date(2026, 3, 1): 2290,
            latest: 2390,
        }
    )
    assert [row[f"{name}_change"] for name in ("day", "week", "month", "year")] == [
        100,
        200,
        300,
        400,
    ]
    assert row["year_ratio"] == pytest.approx(2400 / 2000 - 1)


@pytest.mark.parametrize(
    ("period", "days", "tolerance"), [("day", 1, 3), ("week", 7, 3), ("month", 28, 7)]
)
def test_a_gap_is_bridged_up_to_the_tolerance_and_never_forwards(
    period: str, days: int, tolerance: int
) -> None:
    latest = date(2026, 3, 2)

    def change(back: int) -> float:
        return movement({latest - timedelta(days=back): 2200, latest: 2300})[f"{period}_change"]

    assert math.isnan(change(days - 1)) or days == 1
    assert change(days) == 100
    assert change(days + tolerance) == 100
    assert math.isnan(change(days + tolerance + 1))


@pytest.mark.parametrize(
    ("latest", "year_ago"),
    [
        (date(2024, 2, 29), date(2023, 2, 28)),
        (date(2025, 2, 28), date(2024, 2, 28)),
        (date(2025, 3, 1), date(2024, 3, 1)),
        (date(2024, 3, 1), date(2023, 3, 1)),
    ],
)
def test_year_on_year_across_leap_days(latest: date, year_ago: date) -> None:
    # The day after would be the nearer one by counting 365 days back; it must not be taken.
    row = movement({year_ago: 2000, year_ago + timedelta(days=1): 9000, latest: 2100})
    assert row["year_change"] == 100
    row = movement({year_ago - timedelta(days=15): 2000, latest: 2100})
    assert row["year_change"] == 100
    row = movement({year_ago - timedelta(days=16): 2000, latest: 2100})
    assert math.isnan(row["year_change"])


def test_a_month_before_the_31st_is_the_months_last_day() -> None:
    assert movement({date(2026, 2, 28): 2200, date(2026, 3, 31): 2300})["month_change"] == 100


def test_entities_do_not_borrow_from_each_other() -> None:
    frame = frame_of(
        ("甲", "山东", {date(2026, 3, 1): 2000, date(2026, 3, 3): 2100}),
        ("乙", "吉林", {date(2026, 3, 1): 1000, date(2026, 3, 2): 3000}),
    )
    moved = changes(daily_means(frame)).set_index("entity")
    assert moved.loc["甲", "day_change"] == 100
    assert moved.loc["乙", "day_change"] == 2000


def test_an_earlier_price_of_zero_has_no_ratio() -> None:
    row = movement({date(2026, 3, 1): -10, date(2026, 3, 2): 2300})
    assert row["day_change"] == 2310
    assert math.isnan(row["day_ratio"])


def test_an_entity_belongs_to_the_region_and_type_named_most_often() -> None:
    facts = QuoteFacts()
    for number, (region, kind) in enumerate(
        [
            ("", ""),
            ("", ""),
            ("", ""),
            ("吉林", "place"),
            ("潍坊寿光", "firm"),
            ("山东潍坊", "firm"),
        ]
    ):
        day = date(2026, 3, 1 + number)
        facts.add(make_stored(make_quote(day, entity="甲", region=region, entity_type=kind)))
    facts.add(make_stored(make_quote(entity="乙", region="")))
    found = entities_of(facts.frame(), facts.places)
    assert found.loc["甲"].to_dict() == {
        "region": "山东潍坊",
        "entity_type": "firm",
        "province": "山东",
        "city": "潍坊",
    }
    assert set(found.loc["乙"]) == {""}


def test_province_and_city_of_a_quote_count_before_its_region_as_printed() -> None:
    facts = QuoteFacts()
    facts.add(make_stored(make_quote(entity="甲", region="寿光", province="吉林", city="长春")))
    facts.add(make_stored(make_quote(entity="乙", region="", province="北京", city="北京")))
    found = entities_of(facts.frame(), facts.places)
    assert found.loc["甲", ["region", "province", "city"]].tolist() == ["吉林长春", "吉林", "长春"]
    assert found.loc["乙", ["region", "province", "city"]].tolist() == ["北京", "北京", "北京"]


def test_a_change_of_values_looks_back_as_that_of_prices() -> None:
    days = pd.DatetimeIndex(["2026-02-20", "2026-02-22", "2026-03-01", "2026-03-02"])
    values = pd.Series([1.0, 2, 3, 10], days)
    assert [change_since(values, period) for period in PERIODS[:2]] == [7, 8]
    assert change_since(values.iloc[2:], PERIODS[0]) == 7
    assert math.isnan(change_since(values.iloc[2:], PERIODS[1]))
    assert math.isnan(change_since(values.iloc[:0], PERIODS[0]))
    assert math.isnan(change_since(pd.Series([1.0], [pd.Timestamp("0001-01-01")]), PERIODS[1]))


def test_flagged_secondary_undated_and_nameless_quotes_stay_out() -> None:
    facts = QuoteFacts()
    for quote in (
        make_quote(flag="超出范围"),
        make_quote(is_primary=False),
        make_quote(None),
        make_quote(entity=""),
    ):
        facts.add(make_stored(quote))
    assert facts.frame().empty
    assert (facts.quotes, facts.flagged, facts.secondary, facts.undated) == (4, 1, 1, 1)
