"""Compact sets of integers stored as runs."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable


class Runs:
    """A set of integers, stored as first and last number of each run: 16 bytes per run.

    >>> 5 in Runs([1, 2, 3, 7]), 2 in Runs([1, 2, 3, 7])
    (False, True)
    """

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._firsts, self._lasts = array("q"), array("q")
        for number in sorted(numbers):
            if self._lasts and number <= self._lasts[-1] + 1:
                self._lasts[-1] = number
            else:
                self._firsts.append(number)
                self._lasts.append(number)

    def __contains__(self, number: int) -> bool:
        return self.after(number) > number

    def after(self, number: int) -> int:
        """Return the number after the run that contains ``number``, ``number`` itself if none does."""
        place = bisect_right(self._firsts, number) - 1
        return max(number, self._lasts[place] + 1) if place >= 0 else number

    def __bool__(self) -> bool:
        return bool(self._firsts)

    @property
    def first(self) -> int:
        """The smallest number; raises IndexError if the set is empty."""
        return self._firsts[0]

    @property
    def amid(self) -> int:
        """The middle number of the middle run; raises IndexError if the set is empty."""
        middle = len(self._firsts) // 2
        return (self._firsts[middle] + self._lasts[middle]) // 2

    @property
    def last(self) -> int:
        """The largest number; raises IndexError if the set is empty."""
        return self._lasts[-1]
