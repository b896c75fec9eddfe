"""Selection of the next URL: the best one of all open hosts, in O(log hosts)."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Generic

from focuscrawl.frontier.host_queue import HostId, HostWindow, Place


class Agenda(Generic[HostId]):
    """Windows of all hosts with waiting or leased URLs, and a heap of the best URLs of open hosts.

    ``feed`` reads the first places of a host's queue from disk or a server; leased ones may be among
    them. A window holds at most ``size`` URLs; with more hosts than ``budget / size`` each holds fewer, so
    that the total stays below ``budget`` (or one for each host). Entries of the heap may be outdated:
    they are checked when they reach the top. Busy and paused hosts have none, so they cost nothing.
    """

    def __init__(
        self, feed: Callable[[HostId, int], list[Place]], slots: int, size: int, budget: int
    ) -> None:
        self._feed: Callable[[HostId, int], list[Place]] = feed
        self._slots = slots
        self._own_slots: dict[str, int] = {}
        self._size = self._largest = size
        self._budget = budget
        self._hosts: dict[HostId, HostWindow[HostId]] = {}
        self._ready: list[tuple[Place, HostId]] = []
        self._hungry: set[HostId] = set()
        self._pauses: list[tuple[float, HostId]] = []

    def __contains__(self, number: HostId) -> bool:
        return number in self._hosts

    def add_host(
        self, number: HostId, name: str, paused_until: float | None, *, more: bool
    ) -> None:
        """Add a host; without ``more``, no URL waits on disk, and one is offered next."""
        host = HostWindow(number, name, self._own_slots.get(name, self._slots), more=more)
        self._hosts[number] = host
        if paused_until is not None:
            self.pause(number, paused_until)
        if more:
            self._show(host)
        self._fit()

    def offer(self, number: HostId, entry: Place) -> None:
        """Add a newly waiting URL; its host must be known."""
        host = self._hosts[number]
        host.offer(entry, self._size)
        if host.best and host.best[0] == entry:
            self._show(host)

    def move(self, number: HostId, old: Place, new: Place) -> None:
        """Update the place of a waiting URL whose score has changed."""
        host = self._hosts[number]
        host.discard(old)
        host.offer(new, self._size)
        self._show(host)

    def discard(self, number: HostId, entry: Place) -> None:
        """Remove a URL that no longer waits."""
        host = self._hosts[number]
        host.discard(entry)
        self._show(host)

    def take(self, now: float) -> tuple[HostId, Place] | None:
        """Remove the best URL of the open hosts; return its host and place."""
        host = self._next(now)
        if host is None:
            return None
        entry = host.best.pop(0)
        host.out = (*host.out, entry[1])
        self._show(host)
        return host.number, entry

    def free_slot(self, number: HostId, seq: int) -> None:
        """Free the slot of a lease."""
        host = self._hosts[number]
        host.here = host.here.union((seq,))
        self._show(host)

    def end(self, number: HostId, seq: int, again: Place | None = None) -> None:
        """Remove a lease; ``again`` is the place of the URL, if it waits again."""
        host = self._hosts[number]
        host.out = tuple(out for out in host.out if out != seq)
        host.here = host.here.difference((seq,))
        if again is not None:
            host.offer(again, self._size)
        self._show(host)

    def hold(self, number: HostId, seq: int) -> None:
        """Record a lease that :meth:`take` did not give; its host must be known."""
        host = self._hosts[number]
        host.out = (*host.out, seq)

    def hosts(self) -> list[HostId]:
        """Return the hosts with waiting or leased URLs."""
        return list(self._hosts)

    def remove_host(self, number: HostId) -> None:
        """Forget a host, whose URLs belong to another worker by now; unknown ones too."""
        if self._hosts.pop(number, None):
            self._fit()

    def pause(self, number: HostId, until: float) -> None:
        """Pause a known host until that time."""
        host = self._hosts[number]
        host.is_paused, host.paused_until = True, until
        heapq.heappush(self._pauses, (until, number))

    def set_slots(self, name: str, number: HostId | None, slots: int | None) -> None:
        """Limit the concurrent leases of a host, known or not; None is the limit of all hosts."""
        if slots is None:
            self._own_slots.pop(name, None)
        else:
            self._own_slots[name] = slots
        host = None if number is None else self._hosts.get(number)
        if host:
            host.slots = self._slots if slots is None else slots
            self._show(host)

    def peek(self, now: float) -> Place | None:
        """Return the place of the URL that :meth:`take` would return."""
        host = self._next(now)
        return host.best[0] if host else None

    def best_host(self, now: float) -> tuple[str, float] | None:
        """Return the host and the score of the URL that :meth:`take` would return."""
        host = self._next(now)
        return (host.name, -host.best[0][0]) if host else None

    def next_pause_end(self) -> float | None:
        """Return the end of the first pause of a known host."""
        while self._pauses:
            until, number = self._pauses[0]
            host = self._hosts.get(number)
            if host and host.is_paused and host.paused_until == until:
                return until
            heapq.heappop(self._pauses)
        return None

    def _next(self, now: float) -> HostWindow[HostId] | None:
        """Return the open host with the best URL."""
        self._wake(now)
        for number in list(self._hungry):
            self._refill(number)
        while self._ready:
            entry, number = self._ready[0]
            host = self._hosts.get(number)
            if host and host.is_open and host.best and host.best[0] == entry:
                return host
            heapq.heappop(self._ready)
        return None

    def _wake(self, now: float) -> None:
        while self._pauses and self._pauses[0][0] <= now:
            _, number = heapq.heappop(self._pauses)
            host = self._hosts.get(number)
            if host and host.is_paused and host.paused_until <= now:
                host.is_paused = False
                self._show(host)

    def _refill(self, number: HostId) -> None:
        host = self._hosts.get(number)
        is_wanted = host and host.is_hungry and host.is_open
        if host and is_wanted:
            size = self._size + len(host.out)
            found = self._feed(number, size)
            host.best = [entry for entry in found if entry[1] not in host.out]
            host.more = len(found) == size
            self._show(host)
        self._hungry.discard(number)

    def _show(self, host: HostWindow[HostId]) -> None:
        """Update the heap after a change of a host."""
        if host.is_idle:
            del self._hosts[host.number]
            self._fit()
        elif host.is_open and host.is_hungry:
            self._hungry.add(host.number)
        elif host.is_open and host.best:
            heapq.heappush(self._ready, (host.best[0], host.number))
            if len(self._ready) > 4 * len(self._hosts) + 1000:
                self._rebuild()

    def _rebuild(self) -> None:
        hosts = self._hosts.values()
        self._ready = [(host.best[0], host.number) for host in hosts if host.is_open and host.best]
        heapq.heapify(self._ready)

    def _fit(self) -> None:
        """Set the window size by the number of hosts: a power of two, so that it rarely changes."""
        share = max(1, self._budget // max(1, len(self._hosts)))
        size = min(self._largest, 1 << (share.bit_length() - 1))
        if size < self._size or (size > self._size and share >= 4 * self._size):
            self._size = size
            for host in self._hosts.values():
                host.cut(self._size)
