"""Learner of link weights whose examples are those of all workers of a crawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from focuscrawl.pages.link import Link
from focuscrawl.policy.learned_counts import Pairs, add_pairs
from focuscrawl.policy.online_learner import FIRST_BATCH
from focuscrawl.scoring.score_cache import CachedScorer


@runtime_checkable
class CountingScorer(Protocol):
    """A scorer whose training is a sum of counts by feature if ``can_learn`` is True."""

    @property
    def can_learn(self) -> bool:
        """True if the algorithm learns from counts."""

    def pairs_of(self, links: Sequence[Link], labels: Sequence[bool]) -> Pairs:
        """Return negative and positive counts by feature, and those of the links under ``""``."""

    def use_pairs(self, pairs: Mapping[str, Sequence[float]]) -> None:
        """Score as if trained with further links that have these counts, instead of earlier ones."""


class SharedLearner:
    """Trains a scorer with the judged links of all workers, in batches.

    The batches are those of :class:`~focuscrawl.policy.online_learner.OnlineLearner`, by the number of
    links of all workers. The counts are integers, so the weights do not depend on their order.
    """

    def __init__(self, scorer: CachedScorer) -> None:
        self._scorer = scorer
        learns = scorer.scorer
        self._learns = learns if isinstance(learns, CountingScorer) and learns.can_learn else None
        self._links: list[Link] = []
        self._labels: list[bool] = []
        self._news: Pairs = {}
        self._counts: Pairs = {}
        self._due = FIRST_BATCH

    def add(self, link: Link, is_relevant: bool) -> bool:
        """Add a link and the relevance of its target; return whether the scorer was trained."""
        if self._learns is None:
            return False
        self._links.append(link)
        self._labels.append(is_relevant)
        return self._train_if_due()

    def take_news(self) -> Pairs:
        """Return the counts of the links that were added since the last call."""
        self._count()
        news, self._news = self._news, {}
        return news

    def add_pairs(self, pairs: Pairs) -> bool:
        """Add what :meth:`take_news` returned elsewhere; return whether the scorer was trained."""
        if self._learns is None:
            return False
        add_pairs(self._counts, pairs)
        return self._train_if_due()

    def restart(self) -> None:
        """Forget all links but the news, which are not known to others yet."""
        self._count()
        self._counts = {name: [*pair] for name, pair in self._news.items()}
        self._due = FIRST_BATCH

    def train(self) -> None:
        """Train the scorer with all links."""
        if self._learns:
            self._count()
            self._learns.use_pairs(self._counts)
            self._scorer.forget()

    def _train_if_due(self) -> bool:
        seen = sum(self._counts.get("", ())) + len(self._links)
        if seen < self._due:
            return False
        while self._due <= seen:
            self._due *= 2
        self.train()
        return True

    def _count(self) -> None:
        if self._learns and self._links:
            pairs = self._learns.pairs_of(self._links, self._labels)
            self._links, self._labels = [], []
            add_pairs(self._news, pairs)
            add_pairs(self._counts, pairs)
