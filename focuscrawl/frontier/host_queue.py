"""The best waiting URLs of one host in memory; the rest stays on disk."""

from __future__ import annotations

from bisect import bisect_left, insort
from math import inf

Place = tuple[float, int]
"""Where a URL stands among others, smallest first: its score negated, its number of arrival."""


def place(score: float, seq: int) -> Place:
    """Return the place of a URL."""
    return (-score, seq)


class HostWindow:
    """A host whose URLs wait or are out.

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
        """Whether a URL of it may go out now."""
        return len(self.out) - len(self.here) < self.slots and not self.is_paused

    @property
    def is_hungry(self) -> bool:
        """Whether its best must be read from disk before anything can be said of it."""
        return self.more and not self.best

    @property
    def is_idle(self) -> bool:
        """Whether nothing of it waits or is out, so that it may be forgotten."""
        return not (self.best or self.more or self.out)

    def offer(self, entry: Place, size: int) -> None:
        """Take in a URL that has begun to wait, if it is among the first ``size``."""
        best = self.best
        if self.more and (not best or entry > best[-1]):
            return
        insort(best, entry)
        self.cut(size)

    def discard(self, entry: Place) -> None:
        """Let go of a URL that waits here no longer, or stands elsewhere."""
        at = bisect_left(self.best, entry)
        if at < len(self.best) and self.best[at] == entry:
            del self.best[at]

    def cut(self, size: int) -> None:
        """Keep the first ``size`` alone."""
        if len(self.best) > size:
            del self.best[size:]
            self.more = True
