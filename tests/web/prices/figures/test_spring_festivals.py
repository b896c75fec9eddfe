"""Days of Spring Festival."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from focuscrawl.web.prices.figures.price_table import day_number
from focuscrawl.web.prices.price_lines import FESTIVALS, from_festival

_MEAN_MONTH = 29.530588853
# A new moon, from which others are whole months away, give or take 0.6 days.
_NEW_MOON = 2451550.1
_JULIAN_ORDINAL = 1721424.5


def test_there_is_one_a_year_at_a_new_moon_between_late_january_and_late_february() -> None:
    assert [day.year for day in FESTIVALS] == list(range(2000, 2061))
    for day in FESTIVALS:
        assert (1, 21) <= (day.month, day.day) <= (2, 21)
        # Noon in China is four hours in the day of Greenwich.
        months = (day.toordinal() + _JULIAN_ORDINAL + 4 / 24 - _NEW_MOON) / _MEAN_MONTH
        assert abs(months - round(months)) * _MEAN_MONTH < 1.2, day


@pytest.mark.parametrize(
    ("day", "year", "offset"),
    [
        (date(2026, 2, 17), 2026, 0),
        (date(2026, 1, 1), 2026, -47),
        (date(2027, 2, 6), 2027, 0),
        (date(2030, 2, 3), 2030, 0),
        (date(2017, 2, 22), 2017, 25),
        (date(2025, 12, 1), 2026, -78),
        (date(2026, 7, 1), 2026, 134),
    ],
)
def test_a_day_belongs_to_the_nearest(day: date, year: int, offset: int) -> None:
    years, offsets = from_festival(np.array([day_number(day)]))
    assert (years[0], offsets[0]) == (year, offset)


def test_days_far_from_all_known_ones_belong_to_none() -> None:
    years, _ = from_festival(np.array([day_number(date(1990, 1, 1)), day_number(date(2090, 1, 1))]))
    assert years.tolist() == [0, 0]


def test_each_day_is_as_near_to_its_festival_as_to_any() -> None:
    days = np.arange(day_number(date(2000, 1, 1)), day_number(date(2060, 12, 31)))
    _, offsets = from_festival(days)
    festivals = np.array([day_number(day) for day in FESTIVALS])
    assert (np.abs(offsets) == np.abs(days[:, None] - festivals).min(axis=1)).all()
