"""Moves of prices, and the events that they give."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from focuscrawl.items import Quote
from focuscrawl.web.alarms.alarm_runner import Prices, largest_move, price_event, prices_of
from focuscrawl.web.alarms.alarm_store import Event, StoredRule
from focuscrawl.web.prices.price_table import PriceTable
from tests.stores.record_examples import quote
from tests.web.prices import price_tables
from tests.web.prices.price_tables import article_row, quote_row

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


def table_of(quotes: list[Quote], today: date = TODAY) -> PriceTable:
    """Return the table of the quotes of one article."""
    article = article_row("x")
    rows = [
        quote_row(
            article, seq, one.date, one.entity, float(one.price_yuan_per_ton_low),
            high=float(one.price_yuan_per_ton_high), goods=one.commodity, region=one.region,
            place=(one.province, one.city, one.county), kind=one.entity_type, flag=one.flag,
            moisture=one.moisture, is_primary=one.is_primary, is_known=one.entity_is_known,
        )
        for seq, one in enumerate(quotes)
    ]  # fmt: skip
    return price_tables.table_of([article], rows, today=today)


def watched(given: StoredRule, quotes: list[Quote]) -> Prices:
    return prices_of(given, table_of(quotes), TODAY - 99 * DAY, TODAY)


def event_of(
    given: StoredRule, quotes: list[Quote], known: list[str], today: date = TODAY
) -> Event | None:
    return price_event(given, table_of(quotes, today), today, known)


def series(ago_to_yuan: dict[int, float], entities: str = "甲乙丙") -> list[Quote]:
    return [price(one, ago, yuan) for one in entities for ago, yuan in ago_to_yuan.items()]


def test_a_move_is_that_of_entities_with_prices_on_both_days() -> None:
    # A fourth, expensive firm appears on the newest day: no price has moved.
    quotes = [*series({3: 2000, 0: 2000}), price("丁", 0, 9000)]
    move = largest_move(rule(), watched(rule(), quotes))
    assert move is not None
    assert (move.yuan, move.entities) == (0, 3)
    assert largest_move(rule(), watched(rule(), series({3: 1, 0: 2}, "甲乙"))) is None
    one = rule(entity="甲")
    move = largest_move(one, watched(one, series({3: 2000, 0: 2100}, "甲乙")))
    assert move is not None
    assert (move.yuan, round(move.share, 9), move.since) == (100, 0.05, TODAY - 3 * DAY)


def test_the_largest_move_within_the_days_counts() -> None:
    quotes = series({9: 1000, 7: 2000, 4: 2200, 2: 2050, 0: 2090})
    move = largest_move(rule(), watched(rule(), quotes))
    assert move is not None
    assert (move.yuan, move.since) == (-110, TODAY - 4 * DAY)


@pytest.mark.parametrize(
    "fields",
    [{"flag": "odd"}, {"is_primary": False}, {"commodity": "小麦"}, {"date": None},
     {"date": TODAY + DAY}, {"region": "吉林"}, {"entity_type": "average"}],
)  # fmt: skip
def test_other_quotes_are_left_out(fields: dict[str, Any]) -> None:
    shandong = rule(region="山东")
    assert watched(shandong, [price("甲", 0, 2000)])
    assert not watched(shandong, [price("甲", 0, 2000, **fields)])


@pytest.mark.parametrize("region", ["山东", "潍坊", "寿光", "鲁中"])
def test_a_region_is_any_part_of_a_place(region: str) -> None:
    place = {"province": "山东", "city": "潍坊", "county": "寿光", "region": "鲁中"}
    assert watched(rule(region=region), [price("甲", 0, 2000, **place)])


def test_an_average_and_a_name_in_two_places_count_if_they_are_named() -> None:
    average = price("全省", 0, 2000, entity_type="average")
    assert watched(rule(entity="全省"), [average])
    two = [price("甲", 0, 2000, province=one) for one in ("山东", "吉林")]
    assert len(watched(rule(entity="甲"), two)[TODAY]) == 2


def test_an_event_comes_once_and_again_after_the_days() -> None:
    rising = series({3: 2000, 0: 2100})
    event = event_of(rule(), rising, [])
    assert event is not None
    assert (event.key, event.values["share"]) == ("price up 2026-03-05", 0.05)
    assert event_of(rule(), rising, [event.key]) is None
    later = series({3: 2000, 0: 2100, -1: 2110})
    assert event_of(rule(), later, [event.key], TODAY + DAY) is None
    falling = series({0: 2100, -1: 1900})
    down = event_of(rule(), falling, [event.key], TODAY + DAY)
    assert down is not None
    assert down.key == "price down 2026-03-06"
    next_week = series({-3: 2000, -7: 2200})
    assert event_of(rule(), next_week, [event.key], TODAY + 7 * DAY) is not None


@pytest.mark.parametrize(
    ("amount", "unit", "has_event"),
    [(4.9, "percent", True), (5, "percent", False), (99, "yuan", True), (100, "yuan", False)],
)
def test_the_amount_has_to_be_exceeded(amount: float, unit: str, has_event: bool) -> None:
    given = rule(amount=amount, unit=unit)
    event = event_of(given, series({3: 2000, 0: 2100}), [])
    assert (event is not None) == has_event
    assert event_of(given, [], []) is None
