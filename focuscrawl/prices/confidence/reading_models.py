"""Models of named signs: sums over small trees, for single readings and for a choice among options."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.prices.confidence.text_network import TextNetwork

Floats = NDArray[np.float64]
Signs = Sequence[str]
Tree = Sequence[Sequence[Any]]
"""Nodes ``[sign, node without it, node with it, value]``; a leaf has the sign ``""``."""
_LEAST = 1e-9  # probability, and distance from 1

_AT_ONCE = 256  # rows, so that what they walk with stays in the processor's cache
_BITS = 20
_SIGN = (1 << _BITS) - 1


class Trees:
    """Trees as arrays of their nodes, through which all rows walk at the same time.

    ``trees`` have numbers of ``signs`` in place of these, and -1 for leaves. Raises ValueError for ways
    that do not end in a leaf; the node with a sign is the one behind the node without it.
    """

    def __init__(self, trees: Sequence[Tree], signs: Sequence[str]) -> None:
        sizes = np.array([len(tree) for tree in trees], dtype=np.intp)
        nodes = np.array([*chain.from_iterable(trees)], dtype=float).reshape(-1, 4)
        if not np.isfinite(nodes).all() or len(signs) >= _SIGN:
            raise ValueError
        roots = np.cumsum(sizes) - sizes
        sign, without, having = nodes[:, :3].astype(np.int64).T
        own = np.arange(len(nodes)) - roots.repeat(sizes)
        is_leaf = sign == -1
        is_ahead = (own < without) & (having == without + 1) & (having < sizes.repeat(sizes))
        is_known = (sign >= -1) & (sign < len(signs))
        if not (is_known & (is_leaf | is_ahead)).all():
            raise ValueError
        # A leaf leads to itself, by a sign that no row has.
        following = np.where(is_leaf, own, without) + roots.repeat(sizes)
        self._nodes = following << _BITS | sign + 1
        self._value = nodes[:, 3].copy()
        self._roots, self._sizes = roots[sizes > 0], sizes
        self.signs = signs
        self._column = {name: number for number, name in enumerate(signs, start=1)}
        self._depth, is_reached = 0, own == 0
        while (at := np.flatnonzero(is_reached & ~is_leaf)).size:
            self._depth += 1
            is_reached[:] = False
            is_reached[[following[at], following[at] + 1]] = True

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Trees:
        """Return trees whose nodes have the names of their signs."""
        signs = sorted({node[0] for tree in trees for node in tree if node[0]})
        number = {"": -1} | {sign: at for at, sign in enumerate(signs)}
        return cls([[[number[n[0]], *n[1:]] for n in tree] for tree in trees], signs)

    def numbered(self) -> Iterator[list[list[Any]]]:
        """Yield the trees as they were given."""
        parts = (self._nodes & _SIGN, self._nodes >> _BITS, self._value)
        nodes, end = zip(*(part.tolist() for part in parts), strict=True), 0
        for size in self._sizes.tolist():
            root, end = end, end + size
            yield [
                [sign - 1, *((at - root, at - root + 1) if sign else (0, 0)), value]
                for sign, at, value in islice(nodes, size)
            ]

    def sums(self, rows: Sequence[Signs]) -> Floats:
        """Return the sum of the leaves that each row reaches."""
        parts = [
            self._sums(rows[start : start + _AT_ONCE]) for start in range(0, len(rows), _AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sums(self, rows: Sequence[Signs]) -> Floats:
        width, lengths = len(self._column) + 1, [len(row) for row in rows]
        begins = np.arange(0, len(rows) * width, width)
        names = chain.from_iterable(rows)
        columns = np.fromiter(map(self._column.get, names, repeat(0)), np.intp, sum(lengths))
        present = np.zeros(len(rows) * width, dtype=np.int8)
        present[columns + begins.repeat(lengths)] = 1
        present[begins] = 0
        at = np.tile(self._roots, (len(rows), 1))
        for _ in range(self._depth):
            nodes = self._nodes.take(at)
            at = nodes >> _BITS
            nodes &= _SIGN
            nodes += begins[:, None]
            at += present.take(nodes)
        sums: Floats = self._value.take(at).sum(axis=1)
        return sums

    def effects(self) -> dict[str, float]:
        """Return the difference that each sign makes, on the mean of the nodes that ask for it."""
        asking = self._nodes[self._nodes & _SIGN > 0]
        sign, following = asking & _SIGN, asking >> _BITS
        makes = self._value[following + 1] - self._value[following]
        mean = np.bincount(sign, makes) / np.maximum(np.bincount(sign), 1)
        return {self.signs[number - 1]: float(mean[number]) for number in set(sign.tolist())}

    def steps(self, present: Collection[str]) -> Iterator[tuple[str, float]]:
        """Yield the signs that the ways of one row ask for, each with the difference that it makes."""
        has = np.array([False, *(sign in present for sign in self.signs)])
        at = self._roots
        for _ in range(self._depth):
            sign, before = self._nodes[at] & _SIGN, at
            at = (self._nodes[at] >> _BITS) + has[sign]
            makes = self._value[at] - self._value[before]
            for number, difference in zip(sign.tolist(), makes.tolist(), strict=True):
                if number:
                    yield self.signs[number - 1], difference


@dataclass(frozen=True)
class SignModel:
    """Trees that ask for one sign after another; ``weights`` are what corrections have added."""

    start: float
    trees: Sequence[Tree] | Trees
    weights: Mapping[str, float] = field(default_factory=dict, kw_only=True)

    @cached_property
    def nodes(self) -> Trees:
        """The trees as arrays."""
        return self.trees if isinstance(self.trees, Trees) else Trees.of(self.trees)

    def log_odds(self, rows: Sequence[Signs]) -> Floats:
        """Return the log-odds of right readings, all sets of signs at once."""
        added = [sum(self.weights.get(s, 0.0) for s in set(row)) for row in rows if self.weights]
        return self.start + self.nodes.sums(rows) + (np.array(added) if added else 0.0)

    @cached_property
    def effects(self) -> dict[str, float]:
        """The difference that each sign makes to the log-odds, on the mean of the nodes that ask for it."""
        return self.nodes.effects()

    def reasons(self, signs: Iterable[str]) -> list[tuple[str, float]]:
        """Return the share of each sign in the log-odds, by size; ``no …`` is that of a missing one."""
        present = frozenset(signs)
        shares: dict[str, float] = defaultdict(float)
        for sign, share in self.nodes.steps(present):
            shares[sign if sign in present else f"no {sign}"] += share
        for sign in sorted(present):
            shares[sign] += self.weights.get(sign, 0.0)
        return sorted(((s, v) for s, v in shares.items() if v), key=lambda share: -abs(share[1]))


@dataclass(frozen=True)
class WordModel:
    """Linear model of sets of words, whose weights count less the more words there are."""

    start: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)


class FigureSigns(NamedTuple):
    """The signs of each option of a figure, of each of its possible goods, and of its units.

    ``context`` are what the network says: for each option its log-share among the names of the figure, and
    the log-odds that the figure is a quote.
    """

    options: Sequence[Signs]
    context: Floats
    goods: Sequence[Signs]
    units: Sequence[Signs]


class Choice(NamedTuple):
    """The numbers of the option, the goods and the unit of a figure, and the confidence in them, 0 to 1.

    ``odds`` are what the confidence rests on: 1, and the log-odds of the option against all others, of the
    same against no quote, of the goods and of the unit against all others. ``signs`` are those of all three,
    ``context`` is what the network says.
    """

    option: int
    goods: int
    unit: int
    odds: tuple[float, ...]
    signs: Signs
    context: tuple[float, float]
    confidence: float = 0.0


_LEVELS = (-2, -1, 0, 1, 2, 3, 4, 5, 6)
_SHARES = (-4, -3, -2, -1, -0.5, -0.2, -0.05)
_SURE_OF = [
    tuple(f"sure: against {part}, {n}" for n in _LEVELS)
    for part in ("all others", "no quote", "other goods", "other units")
]
_PRICE_BY_TEXT = tuple(f"text: price, {n}" for n in _LEVELS)
_NAME_BY_TEXT = tuple(f"text: name, {n}" for n in _SHARES)


def _choice(
    figure: FigureSigns,
    numbers: tuple[int, int, int],
    odds: tuple[float, ...],
) -> Choice:
    option, goods, unit = map(int, numbers)
    of_name, of_figure = map(float, figure.context[option])
    sure = (s[: bisect_right(_LEVELS, own)] for s, own in zip(_SURE_OF, odds[1:], strict=True))
    signs = (
        *figure.options[option],
        *(f"goods: {sign}" for sign in figure.goods[goods]),
        *(f"unit: {sign}" for sign in figure.units[unit]),
        *chain.from_iterable(sure),
        *_PRICE_BY_TEXT[: bisect_right(_LEVELS, of_figure)],
        *_NAME_BY_TEXT[: bisect_right(_SHARES, of_name)],
    )
    return Choice(option, goods, unit, odds, signs, (of_name, of_figure))


@dataclass(frozen=True)
class ChoiceModel(SignModel):
    """A choice among the options of a figure, one of which is that it is no quote.

    The probability of an option is the softmax of the log-odds of all, with 0 for no quote: a
    conditional logit (McFadden, *Conditional logit analysis of qualitative choice behavior*, 1974)
    over boosted trees. ``calibration`` are the weights of ``Choice.odds`` in the log-odds that the
    best option is right, which differ since several options may be right; to them ``doubts`` add what the
    signs of the choice say. ``network`` reads the characters of the text; ``fusion`` are the weights of the
    trees' log-odds, of the two that the network gives, and of 1. Goods and unit of a figure are
    chosen by models of their own.
    """

    calibration: tuple[float, ...] = field(default=(0.0, 1.0, 0.0, 0.0, 0.0), kw_only=True)
    network: TextNetwork | None = field(default=None, kw_only=True)
    fusion: tuple[float, ...] = field(default=(1.0, 0.0, 0.0, 0.0), kw_only=True)
    text_words: Mapping[str, WordModel] = field(default_factory=dict, kw_only=True)  # by goods
    goods: SignModel = field(default_factory=lambda: SignModel(0.0, []), kw_only=True)
    units: SignModel = field(default_factory=lambda: SignModel(0.0, []), kw_only=True)
    doubts: SignModel = field(default_factory=lambda: SignModel(0.0, []), kw_only=True)

    def option_odds(self, options: Iterable[Signs], contexts: Sequence[Floats]) -> Floats:
        """Return the log-odds of the options of all figures of a text."""
        of_trees, *of_network, start = self.fusion
        found: Floats = of_trees * self.log_odds([*options]) + start
        found += np.concatenate(contexts) @ np.array(of_network)
        return found

    def reasons_of(self, context: Sequence[float]) -> list[tuple[str, float]]:
        """Return the shares of the network in the log-odds of a choice."""
        around = ("text around the name", "text around the figure")
        shares = (w * x for w, x in zip(self.fusion[1:], context, strict=False))
        return [(sign, share) for sign, share in zip(around, shares, strict=True) if share]

    @cached_property
    def _goods_by_word(self) -> tuple[dict[str, slice], NDArray[np.intp], Floats]:
        """Places of each word, and there the numbers of kinds of goods with its weights for them."""
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, model in enumerate(self.text_words.values()):
            for word, weight in model.weights.items():
                found[word].append((number, weight))
        ends = accumulate(map(len, found.values()))
        places = {
            word: slice(end - len(found[word]), end) for word, end in zip(found, ends, strict=True)
        }
        pairs = [*chain.from_iterable(found.values())]
        return (
            places,
            np.array([n for n, _ in pairs], np.intp),
            np.array([w for _, w in pairs], float),
        )

    def goods_odds(self, words: Collection[str]) -> dict[str, float]:
        """Return the log-odds of each known kind of goods by the words of a text, as their models do."""
        places, *columns = self._goods_by_word
        # In order, since the last digits of a sum depend on it.
        known = [places[word] for word in sorted(places.keys() & words)]
        numbers, weights = (np.concatenate([c[:0], *(c[at] for at in known)]) for c in columns)
        sums = np.bincount(numbers, weights, len(self.text_words)) / math.sqrt(max(1, len(words)))
        models = zip(self.text_words.items(), sums.tolist(), strict=True)
        return {goods: model.start + own for (goods, model), own in models}

    def best(self, figures: Sequence[FigureSigns]) -> list[Choice]:
        """Return the choice for each figure of a text."""
        if not figures:
            return []
        choices = self.choices(figures)
        rows = [choice.signs for choice in choices]
        odds = np.array([choice.odds for choice in choices]) @ np.array(self.calibration)
        sure = 1 / (1 + np.exp(-np.clip(odds + self.doubts.log_odds(rows), -30, 30)))
        return [
            choice._replace(confidence=float(p)) for choice, p in zip(choices, sure, strict=True)
        ]

    def choices(self, figures: Sequence[FigureSigns]) -> list[Choice]:
        """Return the choice for each figure of a text, without a confidence."""
        contexts = [figure.context for figure in figures]
        odds = self.option_odds((signs for figure in figures for signs in figure.options), contexts)
        of_options = _best_of(odds, [len(figure.options) for figure in figures])
        of_goods, of_units = (
            _best_of(
                model.log_odds([signs for part in parts for signs in part]), list(map(len, parts))
            )
            for model, parts in (
                (self.goods, [figure.goods for figure in figures]),
                (self.units, [figure.units for figure in figures]),
            )
        )
        return [
            _choice(figure, numbers, (1.0, against_all, against_none, goods, unit))
            for figure, numbers, against_all, against_none, goods, unit in zip(
                figures,
                zip(of_options[0], of_goods[0], of_units[0], strict=True),
                *(part.tolist() for part in (*of_options[1:], of_goods[1], of_units[1])),
                strict=True,
            )
        ]

    def reasons(self, signs: Iterable[str]) -> list[tuple[str, float]]:
        """Return the share of each sign in the log-odds, by size; ``no …`` is that of a missing one."""
        present = frozenset(signs)
        own = [(sign, self.fusion[0] * share) for sign, share in super().reasons(present)]
        return sorted([*own, *self.doubts.reasons(present)], key=lambda share: -abs(share[1]))


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
