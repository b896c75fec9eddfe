"""Choice of the hosts to wait for: few of those that have not answered yet, each by one request."""

from __future__ import annotations

import heapq


class HostTrials:
    """Hosts of a run that have answered, and trials of the others: a trial is one page in flight.

    At most ``most`` hosts are tried at a time, ``most_idle`` while no other host has a page to send, so
    that silent ones do not occupy all request slots. The others are held: the caller sends them nothing
    until :meth:`next_held` returns them, hosts that failed last, otherwise best score first. Pages are
    named by any number.
    """

    def __init__(self, most: int, most_idle: int) -> None:
        self._most = most
        self._most_idle = most_idle
        self._answered: set[str] = set()
        self._failed: set[str] = set()
        self._tried: dict[str, int] = {}
        self._held: list[tuple[bool, float, str]] = []
        self._released: set[str] = set()

    @property
    def is_choosy(self) -> bool:
        """True if a host may have to be held, or to be released."""
        return bool(self._held) or len(self._tried) >= self._most

    def has_answered(self, host: str) -> bool:
        """Return whether a host has answered."""
        return host in self._answered

    def admits(self, host: str) -> bool:
        """Return whether a page of a host may be sent now."""
        if host in self._answered:
            return True
        if host in self._released:
            return self._has_room(is_idle=True)
        is_free = self._has_room(is_idle=False) and host not in self._tried
        return is_free and not (host in self._failed and self._is_new_host_held())

    def begin(self, host: str, page: int) -> bool:
        """Record that a page was sent; return whether that is a trial of its host."""
        if host in self._answered:
            return False
        self._tried[host] = page
        self._released.discard(host)
        return True

    def answer(self, host: str) -> bool:
        """Record an answer of a host; return whether it is the first."""
        if host in self._answered:
            return False
        self._answered.add(host)
        self._failed.discard(host)
        self._released.discard(host)
        self._tried.pop(host, None)
        return True

    def end(self, host: str, page: int) -> None:
        """Record that a page is not in flight any more."""
        if self._tried.get(host) == page:
            del self._tried[host]
            self._failed.add(host)

    def hold(self, host: str, score: float) -> None:
        """Hold a host, given the score of its best page."""
        self._released.discard(host)
        heapq.heappush(self._held, (host in self._failed, -score, host))

    def next_held(self, *, is_idle: bool = False) -> str | None:
        """Release a host if one may be tried; return it."""
        self._skip_answered()
        if not self._held or not self._has_room(is_idle=is_idle):
            return None
        host = heapq.heappop(self._held)[2]
        self._released.add(host)
        return host

    def _has_room(self, *, is_idle: bool) -> bool:
        return len(self._tried) < (self._most_idle if is_idle else self._most)

    def _is_new_host_held(self) -> bool:
        self._skip_answered()
        return bool(self._held) and not self._held[0][0]

    def _skip_answered(self) -> None:
        while self._held and self._held[0][2] in self._answered:
            heapq.heappop(self._held)
