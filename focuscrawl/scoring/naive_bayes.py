"""Naive Bayes stored as counts: Bernoulli for links, multinomial for pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from focuscrawl.scoring.linear_model import Features, LinearModel

_Example = TypeVar("_Example")
_NOTHING = (0.0, 0.0)


def _checked(
    examples: Iterable[_Example], labels: Iterable[bool], weights: Iterable[float] | None
) -> list[tuple[_Example, int, float]]:
    rows, sides = list(examples), list(labels)
    counts = [1.0] * len(rows) if weights is None else list(weights)
    if any(label not in (0, 1) for label in sides):
        raise ValueError("labels must be True or False")
    if not all(0 < count < math.inf for count in counts):
        raise ValueError("weights must be numbers above 0")
    return [(row, int(side), count) for row, side, count in zip(rows, sides, counts, strict=True)]


@dataclass
class FeatureCounts:
    """Negative and positive counts, in total and by feature; ``smoothing`` is added to each."""

    smoothing: float = 0.3
    totals: list[float] = field(default_factory=lambda: [0.0, 0.0])
    counts: dict[str, list[float]] = field(default_factory=dict)


@dataclass
class NaiveBayes(FeatureCounts):
    """Bernoulli Naive Bayes over features that are present or absent. Totals count examples.

    The score is log P(+|F) - log P(-|F) with P(c|F) proportional to
    P(c) * prod P(f|c) over features present * prod (1 - P(f|c)) over features absent,
    P(f|c) = (count(f, c) + smoothing) / (count(c) + 2 * smoothing)
    (Han Guohui et al. 2010, formula (2), smoothed). Counts are kept instead of probabilities, so
    that incremental training equals training at once; new features may appear at any time.

    >>> model = NaiveBayes()
    >>> model.partial_fit([{"anchor:玉米"}, {"anchor:足球"}], [True, False])
    >>> model.linear().decision({"anchor:玉米"}) > 0
    True
    """

    def partial_fit(
        self,
        examples: Iterable[Features],
        labels: Iterable[bool],
        weights: Iterable[float] | None = None,
    ) -> None:
        """Add examples, each counted with its weight (default: 1).

        Raises ``ValueError``, and adds nothing, for lists of different lengths and for invalid
        labels or weights.
        """
        counts = self.counts
        for features, side, weight in _checked(examples, labels, weights):
            self.totals[side] += weight
            for name in features:
                # Inline: a call for each of millions of features doubles the time of a training.
                pair = counts.get(name)
                if pair is None:
                    pair = counts[name] = [0.0, 0.0]
                pair[side] += weight

    def plus(self, pairs: Mapping[str, Sequence[float]]) -> NaiveBayes:
        """Return a model that has also learned examples with these counts; this one does not change.

        ``pairs`` are negative and positive counts by feature, and those of examples under ``""``.
        """
        counts = dict(self.counts)
        for name, (negative, positive) in pairs.items():
            known = counts.get(name, _NOTHING)
            counts[name] = [known[0] + negative, known[1] + positive]
        negative, positive = counts.pop("", _NOTHING)
        totals = [self.totals[0] + negative, self.totals[1] + positive]
        return NaiveBayes(self.smoothing, totals, counts)

    def linear(self, min_count: float = 0.0) -> LinearModel:
        """Return the log-odds as a linear model, without features counted less than ``min_count``.

        >>> NaiveBayes().linear().bias
        0.0
        """
        negative, positive = (total + 2 * self.smoothing for total in self.totals)
        parts = [
            math.log(self.totals[1] + self.smoothing),
            -math.log(self.totals[0] + self.smoothing),
        ]
        weights = {}
        for name, (in_negative, in_positive) in self.counts.items():
            if in_negative + in_positive < min_count:
                continue
            p, q = in_positive + self.smoothing, in_negative + self.smoothing
            absent = math.log(positive - p) - math.log(positive) - math.log(negative - q)
            absent += math.log(negative)
            parts.append(absent)
            weights[name] = (
                math.log(p) - math.log(positive) - math.log(q) + math.log(negative) - absent
            )
        # fsum is exact, hence independent of the order of the features.
        return LinearModel(math.fsum(parts), weights)


@dataclass
class MultinomialNaiveBayes(FeatureCounts):
    """Multinomial Naive Bayes over features with a value. Totals count values, not examples.

    The weight of a feature is log P(f|+) - log P(f|-) with
    P(f|c) = (count(f, c) + smoothing) / (total(c) + smoothing * features). There is no prior: it
    would be negligible beside the hundreds of words of a page.
    """

    def partial_fit(
        self,
        examples: Iterable[Mapping[str, float]],
        labels: Iterable[bool],
        weights: Iterable[float] | None = None,
    ) -> None:
        """Add examples; arguments and errors as for :meth:`NaiveBayes.partial_fit`."""
        counts, totals = self.counts, self.totals
        for features, side, weight in _checked(examples, labels, weights):
            for name, value in features.items():
                pair = counts.get(name)
                if pair is None:
                    pair = counts[name] = [0.0, 0.0]
                added = weight * value
                pair[side] += added
                totals[side] += added

    def linear(self, min_count: float = 0.0) -> LinearModel:
        """Return the linear model, without features counted less than ``min_count``."""
        kept = {name: pair for name, pair in self.counts.items() if sum(pair) >= min_count}
        negative, positive = (total + self.smoothing * max(len(kept), 1) for total in self.totals)
        scale = math.log(negative) - math.log(positive)
        return LinearModel(
            0.0,
            {
                name: math.log(pair[1] + self.smoothing)
                - math.log(pair[0] + self.smoothing)
                + scale
                for name, pair in kept.items()
            },
        )
