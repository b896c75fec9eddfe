"""Hosts of a simulated crawl, by shard, with a number of pages each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from focuscrawl.workers.crawl_keys import shard_of

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_LARGER_THAN_A_HOST = 1e9


def zipf_sizes(hosts: int, pages: float, exponent: float = 1.0) -> Floats:
    """Return the pages of each host, the largest first; together they have ``pages``."""
    sizes: Floats = np.arange(1, hosts + 1, dtype=np.float64) ** -exponent
    sizes *= pages / sizes.sum()
    return sizes


class SimulatedHosts:
    """Hosts that are crawled evenly: of a shard, each host has had as many pages, or all that it has.

    That number is the level of the shard, so that a million hosts cost no more than their shards.
    """

    def __init__(self, sizes: Floats, shards: int) -> None:
        of = [shard_of(f"www{number}.example.com", shards) for number in range(len(sizes))]
        numbers = np.array(of, dtype=np.int64)
        order = np.lexsort((sizes, numbers))
        self._shards = np.arange(shards)
        self._places = numbers[order] * _LARGER_THAN_A_HOST + sizes[order]
        self._ends = np.searchsorted(numbers[order], self._shards, side="right")
        self._starts = np.searchsorted(numbers[order], self._shards)
        self._sums = np.concatenate(([0.0], np.cumsum(sizes[order])))
        self.levels: Floats = np.zeros(shards)

    def left(self) -> Integers:
        """Return the number of hosts with waiting pages, by shard."""
        return self._ends - self._first()

    def done(self) -> Floats:
        """Return the number of crawled pages, by shard."""
        first = self._first()
        return self._sums[first] - self._sums[self._starts] + (self._ends - first) * self.levels

    def waiting(self) -> Floats:
        """Return the number of waiting pages, by shard."""
        return self._sums[self._ends] - self._sums[self._starts] - self.done()

    def _first(self) -> Integers:
        """Return the place of the smallest host that has waiting pages, by shard."""
        wanted = self._shards * _LARGER_THAN_A_HOST + self.levels
        return np.clip(
            np.searchsorted(self._places, wanted, side="right"), self._starts, self._ends
        )
