"""Charts as data: drawn by ECharts in the browser, and by matplotlib as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import numpy as np

from focuscrawl.price_statistics.price_moves import UNIX_EPOCH
from focuscrawl.web.prices.figures.missing_days import Cause
from focuscrawl.web.prices.figures.price_table import Floats

Role = Literal["main", "entity", "firm", "year", "bars"]
Values = list[float | None]
DAY = "{day}"
"""What stands for the day in the address of a point."""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line with a value, or None, for each place of the axis.

    ``lower`` and ``upper`` are the edges of its band. ``link`` is the address of a point, with ``DAY``
    in it; ``days`` has the day of each place where the axis does not name them.
    """

    name: str
    role: Role
    values: Values
    lower: Values | None = None
    upper: Values | None = None
    link: str = ""
    days: list[str | None] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over one axis, and below it the reason why a place has no value.

    ``label`` is what a screen reader says.
    """

    title: str
    label: str
    unit: str
    places: list[str]
    lines: list[ChartLine]
    causes: Sequence[Cause] = ()
    cause_names: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the chart as its script takes it; empty columns are left out."""
        lines = [
            {name: value for name in ChartLine.__slots__ if (value := getattr(line, name))}
            for line in self.lines
        ]
        return {
            "label": self.label,
            "unit": self.unit,
            "places": self.places,
            "lines": lines,
            "causes": list(self.causes),
            "cause_names": self.cause_names,
            "texts": self.texts,
        }


def rounded(values: Floats, factor: float) -> Values:
    """Return prices in the chosen unit, rounded as they are shown; None for NaN."""
    found = np.round(values * factor, 1 if factor == 1 else 4)
    shown = found.astype(object)
    shown[np.isnan(found)] = None
    return list(shown.tolist())


def iso_days(first: int, last: int) -> list[str]:
    """Return the days from ``first`` to ``last`` as in 2026-02-28."""
    return [iso_day(number) for number in range(first, last + 1)]


def iso_day(number: int) -> str:
    """Return a day as in 2026-02-28."""
    return date.fromordinal(int(number) + UNIX_EPOCH).isoformat()
