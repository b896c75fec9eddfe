"""Calibration curve: predicted probabilities against observed frequencies."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import brier_score_loss

from focuscrawl.evaluation.classification_metrics import Bools, Floats

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
