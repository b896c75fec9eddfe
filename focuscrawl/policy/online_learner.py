"""Online learning of a link classifier while a crawl uses it.

Chakrabarti, Punera & Subramanyam 2002: a link is labelled by the relevance of the page behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from focuscrawl.pages.link import Link
from focuscrawl.scoring.score_cache import CachedScorer

FIRST_BATCH = 128


@runtime_checkable
class IncrementalScorer(Protocol):
    """A scorer that can be trained with further links if ``can_learn`` is True."""

    @property
    def can_learn(self) -> bool:
        """True if the algorithm supports incremental training."""

    def partial_fit(self, links: Sequence[Link], labels: Sequence[bool]) -> object:
        """Train with further links."""


class OnlineLearner:
    """Trains a scorer with judged links, in batches.

    The first batch has 128 links; after that the scorer is trained whenever their number has doubled,
    since each training computes all weights and makes all waiting links due for rescoring. A scorer
    without incremental training (a lexicon, a classifier other than Naive Bayes) stays unchanged.
    """

    def __init__(self, scorer: CachedScorer) -> None:
        self._scorer = scorer
        learns = scorer.scorer
        self._learns = (
            learns if isinstance(learns, IncrementalScorer) and learns.can_learn else None
        )
        self._links: list[Link] = []
        self._labels: list[bool] = []
        self._seen = 0

    def add(self, link: Link, is_relevant: bool) -> bool:
        """Add a link and the relevance of its target; return whether the scorer was trained."""
        if self._learns is None:
            return False
        self._links.append(link)
        self._labels.append(is_relevant)
        self._seen += 1
        has_doubled = self._seen.bit_count() == 1
        if self._seen < FIRST_BATCH or not has_doubled:
            return False
        self._learns.partial_fit(self._links, self._labels)
        self._links, self._labels = [], []
        self._scorer.forget()
        return True
