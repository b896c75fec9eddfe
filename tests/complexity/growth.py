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
# Rounds and seconds that each takes at least: only where the ratios of a single reading of each size
# look wrong. A clock of processor time may tick in hundredths of a second.
_ROUNDS = ((1, 0.04), (3, 0.04), (9, 0.04))


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
    found = Growth((_seconds(read, texts[2], 0.0),))
    if found.seconds[0] < FLOOR:
        return found
    found = Growth((*(_seconds(read, text, 0.0) for text in texts[:2]), found.seconds[0]))
    if found.factor <= LARGEST_FACTOR:
        return found
    for rounds, shortest in _ROUNDS:
        # Size by size in each round: what disturbs one disturbs all.
        times = [[_seconds(read, text, shortest) for text in texts] for _ in range(rounds)]
        found = Growth(tuple(min(of_size) for of_size in zip(*times, strict=True)))
        if found.factor <= LARGEST_FACTOR:
            break
    return found


def _seconds(read: Callable[[str], object], text: str, shortest: float) -> float:
    """Return the time of a reading, the mean of as many as take ``shortest`` seconds."""
    gc.disable()  # a collection in the middle may cost more than a short reading
    count, begin = 0, time.process_time()
    try:
        while not count or time.process_time() - begin < shortest:
            read(text)
            count += 1
        return (time.process_time() - begin) / count
    finally:
        gc.enable()
