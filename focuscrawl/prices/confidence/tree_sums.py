"""Sums over the trees of a model for many sets of signs at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        self._sign = table[:, 0].astype(np.intp)
        self._next = table[:, 1:3].astype(np.intp).ravel()
        self._value = table[:, 3]
        self._roots = begins[:-1].astype(np.intp)
        self._depth = max((_depth(tree) for tree in trees), default=0)

    def of(self, rows: Sequence[Iterable[str]]) -> NDArray[np.float64]:
        """Return the sum of the leaves that each row reaches."""
        parts = [
            self._sums(rows[start : start + _AT_ONCE]) for start in range(0, len(rows), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sums(self, rows: Sequence[Iterable[str]]) -> NDArray[np.float64]:
        present = np.zeros((len(rows), len(self._column) + 1), dtype=np.intp)
        for number, row in enumerate(rows):
            present[number, [c for sign in row if (c := self._column.get(sign))]] = 1
        begins = (np.arange(len(rows)) * present.shape[1])[:, None]
        at = np.tile(self._roots, (len(rows), 1))
        for _ in range(self._depth):
            at = self._next.take(2 * at + present.take(self._sign.take(at) + begins))
        sums: NDArray[np.float64] = self._value.take(at).sum(axis=1)
        return sums


def _depth(tree: Sequence[Sequence[Any]]) -> int:
    """Return the steps to the deepest leaf; children follow their parent."""
    steps = [0] * len(tree)
    for number, (sign, without, having, _) in enumerate(tree):
        if sign:
            steps[without] = steps[having] = steps[number] + 1
    return max(steps, default=0)
