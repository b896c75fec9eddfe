"""Models of named signs: sums over small trees, for single readings and for a choice among options."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.prices.confidence.text_support import Places, support_signs

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

    @cached_property
    def effects(self) -> dict[str, float]:
        """The difference that each sign makes to the log-odds, on the mean of the nodes that ask for it."""
        found: dict[str, list[float]] = defaultdict(list)
        for tree in self.trees:
            for sign, without, having, _ in tree:
                if sign:
                    found[sign].append(tree[having][3] - tree[without][3])
        return {sign: sum(own) / len(own) for sign, own in found.items()}

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
class WordModel:
    """Linear model of sets of words; its log-odds are told as signs to the trees of another one."""

    start: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)

    def log_odds(self, words: Collection[str]) -> float:
        """Return the log-odds of a set of words, whose weights count less the more words there are."""
        weights = self.weights
        known = sum([weights[word] for word in words if word in weights])
        return self.start + known / math.sqrt(max(1, len(words)))


_STEPS = (-4, -3, -2, -1, 0, 1, 2, 3, 4)
_NEARLY = 1.0  # log-odds behind the best


def signs_of_words(
    of_figure: float, of_names: Sequence[float]
) -> tuple[list[str], list[list[str]]]:
    """Return the signs that words give a figure, and those that they give each of its possible names."""
    figure = [f"words around, {step} or more" for step in _STEPS if of_figure >= step]
    best = max(of_names)
    names = [
        [f"words of name, {step} or more" for step in _STEPS[:-1] if odds >= step]
        for odds in of_names
    ]
    for signs, odds in zip(names, of_names, strict=True):
        signs += ["best words of name"] if odds >= best else []
        signs += ["nearly best words of name"] if odds >= best - _NEARLY else []
    return figure, names


class FigureSigns(NamedTuple):
    """The signs of each option of a figure, of each of its possible goods, and of its units."""

    options: Sequence[Signs]
    goods: Sequence[Signs]
    units: Sequence[Signs]
    places: Places


class Choice(NamedTuple):
    """The numbers of the option, the goods and the unit of a figure, and the confidence in them, 0 to 1.

    ``others`` are the signs that the other figures of the text gave the option.
    """

    option: int
    goods: int
    unit: int
    confidence: float
    others: Signs


@dataclass(frozen=True)
class ChoiceModel(SignModel):
    """A choice among the options of a figure, one of which is that it is no quote.

    The probability of an option is the softmax of the log-odds of all, with 0 for no quote: a
    conditional logit (McFadden, *Conditional logit analysis of qualitative choice behavior*, 1974)
    over boosted trees. ``calibration`` are the weights of :func:`features` in the log-odds that the
    best option is right, which differ since several options may be right. The words of a figure and of
    names give signs, too. ``second`` adds what the choices for the other figures of the text say. Goods and
    unit of a figure are chosen by models of their own.
    """

    calibration: tuple[float, ...] = field(default=(0.0, 1.0, 0.0, 0.0, 0.0), kw_only=True)
    figure_words: WordModel = field(default_factory=WordModel, kw_only=True)
    name_words: WordModel = field(default_factory=WordModel, kw_only=True)
    text_words: Mapping[str, WordModel] = field(default_factory=dict, kw_only=True)  # by goods
    goods: SignModel = field(default_factory=lambda: SignModel(0.0, []), kw_only=True)
    units: SignModel = field(default_factory=lambda: SignModel(0.0, []), kw_only=True)
    second: SignModel = field(default_factory=lambda: SignModel(0.0, []), kw_only=True)

    def word_signs(
        self, around: Collection[str], names: Iterable[Collection[str]]
    ) -> list[list[str]]:
        """Return the signs that the words around a figure and of its possible names give each name."""
        of_names = [self.name_words.log_odds(words) for words in names]
        figure, own = signs_of_words(self.figure_words.log_odds(around), of_names)
        return [figure + signs for signs in own]

    def goods_odds(self, words: Collection[str]) -> dict[str, float]:
        """Return the log-odds of each known kind of goods by the words of a text."""
        return {goods: model.log_odds(words) for goods, model in self.text_words.items()}

    def best(self, figures: Sequence[FigureSigns]) -> list[Choice]:
        """Return the choice for each figure of a text."""
        if not figures:
            return []
        numbers, found, others = self.features(figures)
        odds = np.clip(found @ np.array(self.calibration), -30, 30)
        sure = 1 / (1 + np.exp(-odds))
        return [
            Choice(int(n), int(k), int(u), float(p), own[n])
            for (n, k, u), p, own in zip(numbers, sure, others, strict=True)
        ]

    def features(
        self, figures: Sequence[FigureSigns]
    ) -> tuple[NDArray[np.intp], Floats, list[list[list[str]]]]:
        """Return the numbers of the best option, goods and unit of each figure, and what its confidence rests on.

        That is a row a figure: 1, the log-odds of the best option against all others, of the same
        against no quote, of the goods and of the unit against all others. The last ones are the signs
        of each option that the other figures of the text give.
        """
        odds, others = self.with_others(
            [figure.places for figure in figures],
            self.log_odds([signs for figure in figures for signs in figure.options]),
        )
        best, against_all, against_none = _best_of(odds, [len(f.options) for f in figures])
        (kinds, of_goods), (units, of_unit) = (
            _best_of(
                model.log_odds([signs for part in parts for signs in part]), list(map(len, parts))
            )[:2]
            for model, parts in (
                (self.goods, [figure.goods for figure in figures]),
                (self.units, [figure.units for figure in figures]),
            )
        )
        ones = np.ones(len(best))
        return (
            np.column_stack((best, kinds, units)),
            np.column_stack((ones, against_all, against_none, of_goods, of_unit)),
            others,
        )

    def with_others(
        self, places: Sequence[Places], odds: Floats
    ) -> tuple[Floats, list[list[list[str]]]]:
        """Return the log-odds of all options of a text with what its other figures add, and their signs."""
        others = signs_of_others(places, odds)
        return odds + self.second.log_odds([own for figure in others for own in figure]), others

    def reasons(self, signs: Iterable[str]) -> list[tuple[str, float]]:
        """Return the share of each sign in the log-odds, by size; ``no …`` is that of a missing one."""
        present = frozenset(signs)
        shares = [*super().reasons(present), *self.second.reasons(present)]
        return sorted(shares, key=lambda share: -abs(share[1]))


def signs_of_others(places: Sequence[Places], odds: Floats) -> list[list[list[str]]]:
    """Return the signs that the other figures of a text give each option, by the log-odds of all."""
    sizes = [len(each.options) for each in places]
    ends = np.cumsum(sizes)[:-1]
    probable = softmax(odds, np.repeat(np.arange(len(sizes)), sizes))
    parts = ([part.tolist() for part in np.split(x, ends)] for x in (odds, probable))
    return support_signs(places, *parts)


def _best_of(odds: Floats, lengths: Sequence[int]) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return the number of the best option of each group, and its log-odds against all others and none."""
    sizes = np.array(lengths, dtype=np.intp)
    starts = np.cumsum(sizes) - sizes
    parts = zip(starts, sizes, strict=True)
    best = np.array([int(odds[a : a + size].argmax()) for a, size in parts], dtype=np.intp)
    probable = softmax(odds, np.repeat(np.arange(len(sizes)), sizes))
    chosen = np.clip(probable[starts + best], _LEAST, 1 - _LEAST)
    return best, np.log(chosen / (1 - chosen)), odds[starts + best]


def softmax(odds: Floats, group: NDArray[np.intp]) -> Floats:
    """Return the probability of each option; ``group`` is the number of its figure, from 0 on."""
    count = int(group.max(initial=-1)) + 1
    top = np.zeros(count)  # no quote has the log-odds 0
    np.maximum.at(top, group, odds)
    shares = np.exp(odds - top[group])
    whole = np.bincount(group, shares, count) + np.exp(-top)
    found: Floats = shares / whole[group]
    return found
