"""Calibration of log-odds to probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from focuscrawl.scoring.sample_weights import folds_by_host

if TYPE_CHECKING:
    import numpy as np

F = TypeVar("F")
_FOLDS = 5

# With fewer held-out links the curve would fit noise.
_FEWEST = 100


class Calibration(NamedTuple):
    """Platt's sigmoid over the score and its logarithm, both signed: monotone, without steps.

    p = 1 / (1 + exp(-(intercept + slope * s + log_slope * sign(s) * log(1 + |s|)))). Naive Bayes
    treats correlated words as independent evidence, so its log-odds grow too fast: the logarithm
    corrects this where a slope alone (Platt 1999) cannot. The default is the logistic function.
    """

    slope: float = 1.0
    log_slope: float = 0.0
    intercept: float = 0.0

    def of(self, scores: Iterable[float]) -> list[float]:
        """Return the probability of each score (log-odds)."""
        slope, log_slope, intercept = self
        exp, log1p = math.exp, math.log1p
        found = []
        for score in scores:
            bent = log1p(score) if score >= 0 else -log1p(-score)
            value = intercept + slope * score + log_slope * bent
            if value >= 0:
                found.append(1 / (1 + exp(-value)))
            else:
                power = exp(max(value, -700.0))
                found.append(power / (1 + power))
        return found

    def __call__(self, score: float) -> float:
        """Return the probability of one score (log-odds)."""
        return self.of([score])[0]


def fit_calibration(scores: Sequence[float], labels: Sequence[bool]) -> Calibration:
    """Fit the curve on scores of held-out links.

    Fewer than a hundred links, or all of one label, give the default.
    """
    # NumPy and scikit-learn take a second to import, and a crawl that only scores needs neither.
    import numpy as np

    truth = np.asarray(labels, bool)
    if len(truth) < _FEWEST or truth.all() or not truth.any():
        return Calibration()
    values = np.asarray(scores, float)
    bent = np.copysign(np.log1p(np.abs(values)), values)
    slope, log_slope, intercept = _fit(np.column_stack([values, bent]), truth)
    # A negative slope would break the order of the scores.
    if slope < 0 or log_slope < 0:
        only_bent = slope < 0
        column = bent if only_bent else values
        one, intercept = _fit(column[:, None], truth)
        slope, log_slope = (0.0, max(one, 0.0)) if only_bent else (max(one, 0.0), 0.0)
    return Calibration(slope, log_slope, intercept)


def cross_calibration(
    train: Callable[[Sequence[F], Sequence[bool], Sequence[float]], Callable[[F], float]],
    features: Sequence[F],
    labels: Sequence[bool],
    weights: Sequence[float],
    hosts: Sequence[str],
) -> Calibration:
    """Fit the curve on cross-validated scores: each is from a model that has not seen its host.

    ``train`` takes features, labels and weights and returns a model, a function from the features of
    one example to its score.
    """
    scores, truth = [], []
    for rows, held_out in folds_by_host(labels, hosts, _FOLDS):
        decide = train(
            [features[i] for i in rows], [labels[i] for i in rows], [weights[i] for i in rows]
        )
        scores += [decide(features[i]) for i in held_out]
        truth += [labels[i] for i in held_out]
    return fit_calibration(scores, truth)


def _fit(columns: np.ndarray, truth: np.ndarray) -> list[float]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e6, max_iter=1000).fit(columns, truth)
    return [*model.coef_[0].tolist(), float(model.intercept_[0])]
