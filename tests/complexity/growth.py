"""The growth of a reader's processor time from n to 2n to 4n characters of the same text repeated."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

LARGEST_FACTOR = 2.5
"""Time may grow by this factor when the text doubles; linear time grows by 2, quadratic by 4."""
SMALLEST_FACTOR = 1.5
"""Where time grows by less, a cap ends the reading, or fixed costs hide its growth."""
FLOOR = 0.02
"""Seconds at 4n. A faster reading proves nothing: fixed costs and the clock decide its ratios."""
# From n to 4n. Of two factors of such a product, one above the largest has one below 1.8 beside it.
_INCONSPICUOUS = 1.8 * LARGEST_FACTOR
# Rounds and seconds that each takes at least: only where the ratios of a single reading of each size
# look wrong. A clock of processor time may tick in hundredths of a second.
_ROUNDS = ((1, 0.04), (3, 0.04), (9, 0.04))


class Growth(NamedTuple):
    """Seconds at n, 2n and 4n; without that at 2n where the growth to 4n is inconspicuous.

    Only the last where it is below the floor.
    """

    seconds: tuple[float, ...]

    @property
    def factor(self) -> float:
        """The larger of the two growth factors of a doubling, 0 where they were not measured."""
        return max(self._factors, default=0.0)

    @property
    def is_linear(self) -> bool:
        """True if both doublings show that the whole text is read, in linear time."""
        factors = self._factors
        return bool(factors) and all(SMALLEST_FACTOR <= f <= LARGEST_FACTOR for f in factors)

    @property
    def _factors(self) -> list[float]:
        if len(self.seconds) < 3:
            return []
        return [more / less for less, more in pairwise(self.seconds)]

    def __str__(self) -> str:
        return " ".join(f"{seconds:.4f}" for seconds in self.seconds)


def growth(read: Callable[[str], object], sample: Callable[[int], str], size: int) -> Growth:
    """Measure ``read`` on ``sample(size / 4)``, ``sample(size)`` and, if need be, ``sample(size / 2)``.

    The least of several runs counts, since whatever else the machine does only adds to the time.
    Measured again with more runs while the factor is too large, so that no single disturbance decides.
    ``read`` should have read something before: what compiles patterns and loads lists is slow once.
    """
    whole = _seconds(read, sample(size), 0.0)
    if whole < FLOOR:
        return Growth((whole,))
    quarter = _seconds(read, sample(size // 4), 0.0)
    if whole / quarter <= _INCONSPICUOUS:
        return Growth((quarter, whole))
    found = Growth((quarter, _seconds(read, sample(size // 2), 0.0), whole))
    return found if found.factor <= LARGEST_FACTOR else full_growth(read, sample, size)


def full_growth(read: Callable[[str], object], sample: Callable[[int], str], size: int) -> Growth:
    """Measure ``read`` on all three texts, in more rounds while the factor is too large.

    What the calling process has read above the floor may be faster here, and then proves nothing either.
    """
    texts = [sample(size // 4), sample(size // 2), sample(size)]
    for rounds, shortest in _ROUNDS:
        # Size by size in each round: what disturbs one disturbs all.
        times = [[_seconds(read, text, shortest) for text in texts] for _ in range(rounds)]
        found = Growth(tuple(min(of_size) for of_size in zip(*times, strict=True)))
        if found.factor <= LARGEST_FACTOR:
            break
    return found if found.seconds[-1] >= FLOOR else Growth(found.seconds[-1:])


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
