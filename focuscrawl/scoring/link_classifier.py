"""The link classifier: trained on labelled links, it scores and explains links before they are fetched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Literal, Self

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.scoring.linear_model import LinearModel, fit_linear
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.link_sums import LinkSums
from focuscrawl.scoring.naive_bayes import NaiveBayes
from focuscrawl.scoring.probability_calibration import Calibration, cross_calibration
from focuscrawl.scoring.sample_weights import host_weights

Algorithm = Literal["nb", "logistic", "svm"]

MIN_COUNT = 3

# A hundred times a page: the constructor with names takes twice as long.
_new = tuple.__new__


class LinkClassifier:
    """Scores links by a linear log-odds, by default of a Bernoulli Naive Bayes.

    ``features`` says what is looked at; it holds the tokeniser, so a model cannot be used with
    another. A feature that fewer than ``min_count`` training links have is passed over.
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
        """Train from nothing.

        ``hosts``: where each link leads; with them no host drowns the others, and probabilities are
        calibrated on hosts held out one fold after another. Without, each link counts as one.
        """
        weights = host_weights(hosts) if hosts else [1.0] * len(links)
        features = self.features.of(links)
        if hosts:
            self.calibration = cross_calibration(self._decide, features, labels, weights, hosts)
        self.naive_bayes, model = self._trained(features, labels, weights)
        self._use(model)
        return self

    @property
    def can_learn(self) -> bool:
        """Whether :meth:`partial_fit` can be used."""
        return self.algorithm == "nb"

    def partial_fit(
        self, links: Sequence[Link], labels: Sequence[bool], weights: Sequence[float] | None = None
    ) -> Self:
        """Add links to what was learned; the calibration stays. Naive Bayes only (ValueError)."""
        if not self.can_learn:
            raise ValueError(f"{self.algorithm} cannot learn in parts; nb can")
        self.naive_bayes.partial_fit(self.features.of(links), labels, weights)
        # Old and new weights need not be held together.
        del self._sums, self.model
        self._use(self.naive_bayes.linear(self.min_count))
        return self

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order with log-odds and calibrated probability."""
        scores = self.decision(links)
        rows = zip(links, scores, self.calibration.of(scores), strict=True)
        return list(map(_new, repeat(ScoredLink), rows))

    def decision(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        return self._sums.decisions(links)

    def explain(self, link: Link) -> list[Reason]:
        """Return the features that count, heaviest first; with the bias they add up to the score."""
        return self.model.reasons(self.features.of([link])[0])

    def _use(self, model: LinearModel) -> None:
        self.model = model
        self._sums = LinkSums(self.features, model)

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
