"""The index of a region: only prices move it, never who happens to report."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.price_statistics.price_index import CARRY_DAYS, price_index

FIRST = date(2026, 2, 1)
Reports = dict[str, dict[int, float]]
"""Prices by entity and day (from 0)."""

prices = st.integers(1000, 3000).map(float)
reports = st.dictionaries(
    st.sampled_from("甲乙丙丁戊"),
    st.dictionaries(st.integers(0, 40), prices, min_size=1, max_size=12),
    min_size=1,
    max_size=5,
)


def points(of: Reports, days: list[int] | None = None) -> pd.DataFrame:
    rows = [
        (name, pd.Timestamp(FIRST + timedelta(days=day)), price)
        for name, own in of.items()
        for day, price in own.items()
    ]
    daily = pd.DataFrame(rows, columns=["entity", "date", "price"])
    daily["date"] = daily["date"].astype("datetime64[s]")
    grid = sorted({day for own in of.values() for day in own} | set(days or ()))
    return price_index(daily, pd.DatetimeIndex([FIRST + timedelta(days=day) for day in grid]))


def series(of: Reports, days: list[int] | None = None) -> list[float]:
    return [float(value) for value in points(of, days)["index"]]


def held_until(of: Reports, days: list[int]) -> dict[tuple[str, int], int]:
    """Return the last day on which each quote holds, from the definition of a pause."""
    pairs = [
        (name, day, min((d for d in own if d > day), default=None))
        for name, own in of.items()
        for day in own
    ]
    gaps = [pair for pair in pairs if pair[2] is not None and pair[2] - pair[1] - 1 > CARRY_DAYS]

    def is_paused(day: int) -> bool:
        silent = {name for name, begin, end in gaps if end and begin < day < end}
        priced = {n for n, own in of.items() if any(day - CARRY_DAYS <= d <= day for d in own)}
        return len(silent) > len(priced - silent)

    found = {}
    for name, day, following in pairs:
        end = days[-1] + 1 if following is None else following
        paused = [between for between in range(day + 1, end) if is_paused(between)]
        is_bridged = (
            end - day - 1 > CARRY_DAYS
            and paused
            and day + CARRY_DAYS >= paused[0] - CARRY_DAYS
            and end <= paused[-1] + CARRY_DAYS
        )
        found[name, day] = end - 1 if is_bridged else day + CARRY_DAYS
    return found


def by_hand(of: Reports) -> list[float]:
    """Return the index from its definition, entity by entity and day by day."""
    days = sorted({day for own in of.values() for day in own})
    until = held_until(of, days)

    def price(name: str, day: int) -> float | None:
        earlier = [own for own in of[name] if own <= day]
        return of[name][max(earlier)] if earlier and until[name, max(earlier)] >= day else None

    def mean(values: list[float]) -> float:
        return sum(values) / len(values) if values else math.nan

    def change(before: int, day: int) -> float:
        both = [(price(name, before), price(name, day)) for name in of]
        if matched := [new - old for old, new in both if old is not None and new is not None]:
            return mean(matched)
        back = [(own[day], [d for d in own if d < day], own) for own in of.values() if day in own]
        return mean([new - own[max(past)] for new, past, own in back if past])

    last = [price(name, days[-1]) for name in of]
    found = [mean([value for value in last if value is not None])]
    for before, day in zip(days[-2::-1], days[:0:-1], strict=True):
        found.insert(0, found[0] - change(before, day))
    return found


@given(reports)
def test_index_and_counts_are_as_their_definitions_say(of: Reports) -> None:
    found = points(of)
    assert found["index"].tolist() == pytest.approx(by_hand(of), nan_ok=True)
    grid = sorted({d for own in of.values() for d in own})
    until = held_until(of, grid)
    for day, row in zip(grid, found.itertuples(), strict=True):
        own = sum(day in days for days in of.values())
        held = sum(
            any(d <= day <= until[name, d] for d in own_days) for name, own_days in of.items()
        )
        assert (row.entities, row.carried) == (held, held - own)


@given(
    st.dictionaries(st.sampled_from("甲乙丙丁"), prices, min_size=1),
    st.lists(st.sets(st.sampled_from("甲乙丙丁")), min_size=1, max_size=25),
)
def test_constant_prices_make_a_constant_index_whoever_reports(
    level: dict[str, float], reporting: list[set[str]]
) -> None:
    of: Reports = {
        name: {day: price for day, names in enumerate(reporting) if name in names}
        for name, price in level.items()
    }
    found = series({name: own for name, own in of.items() if own} or {"戊": {0: 1}})
    known = [value for value in found if not math.isnan(value)]
    assert known == pytest.approx([known[-1]] * len(known))


def test_with_all_entities_on_all_days_the_index_is_their_mean() -> None:
    of = {"甲": {0: 2000.0, 1: 2010, 2: 2030}, "乙": {0: 2200.0, 1: 2200, 2: 2180}}
    assert series(of) == [2100, 2105, 2105]


def test_a_price_is_carried_for_some_days_and_not_longer() -> None:
    of = {"甲": {0: 2000.0}}
    found = points(of, [CARRY_DAYS, CARRY_DAYS + 1])
    assert found["entities"].tolist() == [1, 1, 0]
    assert found["carried"].tolist() == [0, 1, 0]
    assert found["index"].isna().tolist() == [False, False, True]


PAUSE = CARRY_DAYS + 4
"""The first day after a pause that begins after day 0."""
back = st.dictionaries(
    st.sampled_from("甲乙丙丁戊己庚辛"),
    st.tuples(prices, st.integers(-6, 0), st.integers(0, 6)),
    min_size=1,
)
"""Of each entity a price, the day of its last quote before the pause, and that of its return."""


def around_a_pause(of: dict[str, tuple[float, int, int]], factor: float) -> Reports:
    return {
        name: dict.fromkeys(range(-9, last + 1), price)
        | dict.fromkeys(range(PAUSE + first, PAUSE + 12), price * factor)
        for name, (price, last, first) in of.items()
    }


def at(of: Reports, day: int, last: int = PAUSE + 12) -> float:
    """Return the index of a day as a workbook shows it that has the quotes until ``last``."""
    shown = {name: {d: p for d, p in own.items() if d <= last} for name, own in of.items()}
    return float(points(shown)["index"][pd.Timestamp(FIRST + timedelta(days=day))])


@given(back, st.sampled_from([0.8, 1.0, 1.05, 1.5]))
def test_a_pause_is_linked_by_all_who_come_back(
    of: dict[str, tuple[float, int, int]], factor: float
) -> None:
    reports = around_a_pause(of, factor)
    level = sum(price for price, _, _ in of.values()) / len(of)
    assert at(reports, max(last for _, last, _ in of.values())) == pytest.approx(level)
    assert at(reports, PAUSE + 8) == pytest.approx(level * factor)


@given(back)
def test_constant_prices_make_a_constant_index_over_a_pause_from_its_first_day_on(
    of: dict[str, tuple[float, int, int]],
) -> None:
    reports = around_a_pause(of, 1)
    first = PAUSE + min(first for _, _, first in of.values())
    level = sum(price for price, _, _ in of.values()) / len(of)
    for last in range(first, PAUSE + 8):
        assert at(reports, last, last) == pytest.approx(level)
        assert at(reports, -9, last) == pytest.approx(level)


def test_a_firm_that_quotes_through_a_pause_does_not_link_it_alone() -> None:
    of = around_a_pause({"甲": (2000.0, 0, 0), "乙": (2000.0, 0, 2), "丙": (2000.0, -2, 3)}, 1.05)
    of["常"] = dict.fromkeys(range(-9, PAUSE + 12), 2000.0)
    assert at(of, 0) == 2000
    assert at(of, PAUSE + 8) == 2075


def test_a_pause_of_the_whole_region_holds_its_prices() -> None:
    of = {"甲": {0: 2000.0, 20: 2050}, "乙": {0: 2400.0}, "丙": {20: 1000.0}}
    found = points(of, [10])
    # 乙 may come back until seven days after the pause.
    level = (2050 + 2400 + 1000) / 3
    assert found["index"].tolist() == pytest.approx([level - 25, level - 25, level])
    assert found["entities"].tolist() == [2, 2, 3]
    assert points(of, [10, 26])["entities"].tolist() == [2, 1, 2, 2]


def test_the_index_begins_after_a_pause_if_nobody_comes_back() -> None:
    of = {"甲": {0: 2000.0, 1: 2010}, "乙": {20: 2400.0, 21: 2410}}
    assert series(of) == pytest.approx([math.nan, math.nan, 2400, 2410], nan_ok=True)


def test_no_quotes_have_no_index() -> None:
    empty = pd.DataFrame({"entity": [], "date": pd.DatetimeIndex([]), "price": []})
    assert points({}).empty
    assert price_index(empty, pd.DatetimeIndex([FIRST]))["index"].isna().all()
