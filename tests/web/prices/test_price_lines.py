"""Lines of the charts: years beside each other, and days from Spring Festival."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from focuscrawl.web.message_catalogue import message
from focuscrawl.web.prices.price_charts import FESTIVALS, Chart, from_festival
from focuscrawl.web.prices.price_query import PriceQuery, View
from focuscrawl.web.prices.price_table import PriceTable, day_number
from focuscrawl.web.prices.series_view import select_view, series_view
from tests.web.prices.price_tables import drawn_table


def chart(table: PriceTable, view: View, **query: str) -> Chart:
    chosen = select_view(table, PriceQuery.model_validate({"view": view, **query}))
    return series_view(chosen, lambda key, **values: message(key, "zh", **values)).chart


def days(first: date, number: int) -> PriceTable:
    drawn = [
        (first + timedelta(days=n), "甲", 2000.0 + n, 0, "", True) for n in range(number) if n % 7
    ]
    return drawn_table(drawn)


@pytest.mark.parametrize("view", ["years", "festival"])
def test_each_price_stands_in_its_year_with_its_day(view: View) -> None:
    first = date(2022, 11, 3)
    found = chart(days(first, 900), view)
    seen = {}
    for line in found.lines:
        assert len(line.values) == len(found.places) == len(line.days or [])
        for place, (value, day) in enumerate(zip(line.values, line.days or [], strict=True)):
            assert (value is None) == (day is None)
            if day is not None:
                seen[day] = value
                if view == "years":
                    assert found.places[place] == day[5:]
                    assert line.name == f"{day[:4]} 年"
    expected = {str(first + timedelta(days=n)): 2000.0 + n for n in range(900) if n % 7}
    if view == "years":
        assert seen == expected
    else:
        # Some days of summer are far from any festival.
        assert seen.items() <= expected.items()
        assert len(seen) > 0.95 * len(expected)
    assert found.lines[0].role == "main"
    assert any(value is not None for value in (line.values[0] for line in found.lines))


@pytest.mark.parametrize(
    ("first", "has_place"), [(date(2023, 1, 1), False), (date(2024, 1, 1), True)]
)
def test_the_leap_day_has_a_place_only_where_it_has_a_price(first: date, has_place: bool) -> None:
    assert ("02-29" in chart(days(first, 100), "years").places) == has_place


def test_moves_of_a_chosen_entity_and_period() -> None:
    table = drawn_table([(date(2026, 3, n), "甲", 2000.0 + n * n, 0, "", True) for n in (1, 2, 9)])
    moves = chart(table, "moves", period="week", entity="甲")
    assert moves.lines[0].values[0] is None
    assert moves.lines[0].values[-1] == 77


def test_the_chosen_entity_stands_before_the_faint_lines() -> None:
    drawn = [(date(2026, 3, n), name, 2000.0, 20, "", True) for n in (1, 3) for name in "甲乙丙"]
    found = chart(drawn_table(drawn), "series", entity="乙", unit="jin")
    assert [(line.name, line.role) for line in found.lines] == [
        ("中位价", "main"),
        ("乙", "entity"),
        ("丙", "firm"),
        ("甲", "firm"),
    ]
    assert (found.lines[1].values, found.lines[1].lower, found.lines[1].upper) == (
        [1.005, None, 1.005],
        [1.0, None, 1.0],
        [1.01, None, 1.01],
    )
    assert found.causes == ["", "unknown", ""]


_MEAN_MONTH = 29.530588853
# A new moon, from which others are whole months away, give or take 0.6 days.
_NEW_MOON = 2451550.1
_JULIAN_ORDINAL = 1721424.5


def test_spring_festival_is_at_a_new_moon_between_late_january_and_late_february() -> None:
    assert [day.year for day in FESTIVALS] == list(range(2000, 2061))
    for day in FESTIVALS:
        assert (1, 21) <= (day.month, day.day) <= (2, 21)
        # Noon in China is four hours in the day of Greenwich.
        months = (day.toordinal() + _JULIAN_ORDINAL + 4 / 24 - _NEW_MOON) / _MEAN_MONTH
        assert abs(months - round(months)) * _MEAN_MONTH < 1.2, day


def test_each_day_belongs_to_the_nearest_spring_festival() -> None:
    days = np.arange(day_number(date(2000, 1, 1)), day_number(date(2060, 12, 31)))
    years, offsets = from_festival(days)
    festivals = np.array([day_number(day) for day in FESTIVALS])
    assert (np.abs(offsets) == np.abs(days[:, None] - festivals).min(axis=1)).all()
    is_near = years > 0
    assert (days[is_near] - festivals[years[is_near] - 2000] == offsets[is_near]).all()
    far = [day_number(date(year, 1, 1)) for year in (1990, 2090)]
    assert from_festival(np.array(far))[0].tolist() == [0, 0]
