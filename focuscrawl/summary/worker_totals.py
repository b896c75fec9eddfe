"""Counts of all workers of a crawl together, by the counts that each of them leaves when it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from focuscrawl.summary.run_report import Line, NamedCounts

_WORKERS = "workers"


class SharesCounts(Protocol):
    """What keeps sums for all workers, also once the frontier is closed."""

    def shared_counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Add counts to those of the crawl, and return the sums."""


class WorkerTotals(NamedTuple):
    """The number of workers that have ended, and their counts by label and name."""

    workers: int
    counts: dict[str, dict[str, int]]


def add_counts(shared: SharesCounts, lines: Sequence[Line | NamedCounts]) -> WorkerTotals:
    """Add the counts of a worker that ends to those of the crawl, and return the sums."""
    own = {
        f"{line.label}/{name}": count
        for line in lines
        if isinstance(line, NamedCounts)
        for name, count in line.counts.items()
    }
    sums = shared.shared_counts(own | {_WORKERS: 1})
    counts: dict[str, dict[str, int]] = {}
    for key, count in sums.items():
        label, slash, name = key.partition("/")
        if slash:
            counts.setdefault(label, {})[name] = count
    # Those of this worker first, in their order, since a server keeps none.
    order = [key.partition("/")[0] for key in own]
    labels = [*dict.fromkeys(order), *sorted(counts.keys() - {*order})]
    return WorkerTotals(sums[_WORKERS], {label: counts[label] for label in labels})
