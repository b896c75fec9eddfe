"""UpdateScore: the score of a waiting URL from those of all links to it, by three rules.

In Han Guohui et al. (2010), a URL in the queue rises when a better link to it is found.
"""

from __future__ import annotations

import json
import math
import sys
from enum import StrEnum
from typing import NamedTuple

KEPT_SOURCES = 4
"""Number of the best links to a URL that are stored, to explain its rank."""

SourceLink = tuple[int | None, float]
"""Arrival number of the page with a link (None for a seed), and the link's score."""


def read_sources(text: str) -> list[SourceLink]:
    """Return the links of a JSON text; none if it is damaged, since they serve explanations only."""
    try:
        sources = json.loads(text)
    except ValueError:
        return []
    return sources if isinstance(sources, list) else []


class Standing(NamedTuple):
    """A waiting URL's score, that of its best single link, and the number of its links."""

    score: float
    best: float
    links: int

    @classmethod
    def first(cls, score: float) -> Standing:
        """Return the standing of a URL with one link."""
        return cls(score, score, 1)


class UpdateRule(StrEnum):
    """Effect of a further link on a waiting URL.

    ``max``: the best link counts, a worse one changes nothing. ``noisy-or``: scores are log-odds, and
    the URL's probability is that of at least one relevant link: 1 - Π(1 - p). ``mean``: all links
    have the same weight, so that a worse link lowers the score.
    """

    MAX = "max"
    NOISY_OR = "noisy-or"
    MEAN = "mean"

    def add(self, standing: Standing, score: float) -> Standing:
        """Return the standing after one more link."""
        links = standing.links + 1
        if self is UpdateRule.MEAN:
            combined = standing.score * (standing.links / links) + score / links
        elif self is UpdateRule.NOISY_OR:
            combined = noisy_or(standing.score, score)
        else:
            combined = max(standing.score, score)
        return Standing(combined, max(standing.best, score), links)


def noisy_or(one: float, other: float) -> float:
    """Return the log-odds of 1 - (1 - p)(1 - q), where the arguments are those of p and q.

    With odds a and b the result is a + b + ab, so no running sum is needed beside the score.
    """
    product = min(one + other, sys.float_info.max)
    top = max(one, other, product)
    return top + math.log(sum(math.exp(term - top) for term in (one, other, product)))


def best_sources(sources: list[SourceLink], link: SourceLink) -> list[SourceLink]:
    """Return the best few of the sources and one more link, best first, on ties the earlier first."""
    rounded = (link[0], round(link[1], 4))
    return sorted([*sources, rounded], key=lambda source: -source[1])[:KEPT_SOURCES]
