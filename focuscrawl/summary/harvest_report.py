"""Harvest rate of a run by several judges: its own, corrected for that one's errors, people, or the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

Z_95 = 1.959964
"""Quantile of the normal distribution for 95 %."""


class Share(NamedTuple):
    """A share with its 95 % interval."""

    rate: float
    low: float
    high: float

    def __str__(self) -> str:
        rate, low, high = (f"{value:.3f}".removeprefix("0") for value in self)
        return f"{rate} [{low}, {high}]"


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927); (0, 1) without trials.

    Hits may be parts: means of several judges vary less than single ones, so it is wide enough for them.

    >>> [round(bound, 3) for bound in wilson(5, 10)]
    [0.237, 0.763]
    """
    if not trials:
        return 0.0, 1.0
    share, weight = hits / trials, Z_95 * Z_95 / trials
    middle = (share + weight / 2) / (1 + weight)
    half = Z_95 * sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def share_of(hits: float, trials: float) -> Share | None:
    """Return a share with its interval, None without trials."""
    return Share(hits / trials, *wilson(hits, trials)) if trials else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvestReport:
    """Harvest rate of the judged ``pages`` of a run.

    ``own`` is the share that its own judge, ``judge``, called relevant; it has no interval, since it is a
    count. ``corrected`` is the estimate of the true share by that judge's errors on held-out hosts; where there
    is none, ``no_estimate`` says why. ``truth`` is the share by a file with the truth, ``people`` that of a
    sample judged by people; either replaces the estimate.
    """

    judge: str
    pages: int
    own: float
    corrected: Share | None = None
    no_estimate: str = ""
    truth: float | None = None
    people: Share | None = None
    people_text: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the figures for people."""
        if self.judge:
            yield f"{_short(self.own)} by its own judge, {self.judge}"
        if self.truth is not None:
            yield f"{_short(self.truth)} by the truth"
            return
        if self.people_text:
            yield f"{self.people or 'unknown'} by people: {self.people_text}"
        if self.people:
            return
        if self.corrected:
            yield f"{self.corrected} corrected for the errors of that judge on held-out hosts"
        else:
            yield f"no estimate: {self.no_estimate}"

    def as_object(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        shares = {"corrected": self.corrected, "people": self.people}
        return {
            "judge": self.judge,
            "pages": self.pages,
            "own": round(self.own, 4) if self.judge else None,
            "truth": None if self.truth is None else round(self.truth, 4),
            **{name: share and _rounded(share) for name, share in shares.items()},
            "no_estimate": self.no_estimate,
            "people_text": self.people_text,
        }


def _rounded(share: Share) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in share._asdict().items()}


def _short(rate: float) -> str:
    return f"{rate:.3f}".removeprefix("0")
