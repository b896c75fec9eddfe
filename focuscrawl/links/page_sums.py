"""Decisions of a page classifier, without a name for each feature."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from itertools import repeat
from operator import mul
from typing import NamedTuple

from focuscrawl.links.linear import LinearModel
from focuscrawl.links.sampling import in_steps


class PageWords(NamedTuple):
    """A page: how often each word is in its text, the words of its title, its steps of density."""

    text: Counter[str]
    title: dict[str, None]
    densities: list[str]


class PageSums:
    """Equal to the sum over the features of a page but for the rounding of another order."""

    def __init__(self, model: LinearModel) -> None:
        weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for name, weight in model.weights.items():
            space, parted, word = name.partition(":")
            weights[space if parted else ""][word if parted else name] = weight
        self._text, self._title, self._densities = weights["text"], weights["title"], weights[""]

    def decision(self, page: PageWords) -> float:
        """Return the log-odds of a page by the root of its length."""
        values = [*map(worth, page.text.values())]
        length = sum(values) + len(page.title) + len(page.densities)
        total: float = sum(map(mul, values, map(self._text.get, page.text, repeat(0.0))))
        total += sum(map(self._title.get, page.title, repeat(0.0)))
        total += sum(map(self._densities.get, page.densities, repeat(0.0)))
        return total / root_of_length(length)


@cache
def worth(count: int) -> float:
    """Return what so many occurrences count, at most as many as a text has characters."""
    return in_steps(1 + math.log(count))


def root_of_length(length: float) -> float:
    """Return what a sum is divided by, given the sum of the values of the features."""
    # Words of one page come together; without this a long page would be certain of anything.
    return math.sqrt(1 + length)
