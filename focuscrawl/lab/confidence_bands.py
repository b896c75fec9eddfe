"""Means over sets of seeds with 95 % bootstrap bands; sets are drawn with replacement.

Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from focuscrawl.evaluation.classification_metrics import Floats, Interval

_DRAWS = 2000
_BOUNDS = (2.5, 97.5)


class Band(NamedTuple):
    """A mean and its bounds, arrays (points,)."""

    mean: Floats
    low: Floats
    high: Floats

    def intervals(self) -> list[Interval]:
        """Return one interval per point; one set of seeds gives an estimate without bounds."""
        return [Interval(*map(float, values)) for values in zip(*self, strict=True)]


def mean_band(values: Floats, seed: int = 0) -> Band:
    """Return the mean over the sets of ``values`` (sets, points)."""
    low, high = np.percentile(_draws(len(values), seed) @ values, _BOUNDS, axis=0)
    return Band(values.mean(axis=0), low, high)


def ratio_band(values: Floats, others: Floats, seed: int = 0) -> Band:
    """Return the ratio of the means of two arrays (sets, points), both on the same draws.

    NaN where the mean of the others is zero.
    """
    drawn = _draws(len(values), seed)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        # Division by zero where the others never find anything.
        warnings.simplefilter("ignore", RuntimeWarning)
        ratios = _finite((drawn @ values) / (drawn @ others))
        low, high = np.nanpercentile(ratios, _BOUNDS, axis=0)
        return Band(_finite(values.mean(axis=0) / others.mean(axis=0)), low, high)


def _draws(sets: int, seed: int) -> Floats:
    """Return the weight of each set in each draw, (draws, sets); one set alone tells of no other."""
    if sets == 1:
        return np.full((_DRAWS, 1), np.nan)
    return np.random.default_rng(seed).multinomial(sets, [1 / sets] * sets, size=_DRAWS) / sets


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
