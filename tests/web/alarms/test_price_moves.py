"""Moves of prices, and the events that they give."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from focuscrawl.items import Quote
from focuscrawl.web.alarms.alarm_evaluation import price_event
from focuscrawl.web.alarms.alarm_rules import Rule, StoredRule
from focuscrawl.web.alarms.price_moves import largest_move, prices_of
from tests.stores.record_examples import quote

TODAY = date(2026, 3, 5)
DAY = timedelta(days=1)


def rule(**fields: Any) -> StoredRule:
    plain = {"kind": "price", "commodity": "玉米", "amount": 3, "days": 7}
    made = {"number": 1, "made_by": "operator", "made_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return StoredRule(**(plain | made | fields))


def price(entity: str, ago: int, yuan: float, **fields: Any) -> Quote:
    amount = Decimal(str(yuan))
    ends = {"price_yuan_per_ton_low": amount, "price_yuan_per_ton_high": amount}
    return quote(**({"entity": entity, "date": TODAY - ago * DAY} | ends | fields))


def series(ago_to_yuan: dict[int, float], entities: str = "甲乙丙") -> list[Quote]:
    return [price(one, ago, yuan) for one in entities for ago, yuan in ago_to_yuan.items()]


def test_a_move_is_that_of_entities_with_prices_on_both_days() -> None:
    # A fourth, expensive firm appears on the newest day: no price has moved.
    quotes = [*series({3: 2000, 0: 2000}), price("丁", 0, 9000)]
    move = largest_move(rule(), prices_of(rule(), quotes, TODAY))
    assert move is not None
    assert (move.yuan, move.entities) == (0, 3)
    assert largest_move(rule(), prices_of(rule(), series({3: 1, 0: 2}, "甲乙"), TODAY)) is None
    one = rule(entity="甲")
    move = largest_move(one, prices_of(one, series({3: 2000, 0: 2100}, "甲乙"), TODAY))
    assert move is not None
    assert (move.yuan, round(move.share, 9), move.since) == (100, 0.05, TODAY - 3 * DAY)


def test_the_largest_move_within_the_days_counts() -> None:
    quotes = series({9: 1000, 7: 2000, 4: 2200, 2: 2050, 0: 2090})
    move = largest_move(rule(), prices_of(rule(), quotes, TODAY))
    assert move is not None
    assert (move.yuan, move.since) == (-110, TODAY - 4 * DAY)


@pytest.mark.parametrize(
    "fields",
    [{"flag": "odd"}, {"is_primary": False}, {"commodity": "小麦"}, {"date": None},
     {"date": TODAY + DAY}, {"region": "吉林"}],
)  # fmt: skip
def test_other_quotes_are_left_out(fields: dict[str, Any]) -> None:
    watched = rule(region="山东")
    assert prices_of(watched, [price("甲", 0, 2000)], TODAY)
    assert not prices_of(watched, [price("甲", 0, 2000, **fields)], TODAY)


@pytest.mark.parametrize("name", ["province", "city", "county"])
def test_a_region_is_any_part_of_a_place(name: str) -> None:
    assert prices_of(rule(region="潍坊"), [price("甲", 0, 2000, **{name: "潍坊"})], TODAY)


def test_an_event_comes_once_and_again_after_the_days() -> None:
    rising = series({3: 2000, 0: 2100})
    event = price_event(rule(), rising, TODAY, [])
    assert event is not None
    assert (event.key, event.values["share"]) == ("price up 2026-03-05", 0.05)
    assert price_event(rule(), rising, TODAY, [event.key]) is None
    later = series({3: 2000, 0: 2100, -1: 2110})
    assert price_event(rule(), later, TODAY + DAY, [event.key]) is None
    falling = series({0: 2100, -1: 1900})
    down = price_event(rule(), falling, TODAY + DAY, [event.key])
    assert down is not None
    assert down.key == "price down 2026-03-06"
    next_week = series({-3: 2000, -7: 2200})
    assert price_event(rule(), next_week, TODAY + 7 * DAY, [event.key]) is not None


@pytest.mark.parametrize(
    ("amount", "unit", "has_event"),
    [(4.9, "percent", True), (5, "percent", False), (99, "yuan", True), (100, "yuan", False)],
)
def test_the_amount_has_to_be_exceeded(amount: float, unit: str, has_event: bool) -> None:
    given = rule(amount=amount, unit=unit)
    event = price_event(given, series({3: 2000, 0: 2100}), TODAY, [])
    assert (event is not None) == has_event
    assert price_event(given, [], TODAY, []) is None


@pytest.mark.parametrize(
    "fields",
    [{"commodity": "石油"}, {"days": 0}, {"amount": 0}, {"amount": "nan"}, {"unit": "元"},
     {"kind": "x"}, {"webhook": "http://x"}],
)  # fmt: skip
def test_bad_rules_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Rule(**({"kind": "price", "commodity": "玉米"} | fields))
