"""Both frontiers behind one fixture, with a way to let their run die."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.frontier import Frontier, MemoryFrontier, SqliteFrontier
from tests.frontier.frontier_runs import kill

Begin = Callable[..., Frontier]


class Runs:
    """Begins runs over the same URLs, one after the other."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind = kind
        self._path = folder / "frontier.sqlite"
        self.present: Frontier | None = None

    def begin(self, **options: Any) -> Frontier:
        """Begin the next run; the present one, if it was not closed, is dead."""
        earlier = self.present
        if self._kind == "memory":
            assert earlier is None or isinstance(earlier, MemoryFrontier)
            for name in ("cache", "window", "budget"):
                options.pop(name, None)
            self.present = MemoryFrontier(**options, earlier=earlier)
        else:
            if isinstance(earlier, SqliteFrontier):
                kill(earlier)
            self.present = SqliteFrontier(self._path, **options)
        return self.present


@pytest.fixture(params=["memory", "sqlite"])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runs]:
    made = Runs(request.param, tmp_path)
    yield made
    if isinstance(made.present, SqliteFrontier):
        kill(made.present)


@pytest.fixture
def frontier(runs: Runs) -> Frontier:
    return runs.begin()
