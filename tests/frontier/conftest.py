"""All frontiers behind one fixture, with a way to let their run die."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.frontier import Frontier, SqliteFrontier, UpdateRule
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.redis_frontier import RedisFrontier
from tests.frontier.frontier_runs import kill

SERVERS = {"valkey": "valkey_url", "redis": "redis7_url", "cluster": "cluster_url"}
# The frontier of one process has all rules; those of several have only the rule max.
KINDS = ["sqlite", *SERVERS]
KINDS_AND_RULES = [
    (kind, rule)
    for kind in KINDS
    for rule in UpdateRule
    if kind == "sqlite" or rule is UpdateRule.MAX
]


class Runs:
    """Begins runs over the same URLs, one after the other; ``place`` is a folder or an address."""

    def __init__(self, kind: str, place: Path | str) -> None:
        self.kind = kind
        self._place = place
        self._number = 0
        self.present: SqliteFrontier | RedisFrontier | None = None

    def begin(self, **options: Any) -> Frontier:
        """Begin the next run; the present one, if it was not closed, is dead."""
        self._number += 1
        if self.present:
            kill(self.present)
        if isinstance(self._place, Path):
            self.present = SqliteFrontier(self._place / "frontier.sqlite", **options)
        else:
            assert options.pop("rule", UpdateRule.MAX) is UpdateRule.MAX
            calls, worker = connect(self._place), f"worker {self._number}"
            self.present = RedisFrontier(calls, CrawlKeys("test"), worker, **options)
        return self.present


@pytest.fixture(params=KINDS)
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runs]:
    server = SERVERS.get(request.param)
    made = Runs(request.param, request.getfixturevalue(server) if server else tmp_path)
    yield made
    if made.present:
        kill(made.present)


@pytest.fixture
def frontier(runs: Runs) -> Frontier:
    return runs.begin()
