"""Comparison of classifiers on the same held-out links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import brier_score_loss

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import (
    Bools,
    Floats,
    Interval,
    best_threshold,
    gain,
    intervals,
    quality,
)
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet, Split, hold_out
from focuscrawl.pages.link import Link

# Calibration curve: predicted probabilities against observed frequencies.

BINS = 15


class Bins(StrEnum):
    """Kinds of bins: of equal width, or with equal numbers of links."""

    WIDTH = "width"
    MASS = "mass"


class ReliabilityRow(NamedTuple):
    """One bin: its bounds, number of links, mean probability, and share of relevant links."""

    low: float
    high: float
    links: int
    probability: float
    relevant: float


def reliability_table(
    labels: Bools, probabilities: Floats, bins: int = BINS, by: Bins = Bins.WIDTH
) -> list[ReliabilityRow]:
    """Return the nonempty bins, lowest first."""
    edges, numbers = _binned(probabilities, bins, by)
    rows = []
    for number in range(len(edges) - 1):
        inside = numbers == number
        if inside.any():
            rows.append(
                ReliabilityRow(
                    float(edges[number]),
                    float(edges[number + 1]),
                    int(inside.sum()),
                    float(probabilities[inside].mean()),
                    float(labels[inside].mean()),
                )
            )
    return rows


def calibration_error(
    labels: Bools, probabilities: Floats, bins: int = BINS, by: Bins = Bins.WIDTH
) -> float:
    """Return the expected calibration error: the mean difference of probability and truth over bins.

    Bins are weighted by their numbers of links. Source: Naeini, Cooper & Hauskrecht (2015), Obtaining
    Well Calibrated Probabilities Using Bayesian Binning; bins of equal mass as in Nguyen & O'Connor
    (2015).
    """
    rows = reliability_table(labels, probabilities, bins, by)
    return sum(row.links * abs(row.probability - row.relevant) for row in rows) / len(labels)


def brier(labels: Bools, probabilities: Floats) -> float:
    """Return the mean squared difference of probability and truth (Brier 1950)."""
    return float(brier_score_loss(labels, probabilities))


def _binned(probabilities: Floats, bins: int, by: Bins) -> tuple[Floats, NDArray[np.intp]]:
    edges = np.linspace(0, 1, bins + 1)
    if by is Bins.MASS:
        # Equal probabilities share a bin, so there can be fewer than ``bins``.
        edges = np.unique(np.quantile(probabilities, edges))
    inner = edges[1:-1]
    return edges, np.searchsorted(inner, probabilities, side="right")


class JudgedLinks(NamedTuple):
    """Scores (n,) for ranking and probabilities (n,) of relevance of n links."""

    scores: Floats
    probabilities: Floats


Judge = Callable[[Sequence[Link]], JudgedLinks]


@dataclass(frozen=True, slots=True)
class Contender:
    """A classifier to compare; ``train`` takes labelled links and pages and returns a judge."""

    name: str
    train: Callable[[DataSet], Judge]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Judgements of a contender on held-out links, all arrays (n,).

    ``chosen`` are the links at or above the best threshold, which was found without their labels.
    """

    name: str
    labels: Bools
    hosts: list[str]
    scores: Floats
    probabilities: Floats
    chosen: Bools

    def likely(self) -> Bools:
        """Return the links with a probability of at least one half."""
        return self.probabilities >= 0.5

    def roc_auc(self) -> float:
        """Return the area under the ROC curve of the scores."""
        return quality(self.labels, self.scores, self.chosen).roc_auc

    def intervals(self, chosen: Bools, seed: int = 0) -> dict[str, Interval]:
        """Return the metrics of the links predicted relevant by name, with intervals by host."""
        return intervals(self.labels, self.scores, chosen, self.hosts, seed=seed)

    def gain_over(self, other: HeldOut) -> Interval:
        """Return the gain in average precision over another contender on the same links."""
        return gain(self.labels, self.scores, other.scores, self.hosts)


def held_out(
    contender: Contender,
    data: DataSet,
    splits: Sequence[Split],
    *,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Train on the training part of each split, judge its held-out links, and join the judgements.

    The best threshold for a fold is that of the highest F1 on the other folds' held-out links. With
    a single split, it is found on three tenths of the training part, by a contender trained on the
    rest. ``step`` is called after each training.
    """
    judged = []
    for split in splits:
        judged.append(_judge(contender, data, split))
        step()
    rows = np.concatenate([split.test for split in splits])
    thresholds = (
        list(_thresholds(data, splits, judged))
        if len(splits) > 1
        else [_inner_threshold(contender, data, splits[0], seed)]
    )
    chosen = [
        result.scores >= threshold for result, threshold in zip(judged, thresholds, strict=True)
    ]
    return HeldOut(
        contender.name,
        data.labels[rows],
        [data.hosts[row] for row in rows],
        np.concatenate([result.scores for result in judged]),
        np.concatenate([result.probabilities for result in judged]),
        np.concatenate(chosen),
    )


def training_part(data: DataSet, split: Split) -> DataSet:
    """Return the training part of a split, without held-out links and pages of held-out hosts.

    If the split is by link, a host is on both sides, and its pages are in the training part.
    """
    hosts = {data.hosts[row] for row in split.test} - {data.hosts[row] for row in split.train}
    return data.part(split.train, hosts)


def _judge(contender: Contender, data: DataSet, split: Split) -> JudgedLinks:
    judge = contender.train(training_part(data, split))
    return judge([data.links[row] for row in split.test])


def _thresholds(
    data: DataSet, splits: Sequence[Split], judged: Sequence[JudgedLinks]
) -> Iterator[float]:
    for number in range(len(splits)):
        others = [other for other in range(len(splits)) if other != number]
        yield best_threshold(
            data.labels[np.concatenate([splits[other].test for other in others])],
            np.concatenate([judged[other].scores for other in others]),
        )


def _inner_threshold(contender: Contender, data: DataSet, split: Split, seed: int) -> float:
    part = training_part(data, split)
    try:
        inner = hold_out(part.labels, part.hosts, seed=seed)
    except ArgumentError:
        # With too few hosts to hold some out again, the training links are used themselves.
        every = np.arange(len(part.links))
        inner = Split(every, every)
    found = _judge(contender, part, inner)
    return best_threshold(part.labels[inner.test], found.scores)
