"""Choice of the hosts to wait for: few of those that have not answered yet, each by one request."""

from __future__ import annotations

import heapq
from collections.abc import MutableMapping
from itertools import takewhile
from typing import NamedTuple, Protocol

# Between two requests: holding a host takes far less than a millisecond, but there may be any number.
_MOST_HELD = 100


class HostSlots(Protocol):
    """Frontier as trials see it; see :class:`~focuscrawl.scheduling.frontier_access.FrontierAccess`."""

    @property
    def is_busy(self) -> bool:
        """True if calls are under way."""

    def best_host(self, now: float) -> tuple[str, float] | None:
        """Return the host and the score of the URL that would be leased first."""

    def set_slots(self, host: str, slots: int | None) -> None:
        """Limit the concurrent leases of a host; None is the limit of all hosts."""


class _Trial(NamedTuple):
    page: int
    began: float


class _Rank(NamedTuple):
    has_failed: bool
    negated_score: float
    host: str


class HostTrials:
    """Hosts of a run that have answered, and trials of the others: a trial is one page in flight.

    At most ``most`` hosts are tried at a time that have not failed, and one that has; while no other
    host has a page to send, ``most`` that have. The others are held, and opened when there is room:
    hosts that failed last, otherwise best score first. Pages are named by any number.

    A held host has no slots in the frontier, another that has not answered has one. Slots and state
    change together, and only here, so that a host without slots is always held: it is opened once a
    trial ends. ``own_slots`` are those of hosts that have answered, if they have their own number.
    """

    def __init__(self, frontier: HostSlots, most: int, own_slots: MutableMapping[str, int]) -> None:
        self._frontier = frontier
        self._most = most
        self._own_slots = own_slots
        self._answered: set[str] = set()
        self._failures: dict[str, int] = {}
        # In the order of their times.
        self._tried: dict[str, _Trial] = {}
        self._held: dict[str, _Rank] = {}
        # Ranks of hosts that are not held any more are skipped.
        self._queue: list[_Rank] = []
        # Hosts that failed, opened while nothing else could be sent.
        self._opened: set[str] = set()

    @property
    def is_choosy(self) -> bool:
        """True if a host is held, and will be opened."""
        return bool(self._held)

    def choose(self, now: float) -> bool:
        """Hold and open hosts until the best URL of the frontier may be leased, if there is one.

        Return False to be called again soon.
        """
        self._open_next()
        for _ in range(_MOST_HELD):
            if not (self._held or self._failures or len(self._tried) >= self._most):
                return True
            if best := self._frontier.best_host(now):
                if self._admits(best[0]):
                    return True
                self._hold(*best)
            # A server opens a host in the next round.
            elif not self._open_next(is_idle=True) or self._frontier.is_busy:
                return True
        return False

    def begin(self, host: str, page: int, now: float) -> None:
        """Record that a page was sent."""
        if host not in self._answered:
            self._tried[host] = _Trial(page, now)
            self._open(host)
            self._opened.discard(host)

    def since(self, latest: float) -> list[int]:
        """Return the pages of the trials that began by that time, oldest first."""
        trials = takewhile(lambda trial: trial.began <= latest, self._tried.values())
        return [trial.page for trial in trials]

    def answer(self, host: str) -> bool:
        """Record an answer of a host; return whether it is the first."""
        if host in self._answered:
            return False
        self._answered.add(host)
        for names in (self._failures, self._tried, self._held):
            names.pop(host, None)
        self._opened.discard(host)
        self._frontier.set_slots(host, self._own_slots.get(host))
        return True

    def doubt(self, host: str) -> None:
        """Try a host again that has answered, but does not any more."""
        if host in self._answered:
            self._answered.remove(host)
            self._failures[host] = 1
            self._frontier.set_slots(host, 1)

    def end(self, host: str, page: int) -> None:
        """Record that a page is not in flight any more."""
        if host in self._tried and self._tried[host].page == page:
            del self._tried[host]
            self._failures[host] = self.failures(host) + 1

    def limit(self, host: str, slots: int) -> None:
        """Give a host that has answered, or answers later, its own number of slots."""
        self._own_slots[host] = slots
        if host in self._answered:
            self._frontier.set_slots(host, slots)

    def has_answered(self, host: str) -> bool:
        """Return whether a host has answered."""
        return host in self._answered

    def failures(self, host: str) -> int:
        """Return the number of trials of a host that have ended without an answer."""
        return self._failures.get(host, 0)

    def _admits(self, host: str) -> bool:
        if host in self._answered:
            return True
        has_failed = host in self._failures
        if host in self._tried or (has_failed and host not in self._opened and self._holds_new()):
            return False
        return self._has_room(has_failed=has_failed, is_idle=host in self._opened)

    def _has_room(self, *, has_failed: bool, is_idle: bool) -> bool:
        again = len(self._tried.keys() & self._failures.keys())
        if has_failed:
            return again < (self._most if is_idle else 1)
        return len(self._tried) - again < self._most

    def _hold(self, host: str, score: float) -> None:
        self._opened.discard(host)
        self._held[host] = rank = _Rank(host in self._failures, -score, host)
        heapq.heappush(self._queue, rank)
        self._frontier.set_slots(host, 0)

    def _open_next(self, *, is_idle: bool = False) -> bool:
        """Open the first held host if there is room for it; return whether it was opened."""
        if not self._skip_opened():
            return False
        first = self._queue[0]
        if not self._has_room(has_failed=first.has_failed, is_idle=is_idle):
            return False
        self._open(first.host)
        if is_idle and first.has_failed:
            self._opened.add(first.host)
        return True

    def _open(self, host: str) -> None:
        self._held.pop(host, None)
        self._frontier.set_slots(host, 1)

    def _holds_new(self) -> bool:
        return self._skip_opened() and not self._queue[0].has_failed

    def _skip_opened(self) -> bool:
        """Remove outdated ranks; return whether a host is held."""
        while self._queue and self._held.get(self._queue[0].host) is not self._queue[0]:
            heapq.heappop(self._queue)
        return bool(self._queue)
