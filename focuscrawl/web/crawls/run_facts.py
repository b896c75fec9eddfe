"""Facts about a run, read from its row; rows of other versions may lack some."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.errors import INTERRUPTED
from focuscrawl.items import CrawlRun
from focuscrawl.summary.harvest_report import Share, wilson
from focuscrawl.summary.host_yields import HostYield
from focuscrawl.summary.run_series import RunPoint

# Harvest rate of a run: the share of relevant pages, its interval, and what the links promised.

_WINDOW = 100
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


def rate_between(first: RunPoint, last: RunPoint) -> Rate | None:
    """Return the rate of the pages between two points, None if there are none."""
    judged = last.judged - first.judged
    pages = judged or last.pages - first.pages
    # An article may have several pages, and a page several articles.
    relevant = min(last.relevant - first.relevant, pages)
    if pages <= 0 or relevant < 0:
        return None
    promised = (last.promised - first.promised) / judged if judged else None
    return Rate(relevant, pages, relevant / pages, *wilson(relevant, pages), promised)


def moving_rates(points: Sequence[RunPoint]) -> list[RatePoint]:
    """Return at each point the rate of about the last hundred pages, at least."""
    found, first = [], 0
    for point in points:
        while first + 1 < len(points) and _pages(points[first + 1], point) >= _WINDOW:
            first += 1
        if rate := rate_between(points[first], point):
            found.append(RatePoint(point.seconds, rate))
    return found


def _pages(first: RunPoint, last: RunPoint) -> int:
    return (last.judged - first.judged) or (last.pages - first.pages)


SILENCE = timedelta(seconds=90)
"""Time without a sign of life after which a run without an end counts as killed; it gives one each 10 s."""
STORED = ("new", "changed", "unchanged", "gone")
"""Outcomes of records that were read, now or by an earlier run."""
OUTCOMES = (*STORED, "incomplete", "failed")
_GROUPS = ("articles", "kept", "numbered", "records")
_BEGINNING = RunPoint(0, 0, 0, 0, 0, 0)
_LEAST_FIELDS = len(RunPoint._fields) - len(RunPoint._field_defaults)


class RunState(StrEnum):
    """State of a run."""

    RUNNING = "running"
    KILLED = "killed"
    STOPPED = "stopped"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    FINISHED = "finished"


_BY_CODE = {0: RunState.FINISHED, None: RunState.FINISHED, 3: RunState.INCOMPLETE}


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run as of ``now``."""

    run: CrawlRun
    now: datetime

    @property
    def state(self) -> RunState:
        """The state; a run is killed if it neither ended nor gave a sign of life for a while."""
        run = self.run
        if run.ended_at is None:
            is_silent = self.now - run.updated_at > SILENCE
            return RunState.KILLED if is_silent else RunState.RUNNING
        if run.exit_code == INTERRUPTED:
            return RunState.STOPPED
        return _BY_CODE.get(run.exit_code, RunState.FAILED)

    @property
    def seconds(self) -> int:
        """Duration, up to the last sign of life."""
        end = self.run.ended_at or self.run.updated_at
        return max(0, round((end - self.run.began_at).total_seconds()))

    @cached_property
    def counts(self) -> dict[str, int]:
        """Scrapy's stats that are counts, by name."""
        found = _mapping(self.run.details.get("counts"))
        return {str(name): n for name, n in found.items() if isinstance(n, int)}

    @cached_property
    def points(self) -> list[RunPoint]:
        """The series."""
        return [_point(row) for row in self._rows if _is_point(row)]

    @property
    def last(self) -> RunPoint:
        """The last point, zeros if there is none; it is found without the others, for long histories."""
        return next((_point(row) for row in reversed(self._rows) if _is_point(row)), _BEGINNING)

    @property
    def _rows(self) -> list[Any]:
        rows = self.run.details.get("series")
        return rows if isinstance(rows, list) else []

    def harvest_at(self, pages: int) -> Rate | None:
        """Return the harvest rate of the first pages of the run, of all if it has fewer."""
        rows = [row for row in self._rows if _is_point(row)]
        place = min(bisect_left(rows, pages, key=lambda row: row[1]), len(rows) - 1)
        return rate_between(_BEGINNING, _point(rows[place])) if rows else None

    @property
    def harvest(self) -> Rate | None:
        """The harvest rate of the whole run."""
        return rate_between(_BEGINNING, self.last)

    @property
    def judged(self) -> Mapping[str, Any]:
        """The harvest rate by the crawl's own judge, corrected and in truth; empty where no page is judged.

        See :class:`~focuscrawl.summary.harvest_report.HarvestReport`.
        """
        return _mapping(self.run.details.get("harvest"))

    @property
    def corrected(self) -> Share | None:
        """The estimate of the true harvest rate, None where there is none."""
        found = _mapping(self.judged.get("corrected"))
        rate, low, high = (found.get(name) for name in Share._fields)
        if isinstance(rate, float) and isinstance(low, float) and isinstance(high, float):
            return Share(rate, low, high)
        return None

    @property
    def outcomes(self) -> dict[str, int]:
        """Numbers of records by outcome; numbers without an article have failed."""
        found = {
            outcome: sum(self.counts.get(f"focuscrawl/{group}/{outcome}", 0) for group in _GROUPS)
            for outcome in OUTCOMES
        }
        found["failed"] += self.counts.get("focuscrawl/missing/failed", 0)
        return found

    @property
    def dropped(self) -> dict[str, int]:
        """Numbers of dropped requests and links by reason, largest first."""
        return self._counted("focuscrawl/dropped/")

    @property
    def failed(self) -> dict[str, int]:
        """Numbers of failed requests by reason, largest first."""
        return self._counted("focuscrawl/pages/failed/")

    @property
    def quotes_per_article(self) -> float | None:
        """Prices read per new or changed article; None for few articles, and where none are read."""
        read = self.counts.get("focuscrawl/quotes")
        articles = sum(self.counts.get(f"focuscrawl/articles/{name}", 0) for name in OUTCOMES[:2])
        return read / articles if read is not None and articles >= 3 else None

    @cached_property
    def hosts(self) -> dict[str, HostYield]:
        """Counts by host."""
        found = _mapping(self.run.details.get("hosts"))
        return {str(host): HostYield(*counts[:5]) for host, counts in found.items()}

    @property
    def report(self) -> dict[str, Any]:
        """The report of a run that has ended, else empty."""
        return dict(_mapping(self.run.details.get("report")))

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments that are not defaults."""
        return _mapping(self.run.details.get("arguments"))

    @property
    def rules(self) -> Mapping[str, Any]:
        """Kind, name and version of the rules, empty without any."""
        return _mapping(self.run.details.get("rules"))

    @property
    def frontier(self) -> Path | None:
        """File of the frontier on the machine of the run."""
        name = self.run.details.get("frontier")
        return Path(name) if isinstance(name, str) else None

    @property
    def worker(self) -> str:
        """The worker whose run it is, empty where a crawl is one process."""
        return str(self.run.details.get("worker", ""))

    def _counted(self, prefix: str) -> dict[str, int]:
        found = {key.removeprefix(prefix): n for key, n in self.counts.items() if key.startswith(prefix)}  # fmt: skip
        return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


def _mapping(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _point(row: Sequence[Any]) -> RunPoint:
    return RunPoint(*row[: len(RunPoint._fields)])


def _is_point(row: object) -> bool:
    return isinstance(row, list | tuple) and len(row) >= _LEAST_FIELDS
