"""Harvest rate of a run: the share of relevant pages, its interval, and what the links promised."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from focuscrawl.summary.run_series import Point

_Z = 1.959964
"""Quantile of the normal distribution for 95 %."""
WINDOW = 100
"""Pages over which the rate of a moment is measured."""


class Rate(NamedTuple):
    """A share with its 95 % interval; ``promised`` is None where links have no probabilities."""

    relevant: int
    pages: int
    rate: float
    low: float
    high: float
    promised: float | None = None

    @property
    def is_as_promised(self) -> bool:
        """True unless the promised share is outside of the interval."""
        return self.promised is None or self.low <= self.promised <= self.high


class RatePoint(NamedTuple):
    """The rate of the pages before a moment, ``seconds`` after the beginning of the run."""

    seconds: int
    rate: Rate


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927); (0, 1) without trials.

    >>> [round(bound, 3) for bound in wilson(5, 10)]
    [0.237, 0.763]
    """
    if not trials:
        return 0.0, 1.0
    share, weight = hits / trials, _Z * _Z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = _Z * sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def rate_between(first: Point, last: Point) -> Rate | None:
    """Return the rate of the pages between two points, None if there are none."""
    judged = last.judged - first.judged
    pages = judged or last.pages - first.pages
    # An article may have several pages, and a page several articles.
    relevant = min(last.relevant - first.relevant, pages)
    if pages <= 0 or relevant < 0:
        return None
    promised = (last.promised - first.promised) / judged if judged else None
    return Rate(relevant, pages, relevant / pages, *wilson(relevant, pages), promised)


def moving_rates(points: Sequence[Point], window: int = WINDOW) -> list[RatePoint]:
    """Return at each point the rate of about the last ``window`` pages, at least."""
    found, first = [], 0
    for point in points:
        while first + 1 < len(points) and _pages(points[first + 1], point) >= window:
            first += 1
        if rate := rate_between(points[first], point):
            found.append(RatePoint(point.seconds, rate))
    return found


def _pages(first: Point, last: Point) -> int:
    return (last.judged - first.judged) or (last.pages - first.pages)
