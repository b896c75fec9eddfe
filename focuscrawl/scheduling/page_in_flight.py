"""State of a page in flight, from the lease of its URL until everything it yielded is durable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Generic, TypeVar

from focuscrawl.frontier.frontier_entries import (
    Ack,
    Candidate,
    Lease,
    Outcome,
    State,
    dropped,
)

REDIRECTED = Outcome(State.DONE, "redirected")
# The reason is stored in frontier files.
NOT_REQUESTED = dropped("not asked for")

_R = TypeVar("_R")


@dataclass(slots=True)
class LeasedPage(Generic[_R]):
    """State of a leased URL.

    ``outcome`` is None until there is a response or failure. ``links`` are pushed when it is finished,
    ``found`` before the next URL is chosen; ``scores`` and ``hosts`` are those of both, by key. ``read_at`` is the
    time at which its callback had yielded everything, ``retry_at`` that of its retry (both in seconds).
    ``is_cut`` is set if its callback was cut short through no fault of the page, ``is_fatal`` if memory
    ran out while it was processed. That ends the run; the lease stays as if the process had been killed,
    so that the page is a suspect in the next run. ``is_learnt`` is set once its best link is looked up,
    ``is_silent`` while the page is marked as waiting for its host.
    """

    lease: Lease
    request: _R
    outcome: Outcome | None = None
    links: list[Candidate] = field(default_factory=list)
    found: list[Candidate] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)
    hosts: dict[int, str] = field(default_factory=dict)
    read_at: float | None = None
    retry_at: float | None = None
    is_cut: bool = False
    is_fatal: bool = False
    is_learnt: bool = False
    is_silent: bool = False

    @property
    def pending(self) -> list[Candidate]:
        """The links that are not in the frontier yet."""
        return self.found + self.links

    @property
    def has_all_links(self) -> bool:
        """True if all its links are known when it is finished."""
        is_final = self.outcome is not None and self.outcome is not REDIRECTED
        return is_final and self.retry_at is None and not self.is_cut

    def add(self, link: Candidate) -> None:
        """Add a link that its callback yielded; a repeated link counts once."""
        if self.note(link.key, link.score, link.host):
            self.links.append(link)

    def note(self, key: int, score: float, host: str) -> bool:
        """Record the score of a link; return whether no earlier link to its URL is as good."""
        self.hosts[key] = host
        is_best = score > self.scores.get(key, -inf)
        if is_best:
            self.scores[key] = score
        return is_best

    def best_link(self, states: Mapping[int, State]) -> float | None:
        """Return the score of its best link to a waiting URL, given the states of URLs by key."""
        waits = (score for key, score in self.scores.items() if states.get(key) is State.WAITING)
        return max(waits, default=None)

    def lead_to(self, candidate: Candidate) -> None:
        """Record a redirect to another URL, which is fetched next: its score is slightly better."""
        score = self.lease.score
        self.links.append(candidate._replace(score=score + max(1e-6, abs(score) * 1e-9)))
        self.outcome = REDIRECTED

    def blame(self, error: BaseException | None, outcome: Outcome) -> None:
        """Record the error of the page, or an error caused by it."""
        self.outcome = outcome
        self.is_fatal = isinstance(error, MemoryError) or (
            error is not None and isinstance(error.__cause__, MemoryError)
        )

    def ack(self) -> Ack:
        """Return the end of the lease; without an outcome, some component has dropped the request."""
        return Ack(self.lease, self.pending, self.outcome or NOT_REQUESTED)
