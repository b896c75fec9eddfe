"""Models of named signs: sums over small trees, for single readings and for a choice among options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Sums over the trees of a model for many sets of signs at once.

_AT_ONCE = 2000


class TreeSums:
    """The nodes of all trees as arrays, through which all rows walk at the same time."""

    def __init__(self, trees: Sequence[Sequence[Sequence[Any]]]) -> None:
        signs = sorted({node[0] for tree in trees for node in tree if node[0]})
        self._column = {sign: number for number, sign in enumerate(signs, start=1)}
        begins = np.cumsum([0, *(len(tree) for tree in trees)])
        nodes = [
            # A leaf leads to itself; column 0 is empty.
            (self._column.get(sign, 0), *((begin + own,) * 2 if not sign else (begin + a, begin + b)), value)
            for begin, tree in zip(begins, trees, strict=False)
            for own, (sign, a, b, value) in enumerate(tree)
        ]  # fmt: skip
        table = np.array(nodes, dtype=float).reshape(-1, 4)
        # A node is the place of the first of its two ways.
        self._sign = table[:, 0].astype(np.intp).repeat(2)
        self._next = 2 * table[:, 1:3].astype(np.intp).ravel()
        self._value = table[:, 3].repeat(2)
        self._roots = 2 * begins[:-1].astype(np.intp)
        self._depth = max((_depth(tree) for tree in trees), default=0)

    def of(self, rows: Sequence[Iterable[str]]) -> NDArray[np.float64]:
        """Return the sum of the leaves that each row reaches."""
        parts = [
            self._sums(rows[start : start + _AT_ONCE]) for start in range(0, len(rows), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sums(self, rows: Sequence[Iterable[str]]) -> NDArray[np.float64]:
        width, column = len(self._column) + 1, self._column.get
        starts = range(0, len(rows) * width, width)
        present = np.zeros(len(rows) * width, dtype=np.int8)
        present[
            [at + c for at, row in zip(starts, rows, strict=True) for s in row if (c := column(s))]
        ] = 1
        begins = np.array(starts, dtype=np.intp)[:, None]
        at = np.tile(self._roots, (len(rows), 1))
        for _ in range(self._depth):
            at = self._next.take(at + present.take(self._sign.take(at) + begins))
        sums: NDArray[np.float64] = self._value.take(at).sum(axis=1)
        return sums


def _depth(tree: Sequence[Sequence[Any]]) -> int:
    """Return the steps to the deepest leaf; children follow their parent."""
    steps = [0] * len(tree)
    for number, (sign, without, having, _) in enumerate(tree):
        if sign:
            steps[without] = steps[having] = steps[number] + 1
    return max(steps, default=0)


Floats = NDArray[np.float64]
Signs = Sequence[str]
Tree = Sequence[Sequence[Any]]
"""Nodes ``[sign, node without it, node with it, value]``; a leaf has the sign ``""``."""
_LEAST = 1e-9  # probability, and distance from 1


@dataclass(frozen=True)
class SignModel:
    """Trees that ask for one sign after another; ``weights`` are what corrections have added."""

    start: float
    trees: Sequence[Tree]
    weights: Mapping[str, float] = field(default_factory=dict, kw_only=True)

    @cached_property
    def _sums(self) -> TreeSums:
        return TreeSums(self.trees)

    def log_odds(self, rows: Sequence[Signs]) -> Floats:
        """Return the log-odds of right readings, all sets of signs at once."""
        added = [sum(self.weights.get(s, 0.0) for s in set(row)) for row in rows if self.weights]
        return self.start + self._sums.of(rows) + (np.array(added) if added else 0.0)

    def reasons(self, signs: Iterable[str]) -> list[tuple[str, float]]:
        """Return the share of each sign in the log-odds, by size; ``no …`` is that of a missing one."""
        present = frozenset(signs)
        shares: dict[str, float] = defaultdict(float)
        for tree in self.trees:
            node = 0
            while tree[node][0]:
                sign, without, having, value = tree[node]
                node = having if sign in present else without
                shares[sign if sign in present else f"no {sign}"] += tree[node][3] - value
        for sign in sorted(present):
            shares[sign] += self.weights.get(sign, 0.0)
        return sorted(((s, v) for s, v in shares.items() if v), key=lambda share: -abs(share[1]))


@dataclass(frozen=True)
class ChoiceModel(SignModel):
    """A choice among the options of a figure, one of which is that it is no quote.

    The probability of an option is the softmax of the log-odds of all, with 0 for no quote: a
    conditional logit (McFadden, *Conditional logit analysis of qualitative choice behavior*, 1974)
    over boosted trees. ``calibration`` are the weights of :func:`features` in the log-odds that the
    best option is right, which differ since several options may be right.
    """

    calibration: tuple[float, float, float] = field(default=(0.0, 1.0, 0.0), kw_only=True)

    def best(self, groups: Sequence[Sequence[Signs]]) -> list[tuple[int, float]]:
        """Return for each figure the number of its best option, and the confidence in it, 0 to 1."""
        numbers, found = self.features(groups)
        odds = np.clip(found @ np.array(self.calibration), -30, 30)
        return [(int(n), float(p)) for n, p in zip(numbers, 1 / (1 + np.exp(-odds)), strict=True)]

    def features(self, groups: Sequence[Sequence[Signs]]) -> tuple[NDArray[np.intp], Floats]:
        """Return the number of the best option of each figure, and what its confidence rests on.

        That is a row ``[1, log-odds against all others, log-odds against no quote]`` a figure.
        """
        odds = self.log_odds([signs for group in groups for signs in group])
        sizes = np.array([len(group) for group in groups], dtype=np.intp)
        starts = np.cumsum(sizes) - sizes
        parts = zip(starts, sizes, strict=True)
        best = np.array([int(odds[a : a + size].argmax()) for a, size in parts], dtype=np.intp)
        probable = softmax(odds, np.repeat(np.arange(len(sizes)), sizes))
        chosen = np.clip(probable[starts + best], _LEAST, 1 - _LEAST)
        found = (np.ones(len(sizes)), np.log(chosen / (1 - chosen)), odds[starts + best])
        return best, np.column_stack(found)


def softmax(odds: Floats, group: NDArray[np.intp]) -> Floats:
    """Return the probability of each option; ``group`` is the number of its figure, from 0 on."""
    count = int(group.max(initial=-1)) + 1
    top = np.zeros(count)  # no quote has the log-odds 0
    np.maximum.at(top, group, odds)
    shares = np.exp(odds - top[group])
    whole = np.bincount(group, shares, count) + np.exp(-top)
    found: Floats = shares / whole[group]
    return found
