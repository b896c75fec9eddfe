"""The growth of a reader's processor time from n to 2n to 4n characters of the same text repeated."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import NamedTuple

LARGEST_FACTOR = 2.5
"""Time may grow by this factor when the text doubles; linear time grows by 2, quadratic by 4."""
FLOOR = 0.02
"""Seconds at 4n. A faster reading proves nothing: fixed costs and the clock decide its ratios."""
_RUNS = (1, 3, 9)  # more of them only where the ratios of the fewer look wrong


class Growth(NamedTuple):
    """Seconds at n, 2n and 4n; only the last where it is below the floor."""

    seconds: tuple[float, ...]

    @property
    def factor(self) -> float:
        """The larger of the two growth factors of a doubling, 0 below the floor."""
        if self.seconds[-1] < FLOOR:
            return 0.0
        once, twice, four_times = self.seconds
        return max(twice / once, four_times / twice)

    def __str__(self) -> str:
        return " ".join(f"{seconds:.4f}" for seconds in self.seconds)


def growth(read: Callable[[str], object], sample: Callable[[int], str], size: int) -> Growth:
    """Measure ``read`` on ``sample(size / 4)``, ``sample(size / 2)`` and ``sample(size)``.

    The least of several runs counts, since whatever else the machine does only adds to the time.
    Measured again with more runs while the factor is too large, so that no single disturbance decides.
    """
    texts = [sample(size // 4), sample(size // 2), sample(size)]
    read(texts[0])  # compiles patterns and loads word lists
    first = _least_seconds(read, texts[2], 1)
    if first < FLOOR:
        return Growth((first,))
    found = Growth((first,))
    for runs in _RUNS:
        found = Growth(tuple(_least_seconds(read, text, runs) for text in texts))
        if found.factor <= LARGEST_FACTOR:
            break
    return found


def _least_seconds(read: Callable[[str], object], text: str, runs: int) -> float:
    least = float("inf")
    for _ in range(runs):
        gc.disable()  # a collection in the middle may cost more than a short reading
        begin = time.process_time()
        try:
            read(text)
        finally:
            gc.enable()
        least = min(least, time.process_time() - begin)
    return least
