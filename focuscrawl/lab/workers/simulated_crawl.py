"""Simulation of one crawl by several workers on a recorded web, event by event.

A response takes a second on average. Links reach their worker at once, since a stream in memory takes
milliseconds; best scores and judged links are exchanged at intervals.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import NamedTuple, Protocol

from focuscrawl.frontier import Candidate, Lease, key_of
from focuscrawl.lab.workers.recorded_responses import RecordedResponse
from focuscrawl.lab.workers.simulated_worker import SimulatedWorker, shard_of
from focuscrawl.lab.workers.work_division import LEARNER, SCORES, Division

_SECONDS = (0.5, 1.5)
# While no worker may send anything, they exchange at least this often.
_SHORTEST = 0.1


class Eagerness(Protocol):
    """Choice between sending a waiting link and waiting for the pages in flight."""

    def sent(self, page: int, score: float, now: float) -> None:
        """Record that a page is in flight."""

    def read(self, page: int, best: float | None, now: float) -> None:
        """Record the score of the best link of a page."""

    def forget(self, page: int) -> None:
        """Record that a page will not be read."""

    def seconds_to_wait(self, score: float, now: float) -> float:
        """Return the seconds that a link of that score should wait, 0 to send it now."""


class SimulatedRun(NamedTuple):
    """The URLs of the judged pages in order, and the seconds from the first request to the last page."""

    urls: list[str]
    seconds: float


class _Arrival(NamedTuple):
    at: float
    number: int
    worker: int
    lease: Lease | None
    """None: the worker only looks again whether it may send something."""


class SimulatedCrawl:
    """Workers with their shards; ``eager`` returns the eagerness of one worker."""

    def __init__(
        self,
        workers: Sequence[SimulatedWorker],
        division: Division,
        web: Mapping[str, RecordedResponse],
        eager: Callable[[], Eagerness],
    ) -> None:
        self._workers = workers
        self._division = division
        self._web = web
        self._eager = [eager() for _ in workers]
        self._in_flight = [0] * len(workers)
        self._published = [-inf] * len(workers)
        self._looks_again = [inf] * len(workers)
        self._arrivals: list[_Arrival] = []
        self._number = 0
        self._now = 0.0

    def run(self, seeds: Sequence[str], budget: int) -> SimulatedRun:
        """Crawl from seeds until so many pages are judged, or none is left."""
        for url in seeds:
            link = self._workers[0].seed(url)
            self._workers[self._owner(link)].accept(link)
        judged: list[str] = []
        interval = self._division.exchange / self._division.requests
        next_exchange = 0.0
        while len(judged) < budget:
            if next_exchange <= self._now:
                self._exchange()
                next_exchange = self._now + interval
            self._send()
            if self._arrivals:
                at = self._arrivals[0].at
                if interval and next_exchange <= at:
                    self._now = next_exchange
                    continue
                arrival = heapq.heappop(self._arrivals)
                self._now = arrival.at
                judged += self._arrive(arrival)
            elif any(worker.best(self._now) > -inf for worker in self._workers):
                self._now = max(next_exchange, self._now + _SHORTEST)
            else:
                break
        return SimulatedRun(judged, self._now)

    def _send(self) -> None:
        """Let every worker fill its slots; the first one is another at each time."""
        count = len(self._workers)
        for offset in range(count):
            worker = (self._number + offset) % count
            while self._in_flight[worker] < self._division.requests and self._may_send(worker):
                lease = self._workers[worker].lease(self._now)
                self._in_flight[worker] += 1
                self._eager[worker].sent(lease.key, lease.score, self._now)
                self._expect(worker, _seconds(lease.url), lease)

    def _may_send(self, worker: int) -> bool:
        best = self._workers[worker].best(self._now)
        if best == -inf or best < self._best_of_others(worker) - self._division.margin:
            return False
        if wait := self._eager[worker].seconds_to_wait(best, self._now):
            if self._now + wait < self._looks_again[worker]:
                self._looks_again[worker] = self._now + wait
                self._expect(worker, wait, None)
            return False
        return True

    def _best_of_others(self, worker: int) -> float:
        if not self._division.exchange:
            self._publish()
        others = (best for number, best in enumerate(self._published) if number != worker)
        return max(others, default=-inf)

    def _publish(self) -> None:
        self._published = [worker.best(self._now) for worker in self._workers]

    def _expect(self, worker: int, seconds: float, lease: Lease | None) -> None:
        self._number += 1
        at = self._now + seconds
        heapq.heappush(self._arrivals, _Arrival(at, self._number, worker, lease))

    def _arrive(self, arrival: _Arrival) -> list[str]:
        """End a page and deliver its links; return its URL if it was judged."""
        worker, lease = arrival.worker, arrival.lease
        if lease is None:
            self._looks_again[worker] = inf
            return []
        self._in_flight[worker] -= 1
        response = self._web.get(lease.url)
        links = self._workers[worker].read(lease, response)
        own = [link for link in links if self._owner(link) == worker]
        for link in links:
            owner = self._workers[self._owner(link)]
            is_foreign = SCORES in self._division.shared and owner is not self._workers[worker]
            (owner.receive if is_foreign else owner.accept)(link)
        is_page = response is not None and not response.location
        if is_page:
            best = self._workers[worker].best_of(own)
            self._eager[worker].read(lease.key, best, self._now)
        else:
            self._eager[worker].forget(lease.key)
        if LEARNER not in self._division.shared or not self._division.exchange:
            self._learn()
        return [lease.url] if is_page else []

    def _exchange(self) -> None:
        self._publish()
        if LEARNER in self._division.shared:
            self._learn()

    def _learn(self) -> None:
        """Train the learners with the links judged since; workers may share one."""
        trained = set()
        for worker in self._workers:
            for link, is_relevant in worker.judged:
                if worker.learner.add(link, is_relevant):
                    trained.add(worker.learner)
            worker.judged = []
        for worker in self._workers:
            if worker.learner in trained:
                worker.rescore()

    def _owner(self, link: Candidate) -> int:
        return shard_of(link.host) % len(self._workers)


def _seconds(url: str) -> float:
    """Return the time of a response, the same in every crawl."""
    least, most = _SECONDS
    return least + (most - least) * (key_of(url) % 1000) / 1000
