"""Leases that wait for a request slot, fetched ahead from a frontier whose calls take long."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import inf

from focuscrawl.frontier.frontier_entries import Lease

# In seconds: how long a lease is kept that cannot be sent.
_LONGEST_HOLD = 5.0
_MOST_PAUSES = 1000
_MOST = 64


class PrefetchedLeases:
    """Leases in the order of their scores, with the pauses of hosts that the frontier may not know yet.

    As many are wanted as were sent in the time of two fetches, and one more: enough until the next ones
    arrive (at most twice ``most``), and few if the server is near or links are held back. With ``most`` 1 a lease is wanted only
    on request, because the links of a page must be known before the next page is chosen. At least one is
    wanted while a better URL waits than the best lease. All are sent in the end, unless there are more
    than three times ``most``: to release those that have become worse takes a call each and was measured
    to change the harvest by nothing.
    """

    def __init__(self, most: int) -> None:
        # With 0, requests are not limited.
        most = most or _MOST
        self._most = most
        self._leases: list[Lease] = []
        self._pauses: dict[str, float] = {}
        self._best_waiting = -inf
        self._sent_at: deque[float] = deque(maxlen=2 * most)
        self._is_requested = False

    def __len__(self) -> int:
        return len(self._leases)

    def add(self, leases: Sequence[Lease], best_waiting: float | None, now: float) -> list[Lease]:
        """Add leases, given the best score that waits behind them; return those to be released."""
        self._best_waiting = -inf if best_waiting is None else best_waiting
        self._leases = sorted([*self._leases, *leases], key=lambda lease: (-lease.score, lease.seq))
        return self._remove([*self._leases[3 * self._most :], *self._on_long_pause(now)])

    def take(self, count: int, now: float) -> list[Lease]:
        """Remove and return the best leases that may be sent, at most ``count``."""
        taken = self._sendable(now)[:count]
        self._sent_at.extend([now] * len(taken))
        self._is_requested = len(taken) < count
        return self._remove(taken)

    def best_score(self, now: float) -> float | None:
        """Return the score of the lease that :meth:`take` would return first."""
        return next((lease.score for lease in self._sendable(now)), None)

    def pause(self, host: str, until: float, now: float) -> list[Lease]:
        """Send no lease of a host before ``until``; return the leases to be released."""
        if len(self._pauses) > _MOST_PAUSES:
            self._pauses = {name: end for name, end in self._pauses.items() if end > now}
        self._pauses[host] = max(until, self._pauses.get(host, until))
        return self._remove(self._on_long_pause(now))

    def remove_host(self, host: str) -> list[Lease]:
        """Remove and return the leases of a host."""
        return self._remove([lease for lease in self._leases if lease.host == host])

    def held(self) -> list[Lease]:
        """Return all leases."""
        return list(self._leases)

    def forget(self, leases: Sequence[Lease]) -> None:
        """Remove leases that others have by now."""
        self._remove(list(leases))

    def clear(self) -> list[Lease]:
        """Remove and return all leases."""
        return self._remove(self._leases)

    def next_due(self, now: float) -> float | None:
        """Return the end of the first pause of a lease's host."""
        ends = (self._pauses.get(lease.host, now) for lease in self._leases)
        return min((end for end in ends if end > now), default=None)

    def wanted(self, now: float, seconds: float) -> int:
        """Return the number of leases to fetch now, which takes some seconds."""
        if self._most == 1:
            return int(self._is_requested and not self._leases)
        sent = sum(at > now - 2 * seconds for at in self._sent_at)
        sendable = self._sendable(now)
        is_better = not sendable or self._best_waiting > sendable[0].score
        return max(int(is_better), min(2 * self._most, sent + 1) - len(sendable))

    def _sendable(self, now: float) -> list[Lease]:
        return [lease for lease in self._leases if self._pauses.get(lease.host, now) <= now]

    def _on_long_pause(self, now: float) -> list[Lease]:
        end = now + _LONGEST_HOLD
        return [lease for lease in self._leases if self._pauses.get(lease.host, now) > end]

    def _remove(self, leases: list[Lease]) -> list[Lease]:
        gone = {lease.seq for lease in leases}
        removed = [lease for lease in self._leases if lease.seq in gone]
        self._leases = [lease for lease in self._leases if lease.seq not in gone]
        return removed
