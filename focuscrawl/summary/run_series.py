"""Measurements of a running crawl, thinner the older they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_MOST = 360
"""Points that are kept: an hour of one each ten seconds, a day of one each four minutes."""


PROMISED_STAT = "focuscrawl/pages/promised"
"""Stat with the sum of the link probabilities of the judged pages: the relevant pages expected."""
JUDGED_STAT = "focuscrawl/pages/judged"
"""Stat with the number of pages of which the relevance was judged."""


class RunPoint(NamedTuple):
    """The state of a crawl ``seconds`` after its beginning; counts are totals since then.

    ``judged`` counts the pages whose relevance was judged, ``promised`` is the sum of the probabilities
    of the links that led to them; both are 0 where links have no probabilities.
    """

    seconds: int
    pages: int
    relevant: int
    waiting: int
    failures: int
    items: int
    judged: int = 0
    promised: float = 0.0


class RunSeries:
    """The points of a run, at most 360; the first and the last are always among them."""

    def __init__(self) -> None:
        self.points: list[RunPoint] = []

    def add(self, point: RunPoint) -> None:
        """Add a point; where there are too many, every second one of the older half goes."""
        self.points.append(point)
        if len(self.points) > _MOST:
            half = len(self.points) // 2
            self.points[1:half] = self.points[2:half:2]


def measured(stats: Mapping[str, Any], seconds: float) -> RunPoint:
    """Return the state of a crawl by Scrapy's stats."""
    queued = stats.get("scheduler/enqueued", 0) - stats.get("scheduler/dequeued", 0)
    return RunPoint(
        seconds=round(seconds),
        pages=stats.get("response_received_count", 0),
        relevant=stats.get("focuscrawl/pages/relevant", 0),
        # That of our scheduler, or else of Scrapy's.
        waiting=stats.get("frontier/waiting", max(queued, 0)),
        failures=stats.get("focuscrawl/pages/failed", 0),
        items=stats.get("item_scraped_count", 0),
        judged=stats.get(JUDGED_STAT, 0),
        promised=round(stats.get(PROMISED_STAT, 0.0), 3),
    )
