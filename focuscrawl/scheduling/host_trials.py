"""Choice of the hosts to wait for: few of those that have not answered yet, each by one request."""

from __future__ import annotations

import heapq
from collections.abc import MutableMapping
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


class _Rank(NamedTuple):
    has_failed: bool
    negated_score: float
    host: str


class HostTrials:
    """Hosts of a run that have answered, and trials of the others: a trial is one page in flight.

    At most ``most`` hosts are tried at a time, ``most_idle`` while no other host has a page to send, so
    that silent ones do not occupy all request slots. The others are held, and opened when there is
    room: hosts that failed last, otherwise best score first. Pages are named by any number.

    A held host has no slots in the frontier, another that has not answered has one. Slots and state
    change together, and only here, so that a host without slots is always held: it is opened once a
    trial ends. ``own_slots`` are those of hosts that have answered, if they have their own number.
    """

    def __init__(
        self, frontier: HostSlots, most: int, most_idle: int, own_slots: MutableMapping[str, int]
    ) -> None:
        self._frontier = frontier
        self._most = most
        self._most_idle = most_idle
        self._own_slots = own_slots
        self._answered: set[str] = set()
        self._failures: dict[str, int] = {}
        self._tried: dict[str, int] = {}
        self._held: dict[str, _Rank] = {}
        # Ranks of hosts that are not held any more are skipped.
        self._queue: list[_Rank] = []
        self._opened: set[str] = set()

    @property
    def is_choosy(self) -> bool:
        """True if a host may have to be held, or to be opened."""
        return bool(self._held) or len(self._tried) >= self._most

    def choose(self, now: float) -> bool:
        """Hold and open hosts until the best URL of the frontier may be leased, if there is one.

        Return False to be called again soon.
        """
        self._open_next(self._most)
        for _ in range(_MOST_HELD):
            if not self.is_choosy:
                return True
            if best := self._frontier.best_host(now):
                if self._admits(best[0]):
                    return True
                self._hold(*best)
            # A server opens a host in the next round.
            elif not self._open_next(self._most_idle) or self._frontier.is_busy:
                return True
        return False

    def begin(self, host: str, page: int) -> None:
        """Record that a page was sent."""
        if host not in self._answered:
            self._tried[host] = page
            self._open(host)
            self._opened.discard(host)

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

    def end(self, host: str, page: int) -> None:
        """Record that a page is not in flight any more."""
        if self._tried.get(host) == page:
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
        if host in self._tried:
            return False
        if host in self._opened:
            return len(self._tried) < self._most_idle
        has_room = len(self._tried) < self._most
        return has_room and not (host in self._failures and self._holds_new())

    def _hold(self, host: str, score: float) -> None:
        self._opened.discard(host)
        self._held[host] = rank = _Rank(host in self._failures, -score, host)
        heapq.heappush(self._queue, rank)
        self._frontier.set_slots(host, 0)

    def _open_next(self, most: int) -> bool:
        """Open the first held host if fewer than ``most`` are tried; return whether one was opened."""
        if len(self._tried) >= most or not self._skip_opened():
            return False
        self._open(self._queue[0].host)
        return True

    def _open(self, host: str) -> None:
        self._held.pop(host, None)
        self._opened.add(host)
        self._frontier.set_slots(host, 1)

    def _holds_new(self) -> bool:
        return self._skip_opened() and not self._queue[0].has_failed

    def _skip_opened(self) -> bool:
        """Remove outdated ranks; return whether a host is held."""
        while self._queue and self._held.get(self._queue[0].host) is not self._queue[0]:
            heapq.heappop(self._queue)
        return bool(self._queue)
