"""Histogram of the scores of waiting URLs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BINS = 24


class Bin(NamedTuple):
    """Number of URLs with scores from ``low`` (included) to ``high``."""

    low: float
    high: float
    urls: int


def histogram(scores: Sequence[tuple[float, int]], bins: int = BINS) -> list[Bin]:
    """Return bins of equal width over sorted scores with their numbers; empty ones are included."""
    if not scores:
        return []
    low, high = scores[0][0], scores[-1][0]
    if low == high:
        return [Bin(low, high, sum(count for _, count in scores))]
    width = (high - low) / bins
    counts = [0] * bins
    for score, count in scores:
        counts[min(int((score - low) / width), bins - 1)] += count
    return [Bin(low + n * width, low + (n + 1) * width, count) for n, count in enumerate(counts)]
