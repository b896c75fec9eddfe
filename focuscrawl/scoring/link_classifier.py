"""Link classifier, which scores links before they are fetched and explains the scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Literal, Self

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.scoring.linear_model import LinearModel, fit_linear
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.link_log_odds import LinkLogOdds
from focuscrawl.scoring.naive_bayes import NaiveBayes
from focuscrawl.scoring.probability_calibration import Calibration, cross_calibration
from focuscrawl.scoring.sample_weights import host_weights

Algorithm = Literal["nb", "logistic", "svm"]

MIN_COUNT = 3

# Called a hundred times per page, and twice as fast as the constructor with keyword arguments.
_new = tuple.__new__


class LinkClassifier:
    """Scores links by linear log-odds, by default those of a Bernoulli Naive Bayes.

    ``features`` extracts the features; it holds the tokeniser, since a model cannot be used with
    another. Features that fewer than ``min_count`` training links have are ignored.
    """

    def __init__(
        self,
        features: LinkFeatures,
        *,
        algorithm: Algorithm = "nb",
        naive_bayes: NaiveBayes | None = None,
        model: LinearModel | None = None,
        calibration: Calibration | None = None,
        min_count: float = MIN_COUNT,
        name: str = "",
    ) -> None:
        self.features = features
        self.algorithm = algorithm
        self.min_count = min_count
        self.name = name
        self.naive_bayes = naive_bayes or NaiveBayes()
        self.calibration = calibration or Calibration()
        self._use(model or self.naive_bayes.linear(min_count))

    def fit(
        self, links: Sequence[Link], labels: Sequence[bool], hosts: Sequence[str] | None = None
    ) -> Self:
        """Train from scratch.

        ``hosts`` are the hosts of the links' targets; with them no host dominates the others, and
        probabilities are calibrated by cross-validation over hosts. Without, all links have weight 1.
        """
        return self.fit_features(self.features.of(links), labels, hosts)

    def fit_features(
        self,
        features: Sequence[Sequence[str]],
        labels: Sequence[bool],
        hosts: Sequence[str] | None = None,
    ) -> Self:
        """Train from scratch on what :attr:`features` extracted from links, see :meth:`fit`."""
        weights = host_weights(hosts) if hosts else [1.0] * len(features)
        if hosts:
            self.calibration = cross_calibration(self._decide, features, labels, weights, hosts)
        self.naive_bayes, model = self._trained(features, labels, weights)
        self._use(model)
        return self

    @property
    def can_learn(self) -> bool:
        """True if the algorithm supports :meth:`partial_fit`."""
        return self.algorithm == "nb"

    def partial_fit(
        self, links: Sequence[Link], labels: Sequence[bool], weights: Sequence[float] | None = None
    ) -> Self:
        """Train with further links; the calibration stays. Raises ValueError unless Naive Bayes."""
        if not self.can_learn:
            raise ValueError(f"{self.algorithm} cannot be trained incrementally; nb can")
        self.naive_bayes.partial_fit(self.features.of(links), labels, weights)
        # Frees the old weights before the new ones are computed.
        del self._log_odds, self.model
        self._use(self.naive_bayes.linear(self.min_count))
        return self

    def pairs_of(self, links: Sequence[Link], labels: Sequence[bool]) -> dict[str, list[int]]:
        """Return negative and positive counts by feature, and those of the links under ``""``."""
        pairs = {"": [0, 0]}
        for features, label in zip(self.features.of(links), labels, strict=True):
            for name in ("", *features):
                pairs.setdefault(name, [0, 0])[label] += 1
        return pairs

    def use_pairs(self, pairs: Mapping[str, Sequence[float]]) -> None:
        """Score as if trained with further links that have these counts, instead of earlier ones.

        :attr:`naive_bayes` does not change, so that rounding does not depend on the order of training.
        """
        del self._log_odds, self.model
        self._use(self.naive_bayes.plus(pairs).linear(self.min_count))

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order with log-odds and calibrated probability."""
        scores = self.decision(links)
        rows = zip(links, scores, self.calibration.of(scores), strict=True)
        return list(map(_new, repeat(ScoredLink), rows))

    def decision(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        return self._log_odds.decisions(links)

    def explain(self, link: Link) -> list[Reason]:
        """Return the features that count, heaviest first; with the bias they add up to the score."""
        return self.model.reasons(self.features.of([link])[0])

    def _use(self, model: LinearModel) -> None:
        self.model = model
        self._log_odds = LinkLogOdds(self.features, model)

    def _trained(
        self, features: Sequence[Sequence[str]], labels: Sequence[bool], weights: Sequence[float]
    ) -> tuple[NaiveBayes, LinearModel]:
        naive_bayes = NaiveBayes(self.naive_bayes.smoothing)
        if self.algorithm == "nb":
            naive_bayes.partial_fit(features, labels, weights)
            return naive_bayes, naive_bayes.linear(self.min_count)
        least = max(int(self.min_count), 1)
        return naive_bayes, fit_linear(self.algorithm, features, labels, weights, least)

    def _decide(
        self, features: Sequence[Sequence[str]], labels: Sequence[bool], weights: Sequence[float]
    ) -> Callable[[Sequence[str]], float]:
        return self._trained(features, labels, weights)[1].decision
