"""Page classifier, which judges the relevance of a fetched page by its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Self

from focuscrawl.pages.link import Reason
from focuscrawl.scoring.linear_model import LinearModel
from focuscrawl.scoring.naive_bayes import MultinomialNaiveBayes
from focuscrawl.scoring.page_log_odds import (
    PageLogOdds,
    PageText,
    count_weight,
    density_marks,
    root_of_length,
    term_count,
    truncated,
)
from focuscrawl.scoring.probability_calibration import Calibration, cross_calibration
from focuscrawl.scoring.sample_weights import host_weights
from focuscrawl.text.tokeniser import make_tokeniser

MIN_COUNT = 5.0


class ScoredPage(NamedTuple):
    """A page's score (log-odds divided by the root of its length) and its calibrated probability.

    ``threshold`` is the probability from which a page is relevant.
    """

    score: float
    probability: float
    threshold: float = 0.5

    @property
    def relevant(self) -> bool:
        """True if the probability reaches the threshold."""
        return self.probability >= self.threshold


class PageFeatures:
    """Extracts features with values from (title, text): ``text:模型`` (1 + log of its count), ``title:模型``.

    ``lexicon`` are terms typical of the topic; their density in the text is a feature, too.
    """

    def __init__(self, lexicon: Iterable[str]) -> None:
        self.tokeniser = make_tokeniser(lexicon)
        self._lexicon = frozenset(self.tokeniser.words)

    def of(self, pages: Sequence[PageText]) -> list[dict[str, float]]:
        """Return the features of each page."""
        read = truncated(pages)
        tokens = iter(self.tokeniser.tokens_of([part for page in read for part in page]))
        return [
            self._marked(title, Counter(words), len(text))
            for (_, text), title, words in zip(read, tokens, tokens, strict=True)
        ]

    def _marked(
        self, title: Sequence[str], counts: Counter[str], characters: int
    ) -> dict[str, float]:
        terms = term_count(self._lexicon, counts)
        features = {f"text:{word}": count_weight(count) for word, count in counts.items()}
        marks = [*(f"title:{word}" for word in title), *density_marks(terms, characters)]
        return features | dict.fromkeys(marks, 1.0)


class PageClassifier:
    """Multinomial Naive Bayes on the title and the beginning of the text."""

    def __init__(
        self,
        features: PageFeatures,
        *,
        naive_bayes: MultinomialNaiveBayes | None = None,
        calibration: Calibration | None = None,
        min_count: float = MIN_COUNT,
        name: str = "",
    ) -> None:
        self.features = features
        self.min_count = min_count
        self.name = name
        self.naive_bayes = naive_bayes or MultinomialNaiveBayes()
        self.calibration = calibration or Calibration()
        self._weigh()

    def fit(
        self, pages: Sequence[PageText], labels: Sequence[bool], hosts: Sequence[str] | None = None
    ) -> Self:
        """Train from scratch; ``hosts`` as for :meth:`LinkClassifier.fit`."""
        return self.fit_features(self.features.of(pages), labels, hosts)

    def fit_features(
        self,
        features: Sequence[dict[str, float]],
        labels: Sequence[bool],
        hosts: Sequence[str] | None = None,
    ) -> Self:
        """Train from scratch on what :attr:`features` extracted from pages, see :meth:`fit`."""
        weights = host_weights(hosts) if hosts else [1.0] * len(features)
        if hosts:
            self.calibration = cross_calibration(self._judge, features, labels, weights, hosts)
        self.naive_bayes = self._trained(features, labels, weights)
        self._weigh()
        return self

    def partial_fit(self, pages: Sequence[PageText], labels: Sequence[bool]) -> Self:
        """Train with further pages; the calibration stays."""
        self.naive_bayes.partial_fit(self.features.of(pages), labels)
        self._weigh()
        return self

    def score(self, pages: Sequence[PageText]) -> list[ScoredPage]:
        """Judge pages, each (title, text); a probability of 0.5 or more is relevant."""
        scores = self._log_odds.decisions(pages)
        return [ScoredPage(score, self.calibration(score)) for score in scores]

    def explain(self, title: str, text: str) -> list[Reason]:
        """Return the known features with their weights, heaviest first; they add up to the score."""
        features = self.features.of([(title, text)])[0]
        root = root_of_length(sum(features.values()))
        found = [
            Reason(name, value * self.model.weights[name] / root)
            for name, value in features.items()
            if name in self.model.weights
        ]
        return sorted(found, key=lambda reason: -abs(reason.weight))

    def _weigh(self) -> None:
        self.model = self.naive_bayes.linear(self.min_count)
        self._log_odds = PageLogOdds(self.features.tokeniser, self.model)

    def _trained(
        self,
        features: Sequence[dict[str, float]],
        labels: Sequence[bool],
        weights: Sequence[float],
    ) -> MultinomialNaiveBayes:
        counted = MultinomialNaiveBayes(self.naive_bayes.smoothing)
        counted.partial_fit(features, labels, weights)
        return counted

    def _judge(
        self,
        features: Sequence[dict[str, float]],
        labels: Sequence[bool],
        weights: Sequence[float],
    ) -> Callable[[dict[str, float]], float]:
        return partial(_decision, self._trained(features, labels, weights).linear(self.min_count))


def _decision(model: LinearModel, features: dict[str, float]) -> float:
    known = model.weights
    total = sum([value * known[name] for name, value in features.items() if name in known])
    return total / root_of_length(sum(features.values()))
