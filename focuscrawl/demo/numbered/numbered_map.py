"""Numbers of the numbered site that have an article, and its responses to the others."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Literal

from focuscrawl.demo.repeatable_chance import draw, pick

LONGEST_GAP = 60
Way = Literal["404", "410", "soft 404", "home"]
Fault = Literal["", "503", "hang", "cut", "empty"]

_WAYS: tuple[Way, ...] = ("404", "410", "soft 404", "home")
# A fifth of the numbers has no article: gaps are 1 to 60 long, runs of articles four times as long.
_LONGEST_RUN = 4 * LONGEST_GAP + 3
_SHARES: tuple[tuple[Fault, float], ...] = (("503", 0.02), ("hang", 0.01), ("cut", 0.005), ("empty", 0.005))  # fmt: skip


class NumberMap:
    """Numbers from 1 up in runs with and without articles; a longer map begins like a shorter one.

    >>> NumberMap(1).existing(9) == NumberMap(1).existing(5000)[: len(NumberMap(1).existing(9))]
    True
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._runs = self._drawn_runs()
        self._exists = bytearray(1)

    def exists(self, number: int) -> bool:
        """Return whether there is, or will be, an article with that number."""
        self._grow(number)
        return bool(self._exists[number])

    def existing(self, count: int) -> list[int]:
        """Return the numbers up to ``count`` that have an article."""
        self._grow(count)
        return [number for number in range(1, count + 1) if self._exists[number]]

    def way(self, number: int) -> Way:
        """Return the kind of response for a missing article, the same within a gap."""
        while not self.exists(number - 1) and number > 1:
            number -= 1
        return pick(_WAYS, self._seed, number, "way")

    def fault(self, number: int) -> Fault:
        """Return the fault of the first request for a number."""
        drawn = draw(self._seed, number, "fault")
        for fault, share in _SHARES:
            if drawn < share:
                return fault
            drawn -= share
        return ""

    def _grow(self, number: int) -> None:
        while len(self._exists) <= number:
            self._exists += next(self._runs)

    def _drawn_runs(self) -> Iterator[bytes]:
        random = Random(f"numbers {self._seed}")
        while True:
            yield b"\1" * random.randint(1, _LONGEST_RUN)
            yield b"\0" * random.randint(1, LONGEST_GAP)
