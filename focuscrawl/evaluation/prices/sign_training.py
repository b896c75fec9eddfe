"""Gradient boosting of small trees over named signs, for a choice among the options of a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeRegressor

from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.prices.confidence.sign_models import Tree, softmax

_RATE = 0.06
_LEAST_LEAF = 10
_SHARE_OF_SIGNS = 0.1  # that are tried at a node
_PENALTY = 1.0
_LEAST_CURVE = 1e-3
_LEAST_SEEN = 5  # readings that a sign must stand in


@dataclass(frozen=True, slots=True)
class Boosting:
    """Number of trees, and the most signs that one of them asks for on a way."""

    trees: int
    depth: int

    def fit(
        self, rows: Sequence[Sequence[str]], is_right: Bools, group: NDArray[np.intp]
    ) -> tuple[float, list[Tree]]:
        """Return the start and the trees of a model of the log-odds that a row is right.

        ``group`` is the number of the figure, from 0 on, of which a row is one option. The likelihood is
        that of a conditional logit in which a figure without a right option is no quote; of several right
        ones, any may be chosen. A group of one row each gives a logistic regression.
        """
        names = _common(rows)
        matrix = _matrix(rows, names)
        by_column = matrix.tocsc()
        prior = np.clip(is_right.mean() if len(rows) else 0.5, 0.01, 0.99)
        start = float(np.log(prior / (1 - prior)))
        odds = np.full(len(rows), start)
        trees: list[Tree] = []
        for number in range(self.trees if len(rows) else 0):
            slope, curve = _derivatives(odds, is_right, group)
            tree = DecisionTreeRegressor(
                max_depth=self.depth, max_features=_SHARE_OF_SIGNS, min_samples_leaf=_LEAST_LEAF,
                random_state=number,
            )  # fmt: skip
            tree.fit(by_column, slope / curve, sample_weight=curve)
            values = _values(tree, matrix, slope, curve)
            odds += values[tree.apply(matrix)]
            trees.append(_nodes(tree.tree_, names, values))
        return start, trees


def _derivatives(odds: Floats, is_right: Bools, group: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the slope and the curvature of the log-likelihood by the log-odds of each row."""
    probable = softmax(odds, group)
    of_right = np.bincount(group, np.where(is_right, probable, 0.0))
    wanted = np.where(is_right, probable / np.maximum(of_right[group], 1e-12), 0.0)
    return wanted - probable, np.maximum(probable * (1 - probable), _LEAST_CURVE)


def _values(
    tree: DecisionTreeRegressor, matrix: csr_matrix, slope: Floats, curve: Floats
) -> Floats:
    """Return a Newton step for each node: of its own rows for a leaf, of all below for others."""
    passed = tree.decision_path(matrix)
    found: Floats = _RATE * (passed.T @ slope) / (passed.T @ curve + _PENALTY)
    return found


def _common(rows: Sequence[Sequence[str]]) -> list[str]:
    names, counts = np.unique([s for signs in rows for s in set(signs)], return_counts=True)
    return [str(name) for name, count in zip(names, counts, strict=True) if count >= _LEAST_SEEN]


def _matrix(rows: Sequence[Sequence[str]], names: Sequence[str]) -> csr_matrix:
    column = {name: number for number, name in enumerate(names)}
    found = [sorted({column[s] for s in signs if s in column}) for signs in rows]
    ends = np.cumsum([0, *map(len, found)])
    columns = np.array([c for each in found for c in each], dtype=np.int32)
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_matrix((ones, columns, ends), shape=(len(rows), max(1, len(names))))


def _nodes(tree: Any, names: Sequence[str], values: Floats) -> Tree:
    """Return a tree of scikit-learn as nodes, in its order, in which children follow their parent."""
    return [
        ["", 0, 0, round(float(value), 4)]
        if left < 0
        else [names[sign], int(left), int(right), round(float(value), 4)]
        for sign, left, right, value in zip(
            tree.feature, tree.children_left, tree.children_right, values, strict=True
        )
    ]
