"""Division of a crawl among simulated workers: their number, and what they exchange how often."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product
from typing import NamedTuple

ONE_WORKER = "1 worker"
LEARNER, SCORES = "learner", "scores"
SHARED = (LEARNER, SCORES)


class Division(NamedTuple):
    """Number of workers, and of requests in flight of each of them.

    Every ``exchange`` pages of a worker all of them publish their best score (0: at any time). One whose
    best score is more than ``margin`` (log-odds) below the best published sends nothing. ``shared`` may
    contain: ``learner``, one learner for all, trained at exchanges; ``scores``, links are scored again,
    and limited, by the worker that receives them.
    """

    workers: int = 1
    requests: int = 1
    exchange: int = 1
    margin: float = 0.0
    shared: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """Return a label without the number of requests.

        >>> str(Division(4, 1, 10, 2.0, frozenset({"learner"}))), str(Division())
        ('4 workers, every 10, margin 2, learner', '1 worker')
        """
        if self.workers == 1:
            return ONE_WORKER
        shared = [name for name in SHARED if name in self.shared]
        parts = [f"{self.workers} workers", f"every {self.exchange}", f"margin {self.margin:g}"]
        return ", ".join([*parts, *shared])


def all_divisions(
    workers: Iterable[int],
    requests: Iterable[int],
    exchanges: Iterable[int],
    margins: Iterable[float],
    shared: Collection[str],
) -> list[Division]:
    """Return every combination; ``requests`` are those of all workers together, at least one each."""
    rows = product(requests, workers, exchanges, margins)
    found = (
        Division(count, max(1, total // count), exchange, margin, frozenset(shared))
        if count > 1
        else Division(requests=total)
        for total, count, exchange, margin in rows
    )
    return list(dict.fromkeys(found))
