"""Window on the queue of one host: its best waiting URLs in memory, the others on disk."""

from __future__ import annotations

from bisect import bisect_left, insort
from math import inf
from typing import Generic, TypeVar

HostId = TypeVar("HostId", bound=int | str)
"""Number of a host in a file, or its name."""

Place = tuple[float, int]
"""Sort key of a URL, smallest first: its negated score and its arrival number."""


def place(score: float, seq: int) -> Place:
    """Return the place of a URL."""
    return (-score, seq)


class HostWindow(Generic[HostId]):
    """A host with waiting or leased URLs.

    ``best`` holds the first of its waiting URLs in order: no URL on disk ranks before its last.
    ``more`` is False if there are no others on disk. ``out`` are the arrival numbers of leased URLs,
    ``here`` those of them that hold no slot. ``is_paused`` is reset by the caller once
    ``paused_until`` has passed.
    """

    __slots__ = (
        "best", "here", "is_paused", "more", "name", "number", "out", "paused_until", "slots",
    )  # fmt: skip

    def __init__(self, number: HostId, name: str, slots: int, *, more: bool) -> None:
        self.number: HostId = number
        self.name = name
        self.slots = slots
        self.more = more
        self.best: list[Place] = []
        self.out: tuple[int, ...] = ()
        self.here: frozenset[int] = frozenset()
        self.is_paused = False
        self.paused_until = -inf

    @property
    def is_open(self) -> bool:
        """True if a URL of the host may be leased now."""
        return len(self.out) - len(self.here) < self.slots and not self.is_paused

    @property
    def is_hungry(self) -> bool:
        """True if the window is empty and must be read from disk."""
        return self.more and not self.best

    @property
    def is_idle(self) -> bool:
        """True if no URL waits or is leased, so that the host can be removed."""
        return not (self.best or self.more or self.out)

    def offer(self, entry: Place, size: int) -> None:
        """Add a newly waiting URL if it is among the first ``size``."""
        best = self.best
        if self.more and (not best or entry > best[-1]):
            return
        insort(best, entry)
        self.cut(size)

    def discard(self, entry: Place) -> None:
        """Remove a URL that no longer waits or whose place has changed."""
        at = bisect_left(self.best, entry)
        if at < len(self.best) and self.best[at] == entry:
            del self.best[at]

    def cut(self, size: int) -> None:
        """Keep only the first ``size`` URLs."""
        if len(self.best) > size:
            del self.best[size:]
            self.more = True
