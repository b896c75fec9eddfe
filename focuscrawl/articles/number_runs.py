"""Sets of whole numbers that lie in runs, in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable


class Runs:
    """A set of whole numbers, kept as the first and last of each run: 16 bytes a run.

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
        """Return the number after the run that holds ``number``, ``number`` itself if none does."""
        place = bisect_right(self._firsts, number) - 1
        return max(number, self._lasts[place] + 1) if place >= 0 else number

    def __bool__(self) -> bool:
        return bool(self._firsts)

    @property
    def first(self) -> int:
        """The smallest number; raises IndexError if there is none."""
        return self._firsts[0]

    @property
    def amid(self) -> int:
        """A number in the middle of the run in the middle; raises IndexError if there is none."""
        middle = len(self._firsts) // 2
        return (self._firsts[middle] + self._lasts[middle]) // 2

    @property
    def last(self) -> int:
        """The largest number; raises IndexError if there is none."""
        return self._lasts[-1]
