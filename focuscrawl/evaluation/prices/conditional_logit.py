"""Conditional logit of the options of figures: over small trees that ask for named signs, and over columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse import csc_matrix, csr_matrix  # type: ignore[import-untyped]

from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.prices.confidence.reading_models import Tree, softmax

_RATE = 0.06
_LEAST_LEAF = 10
_SHARE_OF_SIGNS, _LEAST_TRIED = 0.1, 10  # signs that are tried at a level
_SHARE_OF_FIGURES = 0.5  # that a tree grows on
_PENALTY = 1.0
_LEAST_CURVE = 1e-3
_LEAST_GAIN = 1e-6
_LEAST_SEEN = 5  # readings that a sign must stand in


@dataclass(frozen=True, slots=True)
class Boosting:
    """Number of trees, and the most signs that one of them asks for on a way."""

    trees: int
    depth: int

    def __str__(self) -> str:
        return f"{self.trees} of depth {self.depth}"

    def fit(
        self,
        rows: Sequence[Sequence[str]],
        is_right: Bools,
        group: NDArray[np.intp],
        before: Floats | None = None,
    ) -> tuple[float, list[Tree]]:
        """Return the start and the trees of a model of the log-odds that a row is right.

        ``group`` is the number of the figure, from 0 on, of which a row is one option. The likelihood is
        that of a conditional logit in which a figure without a right option is no quote; of several right
        ones, any may be chosen. A group of one row each gives a logistic regression. Each tree grows on
        a sample of the figures (Friedman, *Stochastic gradient boosting*, 2002). ``before`` are log-odds to
        which the trees add theirs; the start is 0 then.
        """
        names = common_signs(rows)
        columns = sign_matrix(rows, names).tocsc()
        prior = np.clip(is_right.mean() if len(rows) else 0.5, 0.01, 0.99)
        start = float(np.log(prior / (1 - prior))) if before is None else 0.0
        odds = np.full(len(rows), start) if before is None else before.copy()
        trees: list[Tree] = []
        for number in range(self.trees if len(rows) else 0):
            slope, curve = _derivatives(odds, is_right, group)
            random = np.random.default_rng(number)
            drawn = (random.random(len(rows)) < _SHARE_OF_FIGURES)[group]
            tree, leaf = _grown(columns, slope, curve, drawn, self.depth, random)
            odds += np.array([node[3] for node in tree])[leaf]
            trees.append([[names[n[0]] if n[0] >= 0 else "", *n[1:]] for n in tree])
        return start, trees


def _derivatives(odds: Floats, is_right: Bools, group: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the slope and the curvature of the log-likelihood by the log-odds of each row."""
    probable = softmax(odds, group)
    of_right = np.bincount(group, np.where(is_right, probable, 0.0))
    wanted = np.where(is_right, probable / np.maximum(of_right[group], 1e-12), 0.0)
    return wanted - probable, np.maximum(probable * (1 - probable), _LEAST_CURVE)


def _grown(
    columns: csc_matrix,
    slope: Floats,
    curve: Floats,
    drawn: Bools,
    depth: int,
    random: np.random.Generator,
) -> tuple[list[list[Any]], NDArray[np.intp]]:
    """Return a tree, with numbers in place of signs and -1 for leaves, and the leaf of each row.

    It grows level by level: of some signs, each node is split by the one with the largest gain on the
    ``drawn`` rows.
    """
    at = np.zeros(columns.shape[0], dtype=np.intp)
    tree: list[list[Any]] = [[-1, 0, 0, 0.0]]
    level = [0]
    for _ in range(depth if columns.shape[1] else 0):
        count = columns.shape[1]
        share = max(_SHARE_OF_SIGNS, _LEAST_TRIED / max(1, count))
        tried = np.flatnonzero(random.random(count) < share)
        splits = _best_splits(columns[:, tried], slope * drawn, curve * drawn, drawn, at, level)
        level, before = [], at.copy()
        child = np.arange(len(tree))
        for node, best in splits.items():
            sign, left = int(tried[best]), len(tree)
            tree[node][:3] = sign, left, left + 1
            child[node] = left
            tree += [[-1, 0, 0, 0.0], [-1, 0, 0, 0.0]]
            level += [left, left + 1]
        at = child[at]
        for node in splits:
            sign = tree[node][0]
            rows = columns.indices[columns.indptr[sign] : columns.indptr[sign + 1]]
            at[rows[before[rows] == node]] += 1
    # A Newton step for each node: of its own rows for a leaf, of all below for others.
    sums = np.array([np.bincount(at, x, len(tree)) for x in (slope, curve)])
    for number in reversed(range(len(tree))):
        sign, without, having, _ = tree[number]
        sums[:, number] += sums[:, without] + sums[:, having] if sign >= 0 else 0.0
        tree[number][3] = round(float(_RATE * sums[0, number] / (sums[1, number] + _PENALTY)), 4)
    return tree, at


def _best_splits(
    tried: csc_matrix,
    slope: Floats,
    curve: Floats,
    drawn: Bools,
    at: NDArray[np.intp],
    level: Sequence[int],
) -> dict[int, int]:
    """Return the number of the sign with the largest gain for each node of a level that has one."""
    width = tried.shape[1]
    place = np.full(int(at.max()) + 1, -1)
    place[list(level)] = np.arange(len(level))
    own = place[at]
    row = tried.indices
    column = np.repeat(np.arange(width), np.diff(tried.indptr))
    kept = (own[row] >= 0) & drawn[row]
    row, key = row[kept], (own[row] * width + column)[kept]
    sides = []
    for values in (slope, curve, drawn.astype(np.float64)):
        having = np.bincount(key, values[row], len(level) * width).reshape(len(level), width)
        whole = np.bincount(own[own >= 0], values[own >= 0], len(level))[:, None]
        sides.append((having, whole - having, whole))
    gain = sum(
        sign * _gain(*part)
        for sign, part in zip((1, 1, -1), zip(*sides[:2], strict=True), strict=True)
    )
    gain = np.where(np.minimum(*sides[2][:2]) < _LEAST_LEAF, 0.0, gain)
    best = gain.argmax(axis=1) if width and level else []
    return {
        node: int(n)
        for node, own_gain, n in zip(level, gain, best, strict=False)
        if own_gain[n] > _LEAST_GAIN
    }


def _gain(slope: Floats, curve: Floats) -> Floats:
    found: Floats = slope**2 / (curve + _PENALTY)
    return found


def common_signs(rows: Sequence[Sequence[str]], least: int = _LEAST_SEEN) -> list[str]:
    """Return the signs that stand in some rows at least, in order."""
    counts = Counter(sign for signs in rows for sign in set(signs))
    return sorted(sign for sign, count in counts.items() if count >= least)


def sign_matrix(rows: Sequence[Sequence[str]], names: Sequence[str]) -> csr_matrix:
    """Return a matrix (rows, signs) of ones for the signs that each row has."""
    column = {name: number for number, name in enumerate(names)}
    found = [sorted({column[s] for s in signs if s in column}) for signs in rows]
    ends = np.cumsum([0, *map(len, found)])
    columns = np.array([c for each in found for c in each], dtype=np.int32)
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_matrix((ones, columns, ends), shape=(len(rows), max(1, len(names))))


def column_weights(
    rows: Floats, is_right: Bools, group: NDArray[np.intp], start: Sequence[float]
) -> tuple[float, ...]:
    """Return the weights of the columns in a conditional logit of options, none of which may be right."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = rows @ weights
        probable = softmax(odds, group)
        none = 1 - np.bincount(group, probable)
        of_right = np.bincount(group, probable * is_right)
        right = np.where(np.bincount(group, is_right) > 0, of_right, none)
        slope = _derivatives(odds, is_right, group)[0]
        return -float(np.log(np.maximum(right, 1e-12)).mean()), -(rows.T @ slope) / len(right)

    found = minimize(loss, np.array(start), jac=True).x
    return tuple(round(float(weight), 4) for weight in found)
