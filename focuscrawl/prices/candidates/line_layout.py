"""Layout of a line: its figures, its segments, its possible names, and how they stand to each other."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate

from focuscrawl.prices.candidates.candidate_signs import (
    PossibleName,
    about_name,
    possible_names,
    segments_of,
)
from focuscrawl.prices.names.price_subjects import SubjectMaker
from focuscrawl.prices.tokens.line_tokens import Token
from focuscrawl.prices.tokens.token_kinds import PRICE_LIKE

_FAMILIES = ("name", "place", "goods", "run")
_SHARES = ((0.999, "every"), (0.85, "all"), (0.5, "most"), (0.2, "some"))

Relation = tuple[str, str, int, int]
"""Family of a name, its side of the figure, segments and prices between both."""


@dataclass(slots=True)
class LineLayout:
    """Tokens of a line with the indices of its figures, its segments and its possible names.

    ``relations`` counts the figures that have a name in each relation, ``nearest`` those to which a
    name is the nearest before of its family.
    """

    tokens: Sequence[Token]
    figures: list[int]
    segments: list[tuple[int, int]]
    names: list[PossibleName]
    maker: SubjectMaker  # of the text in which the names stand
    relations: Counter[Relation] = field(default_factory=Counter)
    nearest: Counter[PossibleName] = field(default_factory=Counter)
    _prices: list[int] = field(default_factory=list)  # before each token
    _segments: list[int] = field(default_factory=list)  # of each token
    _beside: dict[tuple[int, PossibleName], list[str]] = field(default_factory=dict)
    _for_all: dict[PossibleName, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, tokens: Sequence[Token], maker: SubjectMaker, most_figures: int) -> LineLayout:
        """Return the layout of a line; one of more figures than ``most_figures`` counts as empty."""
        figures = [
            i
            for i, t in enumerate(tokens)
            if t.kind in PRICE_LIKE and t.figure and t.figure.low > 0
        ]
        segments = segments_of(tokens)
        if len(figures) > most_figures:
            return cls(tokens, [], segments, [], maker)
        names = possible_names(tokens, segments, maker)
        found = cls(tokens, figures, segments, names, maker)
        found._prices = [0, *accumulate(token.kind in PRICE_LIKE for token in tokens)]
        ends = [end for _, end in segments]
        found._segments = [bisect_left(ends, index) for index in range(len(tokens))]
        for index in figures:
            found.relations.update({found.relation(index, name) for name in names})
            nearest: dict[str, PossibleName] = {}
            for name in names:
                if name.last < index:
                    known = nearest.setdefault(name.family, name)
                    if name.last > known.last:
                        nearest[name.family] = name
            found.nearest.update(nearest.values())
        return found

    def missing_before_first_figure(self) -> Iterator[str]:
        """Yield a sign for each family of which no name stands before the first figure."""
        named = {name.family for name in self.names if name.last < self.figures[0]}
        yield from (
            f"no {family} before the first figure" for family in _FAMILIES if family not in named
        )

    def segment_of(self, index: int) -> int:
        """Return the number of the segment of a token."""
        return self._segments[index]

    def relation(self, index: int, name: PossibleName) -> Relation:
        """Return how a name stands to the figure ``tokens[index]``."""
        back = self.segment_of(index) - name.segment
        if name.last < index:
            return name.family, "before", min(back, 3), min(self.prices_between(name, index), 2)
        return name.family, "after", max(back, -2), 0

    def prices_between(self, name: PossibleName, index: int) -> int:
        """Return the number of figures from the end of a name to the token ``index``."""
        return self._prices[index] - self._prices[name.last]

    def signs(
        self, index: int, name: PossibleName, in_text: Counter[Relation], figures: int
    ) -> list[str]:
        """Return the signs of a name for the figure ``tokens[index]``.

        ``in_text`` counts the relations in the whole text, which has so many ``figures``.
        """
        relation = self.relation(index, name)
        text = in_text[relation] / max(1, figures)
        line = self.relations[relation] / max(1, len(self.figures))
        beside = self._beside.get((index, name))
        if beside is None:
            beside = [*self._between(index, name), *self._nearer(index, name)]
            self._beside[index, name] = beside
        return [*_relation_signs(name.family, _level(text), _level(line)), *beside]

    def signs_for_all(self, name: PossibleName) -> list[str]:
        """Return the signs of a name that are the same for all figures of the line."""
        if name not in self._for_all:
            signs = [*about_name(name.text, name.kind), *self._about(name)]
            self._for_all[name] = signs
        return self._for_all[name]

    def _about(self, name: PossibleName) -> Iterator[str]:
        yield f"{name.family} nearest to {min(self.nearest[name], 3)}"
        if name.first:
            yield f"{name.kind} preceded by {self.tokens[name.first - 1].kind}"
        else:
            yield f"{name.kind} begins the line"
        if name.last + 1 < len(self.tokens):
            yield f"{name.kind} followed by {self.tokens[name.last + 1].kind}"
        if any(n is not name and name.first <= n.first and n.last <= name.last for n in self.names):
            yield "holds another"
        if any(
            n.text != name.text and n.first <= name.first and name.last <= n.last
            for n in self.names
        ):
            yield "inside another"

    def _nearer(self, index: int, name: PossibleName) -> Iterator[str]:
        nearer = Counter(n.family for n in self.names if name.last < n.last < index)
        yield from (f"{family} nearer {min(count, 2)}" for family, count in nearer.items())

    def _between(self, index: int, name: PossibleName) -> Iterator[str]:
        is_before = name.last < index
        between = self.tokens[
            slice(*((name.last + 1, index) if is_before else (index + 1, name.first)))
        ]
        side = "between" if is_before else "behind, between"
        yield from (f"{side} {kind}" for kind in sorted({t.kind for t in between}))
        yield f"{side} {min(len(between), 8) // 2 * 2} tokens"
        yield f"{name.kind} {side} {min(len(between), 4)}"


def _level(share: float) -> str:
    for least, word in _SHARES:
        if share > least:
            return word
    return "few"


@cache
def _relation_signs(family: str, in_text: str, in_line: str) -> tuple[str, ...]:
    signs = f"relation of {in_text} in text", f"relation of {in_line} in line"
    return signs[0], f"{family} {signs[0]}", signs[1], f"{family} {signs[1]}"
