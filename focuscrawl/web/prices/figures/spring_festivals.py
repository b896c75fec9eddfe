"""Days of Spring Festival, the first day of the Chinese lunar year.

From the calendar of the Hong Kong Observatory (https://www.hko.gov.hk/en/gts/time/conversion.htm), compared
with the Chinese calendar of ICU 2000 to 2060: they differ in 2027 and 2030, whose new moons are minutes from
midnight in China (6 February 2027 23:56, 3 February 2030 00:07); the days here are those of the Observatory.
"""

from __future__ import annotations

from datetime import date

import numpy as np
from numpy.typing import NDArray

FIRST_YEAR = 2000
_MONTHS_AND_DAYS = """
    0205 0124 0212 0201 0122 0209 0129 0218 0207 0126
    0214 0203 0123 0210 0131 0219 0208 0128 0216 0205
    0125 0212 0201 0122 0210 0129 0217 0206 0126 0213
    0203 0123 0211 0131 0219 0208 0128 0215 0204 0124
    0212 0201 0122 0210 0130 0217 0206 0126 0214 0202
    0123 0211 0201 0219 0208 0128 0215 0204 0124 0212
    0202
"""
FESTIVALS = tuple(
    date(year, int(text[:2]), int(text[2:]))
    for year, text in enumerate(_MONTHS_AND_DAYS.split(), FIRST_YEAR)
)
"""Spring Festival of each year, 2000 to 2060."""
_EPOCH = date(1970, 1, 1).toordinal()
_NUMBERS = np.array([day.toordinal() - _EPOCH for day in FESTIVALS], dtype=np.int64)
_FARTHEST = 200


def from_festival(days: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each day (since 1970) the year of the nearest Spring Festival, and the days from it.

    The year is 0 for a day farther than 200 days from every festival that is known.
    """
    numbers = np.asarray(days, dtype=np.int64)
    after = np.clip(np.searchsorted(_NUMBERS, numbers), 1, len(_NUMBERS) - 1)
    is_nearer = numbers - _NUMBERS[after - 1] <= _NUMBERS[after] - numbers
    nearest = np.where(is_nearer, after - 1, after)
    offsets = numbers - _NUMBERS[nearest]
    years = np.where(np.abs(offsets) <= _FARTHEST, nearest + FIRST_YEAR, 0)
    return years, offsets
