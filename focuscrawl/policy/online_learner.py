"""A link classifier that goes on learning while a crawl uses it.

Chakrabarti, Punera & Subramanyam 2002: a link is as good as the page that was found behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from focuscrawl.pages.link import Link
from focuscrawl.scoring.score_cache import CachedScorer

_FIRST = 128


@runtime_checkable
class Learns(Protocol):
    """A scorer that can be told of more links, if ``can_learn`` says so."""

    @property
    def can_learn(self) -> bool:
        """Whether it can: not every algorithm learns in parts."""

    def partial_fit(self, links: Sequence[Link], labels: Sequence[bool]) -> object:
        """Add links to what was learned."""


class Learner:
    """Feeds judged links to a scorer, a batch at a time.

    The first batch has 128 links; from then on it learns whenever they have doubled, for each time
    all weights are computed and all waiting links should be scored anew. A scorer that cannot learn (a
    lexicon, or a classifier other than Naive Bayes) stays as it is.
    """

    def __init__(self, scorer: CachedScorer) -> None:
        self._scorer = scorer
        learns = scorer.scorer
        self._learns = learns if isinstance(learns, Learns) and learns.can_learn else None
        self._links: list[Link] = []
        self._labels: list[bool] = []
        self._seen = 0

    def add(self, link: Link, is_relevant: bool) -> bool:
        """Note what was found behind a link; return whether the scorer has learned."""
        if self._learns is None:
            return False
        self._links.append(link)
        self._labels.append(is_relevant)
        self._seen += 1
        has_doubled = self._seen.bit_count() == 1
        if self._seen < _FIRST or not has_doubled:
            return False
        self._learns.partial_fit(self._links, self._labels)
        self._links, self._labels = [], []
        self._scorer.forget()
        return True
