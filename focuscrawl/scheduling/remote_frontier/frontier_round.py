"""Rounds of calls of a frontier: all that a crawl wants of it at a time, with as few calls as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from focuscrawl.frontier.frontier_entries import (
    Ack,
    Candidate,
    Counts,
    HostCounts,
    Lease,
    NotLeasedError,
    Pushed,
    State,
)
from focuscrawl.frontier.frontier_protocol import RemoteFrontier

_T = TypeVar("_T")


class FrontierState(NamedTuple):
    """State of a frontier after a round; ``is_over`` if nothing is left for any worker."""

    waiting: int
    leased: int
    best_score: float | None
    next_due: float | None
    is_over: bool


class Answer(NamedTuple):
    """States of URLs by key, and counts by host, that a round looks up."""

    states: dict[int, State]
    hosts: dict[str, HostCounts]

    def known(self, keys: Iterable[int]) -> dict[int, State]:
        """Return the states of those URLs that are known."""
        return {key: self.states[key] for key in keys if key in self.states}

    def counts(self, hosts: Iterable[str]) -> Counts:
        """Return the counts of hosts."""
        return Counts({host: self.hosts[host] for host in hosts}, {})


class Report(NamedTuple):
    """Results of a round.

    ``lost`` is the number of pages whose leases others have by now, ``gone`` are such leases that were
    not sent.
    """

    pushed: Pushed
    lost: int
    gone: list[Lease]
    answer: Answer
    results: list[Any]
    leases: list[Lease]
    state: FrontierState


@dataclass(slots=True)
class Round:
    """Calls to be made together, in the order of the fields.

    So a page's links are known before the answers are given, and both before URLs are leased. ``held``
    are leases that were not sent yet: others may have them by now.
    """

    slots: dict[str, int] = field(default_factory=dict)
    pauses: dict[str, float] = field(default_factory=dict)
    received: dict[int, tuple[Lease, bool]] = field(default_factory=dict)
    freed: dict[int, Lease] = field(default_factory=dict)
    pushed: list[Candidate] = field(default_factory=list)
    found: dict[int, tuple[Lease, list[Candidate]]] = field(default_factory=dict)
    acks: list[Ack] = field(default_factory=list)
    ends: list[Callable[[RemoteFrontier], object]] = field(default_factory=list)
    questions: list[tuple[Callable[[RemoteFrontier], Any], Callable[[Any], None]]] = field(
        default_factory=list
    )
    keys: dict[int, str] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    lookups: list[Callable[[Answer], None]] = field(default_factory=list)
    leases: int = 0
    held: list[Lease] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True if nothing is to be written or asked."""
        # Lookups without keys have an answer all the same.
        return not any(
            (self.slots, self.pauses, self.received, self.freed, self.pushed, self.found, self.acks,
             self.ends, self.questions, self.lookups)
        )  # fmt: skip

    def add_found(self, lease: Lease, links: Iterable[Candidate]) -> None:
        """Add links of a page that is not finished."""
        self.found.setdefault(lease.seq, (lease, []))[1].extend(links)

    def add_ack(self, ack: Ack) -> None:
        """Add the end of a lease; what the round has about it becomes part of it."""
        self.freed.pop(ack.lease.seq, None)
        if earlier := self.found.pop(ack.lease.seq, None):
            ack = ack._replace(links=[*earlier[1], *ack.links])
        self.acks.append(ack)

    def add_end(self, lease: Lease, end: Callable[[RemoteFrontier], object]) -> None:
        """Add the end of a lease without an outcome."""
        self.freed.pop(lease.seq, None)
        self.ends.append(end)

    def links(self) -> Iterator[Candidate]:
        """Yield all links to be pushed."""
        yield from self.pushed
        for _, links in self.found.values():
            yield from links
        for ack in self.acks:
            yield from ack.links


class RoundRunner:
    """Makes the calls of rounds, each through ``attempt``, which may repeat it."""

    def __init__(
        self,
        frontier: RemoteFrontier,
        now: Callable[[], float],
        attempt: Callable[[Callable[[], Any]], Any],
        seconds_between_tends: float = 1.0,
    ) -> None:
        self._frontier = frontier
        self._now = now
        self._attempt = attempt
        self._pause = seconds_between_tends
        self._tended_at = now()
        self._lost = 0

    def run(self, calls: Round) -> Report:
        """Make all calls of a round, and lease the URLs that it wants."""
        frontier = self._frontier
        self._lost = 0
        self._mark(calls)
        pushed = list(self._push(calls))
        for end in calls.ends:
            self._end(partial(end, frontier))
        results = [self._attempt(partial(question, frontier)) for question, _ in calls.questions]
        answer = self._look_up(calls)
        if self._now() - self._tended_at >= self._pause:
            self._tended_at = self._now()
            self._attempt(frontier.tend)
        leases: list[Lease] = []
        if calls.leases and frontier.waiting:
            leases = self._attempt(lambda: frontier.lease(calls.leases, self._now()))
        total = Pushed.sum_of(pushed)
        gone = [lease for lease in calls.held if not frontier.holds(lease)]
        return Report(total, self._lost, gone, answer, results, leases, self.state())

    def state(self) -> FrontierState:
        """Return the present state."""
        frontier, now = self._frontier, self._now()
        waiting, leased = frontier.waiting, frontier.leased
        due = self._attempt(partial(frontier.next_due, now)) if waiting else None
        best = None
        if due is not None and due <= now:
            best = self._attempt(partial(frontier.best_score, now))
        is_over = not waiting and not leased and self._attempt(frontier.is_over)
        return FrontierState(waiting, leased, best, due, is_over)

    def _mark(self, calls: Round) -> None:
        frontier = self._frontier
        for host, slots in calls.slots.items():
            frontier.set_slots(host, slots)
        for host, until in calls.pauses.items():
            self._attempt(partial(frontier.pause, host, until))
        for lease, waits in calls.received.values():
            self._end(partial(frontier.process, lease, waits=waits))
        for lease in calls.freed.values():
            self._end(partial(frontier.free_slot, lease))

    def _push(self, calls: Round) -> Iterator[Pushed]:
        if calls.pushed:
            yield self._attempt(partial(self._frontier.push, calls.pushed))
        if calls.found:
            yield from self._find(list(calls.found.values()))
        if calls.acks:
            yield from self._ack(calls.acks)

    def _find(self, pages: list[tuple[Lease, list[Candidate]]]) -> Iterator[Pushed]:
        try:
            yield self._attempt(partial(self._frontier.found_many, pages))
        except NotLeasedError:
            # The links of a page that another worker has by now are found there again.
            for page in pages:
                yield self._end(partial(self._frontier.found, *page)) or Pushed()

    def _ack(self, acks: list[Ack]) -> Iterator[Pushed]:
        try:
            yield self._attempt(partial(self._frontier.ack_many, acks))
        except NotLeasedError:
            for ack in acks:
                yield self._end(partial(self._frontier.ack, *ack)) or Pushed()

    def _look_up(self, calls: Round) -> Answer:
        answer = Answer({}, {})
        if calls.keys:
            states = self._attempt(partial(self._frontier.known, calls.keys, calls.keys))
            answer = answer._replace(states=states)
        if calls.hosts:
            counts = self._attempt(partial(self._frontier.counts, calls.hosts))
            answer = answer._replace(hosts=counts.hosts)
        return answer

    def _end(self, call: Callable[[], _T]) -> _T | None:
        """Make a call about a lease, if the worker still has it."""
        try:
            result: _T = self._attempt(call)
        except NotLeasedError:
            self._lost += 1
            return None
        return result
