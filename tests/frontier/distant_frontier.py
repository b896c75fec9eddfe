"""A SQLite frontier that is as far away as a server on another continent."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.frontier import (
    Candidate,
    HostCounts,
    Lease,
    NotLeasedError,
    Pushed,
    SqliteFrontier,
    State,
    UpdateRule,
)
from focuscrawl.frontier.crawl_job import open_job
from focuscrawl.frontier.frontier_protocol import Hosts
from focuscrawl.frontier.seen_url_caches import LockedCache

# What a worker knows of its hosts needs no server.
LOCAL = {"best_score", "next_due", "pause", "set_slots", "free_slot", "abandon"}
SECONDS = "DISTANT_FRONTIER_SECONDS"


class DistantFrontier:
    """Every call takes some seconds more; while the file ``away`` exists, none is answered.

    With ``is_all``, even those calls that a real one would answer by itself. While the file ``others``
    exists, other workers have URLs.
    """

    def __init__(self, frontier: SqliteFrontier, seconds: float, *, is_all: bool = True) -> None:
        self._frontier = frontier
        self._seconds = seconds
        self._local = set() if is_all else LOCAL
        self.label = "redis://distant"
        self.calls: list[str] = []
        self.changes_nothing = frontier.changes_nothing

    @property
    def waiting(self) -> int:
        return self._frontier.waiting

    @property
    def leased(self) -> int:
        return self._frontier.leased

    @property
    def recovered(self) -> int:
        return self._frontier.recovered

    @property
    def fatal_urls(self) -> list[str]:
        return self._frontier.fatal_urls

    def tend(self) -> None:
        self._travel("tend")

    def shared_pages(self, attempt: object) -> None:
        return None

    def is_over(self) -> bool:
        self._travel("is_over")
        return not (self.waiting or self.leased or Path("others").exists())

    def holds(self, lease: Lease) -> bool:
        return lease.seq in self._frontier._leased

    def found_many(self, pages: Sequence[tuple[Lease, Sequence[Candidate]]]) -> Pushed:
        self._travel("found_many")
        if any(lease.seq not in self._frontier._leased for lease, _ in pages):
            raise NotLeasedError
        pushed = [self._frontier.found(*page) for page in pages]
        return Pushed.sum_of(pushed)

    def look_up(
        self, keys: Hosts, hosts: Iterable[str]
    ) -> tuple[dict[int, State], dict[str, HostCounts]]:
        self._travel("look_up")
        return self._frontier.known(keys), self._frontier.counts(hosts).hosts

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._frontier, name)

        def call(*arguments: Any, **options: Any) -> Any:
            self._travel(name)
            return method(*arguments, **options)

        return call

    def _travel(self, name: str) -> None:
        assert threading.current_thread().name == "frontier"
        self.calls.append(name)
        if name not in self._local:
            time.sleep(self._seconds)
            if Path("away").exists():
                raise FrontierUnavailableError("redis://distant does not answer")


def open_distant(
    address: str,
    crawl: str,
    *,
    arguments: object,
    slots: int,
    follows_best: bool = False,
    claim_pause: float = 0.0,
    lasting: str | None = None,
) -> DistantFrontier:
    """Stand in for the opening of a crawl on a server."""
    path = Path("data") / f"frontier-{crawl}.sqlite"
    path.parent.mkdir(exist_ok=True)
    frontier = open_job(path, rule=UpdateRule.MAX, slots=slots)
    frontier.cache = LockedCache()
    seconds = float(os.environ.get(SECONDS, 0.05))
    return DistantFrontier(frontier, seconds, is_all="://all" in address)
