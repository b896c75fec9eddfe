"""The best waiting URLs of one host in memory; the rest stays on disk."""

from __future__ import annotations

from bisect import bisect_left, insort
from math import inf

Place = tuple[float, int]
"""Sort key of a URL, smallest first: its negated score and its arrival number."""


def place(score: float, seq: int) -> Place:
    """Return the place of a URL."""
    return (-score, seq)


class HostWindow:
    """A host with waiting or leased URLs.

    ``best`` holds the first of its waiting URLs in order, exactly: nothing on disk comes before its
    last. ``more`` tells that there may be others on disk; where it is False the window is all.
    ``out`` are the arrival numbers of leased URLs, ``here`` those of them that hold no slot.
    ``is_paused`` holds until somebody sees that ``paused_until`` is over.
    """

    __slots__ = (
        "best", "here", "is_paused", "more", "name", "number", "out", "paused_until", "slots",
    )  # fmt: skip

    def __init__(self, number: int, name: str, slots: int, *, more: bool) -> None:
        self.number = number
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
        """Whether a URL of the host may be leased now."""
        return len(self.out) - len(self.here) < self.slots and not self.is_paused

    @property
    def is_hungry(self) -> bool:
        """Whether the window is empty and must be read from disk."""
        return self.more and not self.best

    @property
    def is_idle(self) -> bool:
        """Whether no URL waits or is leased, so that the host can be removed."""
        return not (self.best or self.more or self.out)

    def offer(self, entry: Place, size: int) -> None:
        """Add a URL that has begun to wait, if it is among the first ``size``."""
        best = self.best
        if self.more and (not best or entry > best[-1]):
            return
        insort(best, entry)
        self.cut(size)

    def discard(self, entry: Place) -> None:
        """Remove a URL that no longer waits, or whose place has changed."""
        at = bisect_left(self.best, entry)
        if at < len(self.best) and self.best[at] == entry:
            del self.best[at]

    def cut(self, size: int) -> None:
        """Keep only the first ``size``."""
        if len(self.best) > size:
            del self.best[size:]
            self.more = True
