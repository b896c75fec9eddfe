"""A frontier on a server and the model, driven through the same random steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, run_state_machine_as_test

from focuscrawl.frontier import Ack, Candidate, Ended, Lease, Pushed, UpdateRule, Waiting
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.redis_frontier import RedisFrontier
from tests.frontier.brute_force_frontier import Model
from tests.frontier.frontier_runs import kill
from tests.frontier.test_random_operations import Machine

# As few as possible, so that most shards have several hosts, and several shards are in use.
SHARDS = 3


class Numbered:
    """A frontier with the numbers of arrival, and the order, of the model."""

    def __init__(self, frontier: RedisFrontier, model: Model) -> None:
        self.frontier = frontier
        self._model = model
        self._leases: dict[int, Lease] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.frontier, name)

    def lease(self, number: int, now: float) -> list[Lease]:
        leases = self.frontier.lease(number, now)
        self._leases |= {lease.key: lease for lease in leases}
        return [lease._replace(seq=self._number(lease.key)) for lease in leases]

    def found(self, lease: Lease, links: Sequence[Candidate]) -> Pushed:
        return self.frontier.found(self._leases[lease.key], links)

    def ack_many(self, acks: Sequence[Ack]) -> Pushed:
        own = [ack._replace(lease=self._leases[ack.lease.key]) for ack in acks]
        return self.frontier.ack_many(own)

    def retry(self, lease: Lease, not_before: float) -> None:
        self.frontier.retry(self._leases[lease.key], not_before)

    def release(self, lease: Lease) -> None:
        self.frontier.release(self._leases[lease.key])

    def free_slot(self, lease: Lease) -> None:
        self.frontier.free_slot(self._leases[lease.key])

    def process(self, lease: Lease, *, waits: bool = False) -> None:
        self.frontier.process(self._leases[lease.key], waits=waits)

    def mark_silent(self, lease: Lease) -> None:
        self.frontier.mark_silent(self._leases[lease.key])

    def each_waiting(self, host: str | None = None) -> list[Waiting]:
        waiting = self.frontier.each_waiting(host)
        return sorted(waiting, key=lambda entry: self._number(entry.key))

    def each_ended(self) -> Iterator[Ended]:
        ended = self.frontier.each_ended()
        return iter(
            sorted(ended, key=lambda entry: self._number(int(entry.url.rpartition("/")[2])))
        )

    def _number(self, key: int) -> int:
        return self._model.urls[key].seq


def test_random_operations(valkey_url: str) -> None:
    crawls = count()

    class RedisMachine(Machine):
        """Stores on a server."""

        @initialize(
            slots=st.integers(1, 3), window=st.integers(1, 4), budget=st.integers(1, 12)
        )  # fmt: skip
        def begin(self, slots: int, window: int, budget: int) -> None:
            self.keys = CrawlKeys(f"random {next(crawls)}", shards=SHARDS)
            self.runs = count()
            super().begin(UpdateRule.MAX, slots, window, budget, 1)

        def open(self) -> None:
            options = {"slots": self.options["slots"], **self.limits}
            frontier = RedisFrontier(
                connect(valkey_url), self.keys, f"run {next(self.runs)}", **options
            )
            self.stored = Numbered(frontier, self.model)

        def kill(self) -> None:
            kill(self.stored.frontier)

    run_state_machine_as_test(
        RedisMachine, settings=settings(max_examples=25, stateful_step_count=40, deadline=None)
    )
