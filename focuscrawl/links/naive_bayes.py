"""Bernoulli Naive Bayes over features that are present or absent, kept as counts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat

from focuscrawl.links.linear import Features, LinearModel


@dataclass
class NaiveBayes:
    """Counts of negative and positive examples, in all and by feature.

    The score is log P(+|F) - log P(-|F) with P(c|F) proportional to
    P(c) * prod P(f|c) over features present * prod (1 - P(f|c)) over features absent,
    P(f|c) = (count(f, c) + smoothing) / (count(c) + 2 * smoothing)
    (Han Guohui et al. 2010, formula (2), smoothed). Counts are kept, not probabilities, so training
    in parts equals training at once; new features may come at any time.

    >>> model = NaiveBayes()
    >>> model.partial_fit([{"anchor:玉米"}, {"anchor:足球"}], [True, False])
    >>> model.linear().decision({"anchor:玉米"}) > 0
    True
    """

    smoothing: float = 1.0
    totals: list[float] = field(default_factory=lambda: [0.0, 0.0])
    counts: dict[str, list[float]] = field(default_factory=dict)

    def partial_fit(
        self,
        examples: Iterable[Features],
        labels: Iterable[bool],
        weights: Iterable[float] | None = None,
    ) -> None:
        """Add examples; ``weights`` says how many each counts as (default: 1)."""
        counts, totals = self.counts, self.totals
        for features, label, weight in zip(examples, labels, weights or repeat(1.0), strict=False):
            side = int(label)
            totals[side] += weight
            for name in features:
                pair = counts.get(name)
                if pair is None:
                    pair = counts[name] = [0.0, 0.0]
                pair[side] += weight

    def linear(self, min_count: float = 0.0) -> LinearModel:
        """Return the log-odds as a sum; features counted less than ``min_count`` are left out.

        >>> NaiveBayes().linear().bias
        0.0
        """
        negative, positive = (total + 2 * self.smoothing for total in self.totals)
        bias = math.log(self.totals[1] + self.smoothing) - math.log(self.totals[0] + self.smoothing)
        weights = {}
        for name, (in_negative, in_positive) in self.counts.items():
            if in_negative + in_positive < min_count:
                continue
            p, q = in_positive + self.smoothing, in_negative + self.smoothing
            absent = math.log(positive - p) - math.log(positive) - math.log(negative - q)
            absent += math.log(negative)
            bias += absent
            weights[name] = (
                math.log(p) - math.log(positive) - math.log(q) + math.log(negative) - absent
            )
        return LinearModel(bias, weights)
