"""Precision, recall, F1 and average precision of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


class ClassifierQuality(NamedTuple):
    """Metrics of one classifier on held-out links, all between 0 and 1."""

    precision: float
    recall: float
    f1: float
    average_precision: float
    roc_auc: float


def quality(labels: Bools, scores: Floats, chosen: Bools) -> ClassifierQuality:
    """Return the metrics of ``scores`` (n,) and of the predictions ``chosen`` (n,) made from them.

    Average precision and the area under the ROC curve are ``nan`` if all links have the same label.
    """
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, chosen, average="binary", pos_label=True, zero_division=0.0
    )
    both = bool(labels.any()) and not labels.all()
    return ClassifierQuality(
        float(precision),
        float(recall),
        float(f1),
        float(average_precision_score(labels, scores)) if both else float("nan"),
        float(roc_auc_score(labels, scores)) if both else float("nan"),
    )


def best_threshold(labels: Bools, scores: Floats) -> float:
    """Return the threshold, the least score predicted relevant, with the highest F1 on these links."""
    precision, recall, thresholds = precision_recall_curve(labels, scores)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return float(thresholds[int(np.argmax(f1[:-1]))])


# Bootstrap over hosts: 95 % percentile intervals of a figure.

DRAWS = 1000
_BOUNDS = (2.5, 97.5)
_NAMES = ("precision", "recall", "f1", "average_precision")

Counts = NDArray[np.integer]


class Interval(NamedTuple):
    """An estimate with the bounds of its 95 % bootstrap interval."""

    estimate: float
    low: float
    high: float


def intervals(
    labels: Bools,
    scores: Floats,
    chosen: Bools,
    groups: Sequence[str] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Interval]:
    """Return precision, recall, f1 and average_precision of n links, all arguments (n,).

    ``chosen`` are the links predicted relevant, ``scores`` rank them for the average precision.
    """
    members = _members(groups, len(labels))
    precision_at = _weighted_average_precision(labels, scores)
    cells = _confusion_by_group(labels, chosen, members)
    drawn = []
    for times in _drawn(members, draws, seed):
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
    low, high = np.percentile(np.array(drawn), _BOUNDS, axis=0)
    estimate = quality(labels, scores, chosen)
    return {
        name: Interval(getattr(estimate, name), float(low[i]), float(high[i]))
        for i, name in enumerate(_NAMES)
    }


def gain(
    labels: Bools,
    scores: Floats,
    others: Floats,
    groups: Sequence[str] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """Return the difference in average precision between ``scores`` and ``others``, all (n,).

    Both are measured on the same draws, so that the difficulty of a host cancels out: two rankings
    can differ significantly although their own intervals overlap.
    """
    members = _members(groups, len(labels))
    ours, theirs = (_weighted_average_precision(labels, ranked) for ranked in (scores, others))
    weights = (times[members] for times in _drawn(members, draws, seed))
    drawn = [ours(each) - theirs(each) for each in weights if (each * labels).any()]
    once = np.ones(len(labels), dtype=np.intp)
    low, high = np.percentile(drawn, _BOUNDS)
    return Interval(ours(once) - theirs(once), float(low), float(high))


def count_intervals(cells: Floats) -> list[Interval]:
    """Return precision, recall and F1 of groups (n, 3) of true positives, false positives and misses."""
    times = np.random.default_rng(0).multinomial(len(cells), [1 / len(cells)] * len(cells), DRAWS)
    sums = np.vstack([cells.sum(axis=0), times @ cells])
    right = sums[:, 0]
    ratios = [
        np.divide(2 * right, below, out=np.zeros_like(right), where=below > 0)
        for below in (
            2 * (right + sums[:, 1]),
            2 * (right + sums[:, 2]),
            2 * right + sums[:, 1] + sums[:, 2],
        )
    ]
    return [
        Interval(float(ratio[0]), *map(float, np.percentile(ratio[1:], _BOUNDS)))
        for ratio in ratios
    ]


def _members(groups: Sequence[str] | None, links: int) -> NDArray[np.intp]:
    return np.arange(links) if groups is None else np.unique(groups, return_inverse=True)[1]


def _drawn(members: NDArray[np.intp], draws: int, seed: int) -> Iterator[Counts]:
    """Yield the number of times each group is drawn."""
    random = np.random.default_rng(seed)
    count = int(members.max()) + 1
    for _ in range(draws):
        yield np.bincount(random.integers(count, size=count), minlength=count)


def _confusion_by_group(labels: Bools, chosen: Bools, members: NDArray[np.intp]) -> Floats:
    """Return true positives, false positives and false negatives of each group, (groups, 3)."""
    columns = (labels & chosen, ~labels & chosen, labels & ~chosen)
    return np.stack([np.bincount(members, weights=column) for column in columns], axis=1)


def _weighted_average_precision(labels: Bools, scores: Floats) -> Callable[[Counts], float]:
    """Return a function from weights (n,) to the average precision; sorts once for all draws.

    The result equals scikit-learn's ``average_precision_score(sample_weight=…)``, which would sort
    again in each of a thousand draws.
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.diff(scores[order], append=-np.inf))
    relevant = labels[order]

    def average_precision(weights: Counts) -> float:
        ordered = weights[order]
        hits = np.cumsum(ordered * relevant)[ends]
        taken = np.cumsum(ordered)[ends]
        precision = hits / np.maximum(taken, 1)
        return float(np.sum(np.diff(hits, prepend=0) * precision) / hits[-1])

    return average_precision
