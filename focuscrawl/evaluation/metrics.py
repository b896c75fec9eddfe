"""How well scores tell relevant links from others: precision, recall, F1, average precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    precision_recall_fscore_support,
    roc_auc_score,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Quality(NamedTuple):
    """Figures of one classifier on held-out links, all within 0 and 1."""

    precision: float
    recall: float
    f1: float
    average_precision: float
    roc_auc: float


class Interval(NamedTuple):
    """An estimate with the bounds of its 95 % bootstrap interval."""

    estimate: float
    low: float
    high: float


def quality(labels: Bools, scores: Floats, chosen: Bools) -> Quality:
    """Return the figures of ``scores`` (n,) and of the yes or no ``chosen`` (n,) made from them.

    Average precision and the area under the ROC curve need both kinds of links; they are ``nan``
    where there is one kind only.
    """
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, chosen, average="binary", pos_label=True, zero_division=0.0
    )
    both = bool(labels.any()) and not labels.all()
    return Quality(
        float(precision),
        float(recall),
        float(f1),
        float(average_precision_score(labels, scores)) if both else float("nan"),
        float(roc_auc_score(labels, scores)) if both else float("nan"),
    )


def best_threshold(labels: Bools, scores: Floats) -> float:
    """Return the score from which on to say yes for the highest F1 on these links."""
    precision, recall, thresholds = precision_recall_curve(labels, scores)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return float(thresholds[int(np.argmax(f1[:-1]))])


def intervals(
    labels: Bools,
    scores: Floats,
    chosen: Bools,
    groups: Sequence[str] | None = None,
    *,
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Return 95 % percentile intervals of all but ``roc_auc`` of :class:`Quality`, by name.

    ``groups`` (n,), as a rule the hosts, are drawn with replacement, all links of a group
    together: links of one host resemble each other, and drawing single links would feign
    certainty. Without ``groups`` single links are drawn. Draws without any relevant link are left
    out. Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3; the
    cluster bootstrap of Field & Welsh (2007).
    """
    members = (
        np.arange(len(labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
    )
    estimate = quality(labels, scores, chosen)
    random = np.random.default_rng(seed)
    count = int(members.max()) + 1
    precision_at = _weighted_average_precision(labels, scores)
    cells = _confusion_by_group(labels, chosen, members, count)
    drawn: list[tuple[float, float, float, float]] = []
    for _ in range(draws):
        times = np.bincount(random.integers(count, size=count), minlength=count)
        hit, false_alarm, missed = times @ cells
        if hit + missed:
            drawn.append(
                (
                    hit / (hit + false_alarm) if hit else 0.0,
                    hit / (hit + missed),
                    2 * hit / (2 * hit + false_alarm + missed),
                    precision_at(times[members]),
                )
            )
    low, high = np.percentile(np.asarray(drawn), [2.5, 97.5], axis=0)
    return {
        name: Interval(getattr(estimate, name), float(low[i]), float(high[i]))
        for i, name in enumerate(("precision", "recall", "f1", "average_precision"))
    }


def _confusion_by_group(
    labels: Bools, chosen: Bools, members: NDArray[np.intp], count: int
) -> Floats:
    """Return hits, false alarms and misses of each group as (count, 3)."""
    columns = (labels & chosen, ~labels & chosen, labels & ~chosen)
    return np.stack(
        [np.bincount(members, weights=column, minlength=count) for column in columns], axis=1
    )


def _weighted_average_precision(
    labels: Bools, scores: Floats
) -> Callable[[NDArray[np.integer]], float]:
    """Return a function from weights (n,) to the average precision; sorts once for all draws.

    The same figure as scikit-learn's ``average_precision_score(sample_weight=…)``, which would
    sort anew in each of a thousand draws.
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.diff(scores[order], append=-np.inf))
    relevant = labels[order]

    def average_precision(weights: NDArray[np.integer]) -> float:
        ordered = weights[order]
        hits = np.cumsum(ordered * relevant)[ends]
        taken = np.cumsum(ordered)[ends]
        precision = hits / np.maximum(taken, 1)
        return float(np.sum(np.diff(hits, prepend=0) * precision) / hits[-1])

    return average_precision
