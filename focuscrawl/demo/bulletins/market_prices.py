"""Prices of invented buyers: seasons, good and bad years, and small daily changes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from focuscrawl.demo.repeatable_chance import draw, noise

BASE_PRICES = {"玉米": 1160, "小麦": 1240}
"""The long-term mean of each commodity in 厘 (0.001 yuan) per jin."""

_DEAREST_DAY_OF_YEAR = 220
_SHARE_OF_DAYS_WITH_A_MOVE = 0.45


@dataclass(frozen=True, slots=True)
class Market:
    """Prices paid by the buyers of one commodity, by day.

    Every day is computed independently, so that prices do not depend on the size of the web.
    """

    seed: int
    commodity: str

    def price(self, buyer: str, day: date) -> int:
        """Return the price of ``buyer`` on ``day``, in 厘 per jin (1 厘 per jin is 2 yuan per ton)."""
        day_of_last_move = day
        while draw(self.seed, buyer, "moves", day_of_last_move) > _SHARE_OF_DAYS_WITH_A_MOVE:
            day_of_last_move -= timedelta(days=1)
        return round(
            _level(self.seed, self.commodity, day_of_last_move)
            * self._premium(buyer, day_of_last_move)
        )

    def change(self, buyer: str, day: date) -> int:
        """Return the change of the price since the day before, in 厘 per jin."""
        return self.price(buyer, day) - self.price(buyer, day - timedelta(days=1))

    def _premium(self, buyer: str, day: date) -> float:
        own = 0.02 * (2 * draw(self.seed, buyer, "premium") - 1)
        return 1 + own + 0.01 * noise(day.toordinal() / 20, self.seed, buyer)


# Cached, since all buyers of a day share it and hashing is slow.
@lru_cache(maxsize=4096)
def _level(seed: int, commodity: str, day: date) -> float:
    ordinal = day.toordinal()
    angle = 2 * math.pi * (day.timetuple().tm_yday - _DEAREST_DAY_OF_YEAR) / 365.25
    level = (
        1
        + 0.030 * math.cos(angle)
        + 0.080 * noise(ordinal / 400, seed, commodity, "years")
        + 0.020 * noise(ordinal / 45, seed, commodity, "weeks")
        + 0.008 * noise(ordinal / 9, seed, commodity, "days")
    )
    return BASE_PRICES[commodity] * level
