"""Precision, recall, F1 and average precision of scores."""

from __future__ import annotations

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
    """Metrics of one classifier on held-out links, all between 0 and 1."""

    precision: float
    recall: float
    f1: float
    average_precision: float
    roc_auc: float


def quality(labels: Bools, scores: Floats, chosen: Bools) -> Quality:
    """Return the metrics of ``scores`` (n,) and of the predictions ``chosen`` (n,) made from them.

    Average precision and the area under the ROC curve are ``nan`` if all links have the same label.
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
    """Return the threshold, the least score predicted relevant, with the highest F1 on these links."""
    precision, recall, thresholds = precision_recall_curve(labels, scores)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return float(thresholds[int(np.argmax(f1[:-1]))])
