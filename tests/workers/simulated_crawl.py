"""A crawl by many simulated machines, second by second, and what an event in it costs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tests.workers.simulated_hosts import Integers, SimulatedHosts
from tests.workers.simulated_workers import TIMES, Loads, Registry, Times, Worker


class Speed(NamedTuple):
    """Pages a second: of a machine, and of a host as politeness allows."""

    machine: float
    host: float


class Second(NamedTuple):
    """One second of the crawl: pages in all, and as many as with hosts shared by all living machines."""

    pages: float
    possible: float


class Event(NamedTuple):
    """Outcome of an event: ``seconds`` until all shards are crawled and evenly shared again.

    ``fewest`` is the least number of shards that any fair division moves. ``claims`` counts moves on
    the way, too. ``hosts`` is the share of hosts with waiting pages that are in the moved shards.
    """

    seconds: int
    moved: int
    fewest: int
    claims: int
    hosts: float


class SimulatedCrawl:
    """Machines that crawl hosts, each those of its shards; a death is noticed when the leases end."""

    def __init__(
        self,
        hosts: SimulatedHosts,
        speed: Speed,
        times: Times = TIMES,
        loads: Callable[[SimulatedHosts], Integers | None] = lambda _hosts: None,
        seed: int = 1,
    ) -> None:
        self.hosts = hosts
        self.now = 0
        self.workers: dict[str, Worker] = {}
        self.registry = Registry(len(hosts.levels))
        self.pages: dict[str, float] = {}
        self.seconds: list[Second] = []
        self._loads = loads
        self._dice = random.Random(seed)
        self._speed = speed
        self._times = times
        self._done = float(hosts.done().sum())

    def join(self, count: int) -> None:
        """Start machines."""
        for number in range(len(self.pages), len(self.pages) + count):
            name = f"worker{number:04}"
            self.pages[name] = 0.0
            self.workers[name] = Worker(
                name, self.registry, self._times, self._dice, self._known_loads
            )

    def kill(self, count: int) -> None:
        """End machines without a word."""
        for name in self._some(count):
            del self.workers[name]

    def terminate(self, count: int) -> None:
        """End machines in order."""
        for name in self._some(count):
            self.workers[name].leave(self.now)

    def run(self, seconds: int) -> None:
        """Let time pass."""
        for _ in range(seconds):
            self._second()

    def is_settled(self) -> bool:
        """Return whether every shard is crawled, and by its fair owner."""
        sizes = [len(worker.serves) for worker in self.workers.values()]
        starts = [start for worker in self.workers.values() for start in worker.serves.values()]
        return (
            len(starts) == len(self.registry.owners)
            and max(starts) < self.now
            and max(sizes) - min(sizes) <= 1
            and not any(worker.is_leaving for worker in self.workers.values())
        )

    def event(self, happen: Callable[[int], None], count: int) -> Event:
        """Let something happen, such as deaths of ``count`` machines; return its outcome."""
        before, claims, begun = dict(self.registry.owners), self.registry.claims, self.now
        happen(count)
        self._second()
        while not self.is_settled():
            self._second()
        moved = [shard for shard, owner in self.registry.owners.items() if owner != before[shard]]
        left = self.hosts.left()
        return Event(
            self.now - begun,
            len(moved),
            fewest_moves(before, self.workers),
            self.registry.claims - claims,
            float(left[moved].sum() / max(1, left.sum())),
        )

    def _known_loads(self) -> Loads | None:
        loads = self._loads(self.hosts)
        return None if loads is None else dict(enumerate(loads.tolist()))

    def _some(self, count: int) -> list[str]:
        staying = [name for name, worker in self.workers.items() if not worker.is_leaving]
        return self._dice.sample(staying, count)

    def _second(self) -> None:
        self.now += 1
        self.registry.expire(self.now)
        for worker in self._dice.sample(list(self.workers.values()), len(self.workers)):
            worker.step(self.now)
            if worker.has_left:
                del self.workers[worker.name]
        self.registry.remember(self.now)
        self._crawl()

    def _crawl(self) -> None:
        left = self.hosts.left()
        staying = sum(not worker.is_leaving for worker in self.workers.values())
        for name, worker in self.workers.items():
            shards = [shard for shard, start in worker.serves.items() if start <= self.now]
            hosts = left[shards].sum()
            pace = min(self._speed.host, self._speed.machine / max(1, hosts))
            self.hosts.levels[shards] += pace
            self.pages[name] += pace * hosts
        done = float(self.hosts.done().sum())
        possible = min(staying * self._speed.machine, float(left.sum()) * self._speed.host)
        self.seconds.append(Second(done - self._done, possible))
        self._done = done


def fewest_moves(owners: dict[int, str | None], workers: Iterable[str]) -> int:
    """Return the fewest moves to fair shares among ``workers``, including those of free shards."""
    names = set(workers)
    sizes = sorted(
        (sum(owner == name for owner in owners.values()) for name in names), reverse=True
    )
    share, rest = divmod(len(owners), len(names))
    kept = sum(min(size, share + (rank < rest)) for rank, size in enumerate(sizes))
    return len(owners) - kept


def spread(values: Sequence[float]) -> float:
    """Return the largest value in proportion to the mean."""
    return float(np.max(values) / np.mean(values))
