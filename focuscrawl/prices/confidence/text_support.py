"""Signs that a text's other figures give: whether what stands alike was chosen for them.

The choices of a first model for all figures of a text become signs for a second one (stacked
sequential learning; Cohen and Carvalho, *Stacked sequential learning*, 2005).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_SHARES = ((0.85, "almost all"), (0.5, "most"), (0.2, "some"), (0.05, "few"))
_LEAST_OTHERS = 0.3  # sum of the probabilities of other quotes
# The words of a place, in order: lines of figures, and ways in which a name stands to its figure.
_LINES = ("in lines of this shape", "in lines of as many figures")
_WAYS = ("a name as near", "a name as far into the line", "as the rules do here")
_STEPS = (-3, -2, -1, 0, 1, 2, 3)
_MANY = 3


class Places(NamedTuple):
    """Where a figure stands, and where the names of its options do; what is alike has the same words."""

    figure: Sequence[str]
    options: Sequence[Sequence[str]]
    names: Sequence[str]


def support_signs(
    figures: Sequence[Places],
    odds: Sequence[Sequence[float]],
    probable: Sequence[Sequence[float]],
) -> list[list[list[str]]]:
    """Return signs for each option of each figure of a text, in order.

    ``odds`` are the log-odds of the options by the first model, ``probable`` their probabilities.
    """
    quotes = [sum(own) for own in probable]
    whole = sum(quotes)
    chosen: defaultdict[str, float] = defaultdict(float)
    alike: defaultdict[str, float] = defaultdict(float)
    count = Counter(key for places in figures for key in places.figure)
    for places, own, quote in zip(figures, probable, quotes, strict=True):
        for where, p in zip(places.options, own, strict=True):
            for key in where:
                chosen[key] += p
        for key in places.figure:
            alike[key] += quote
    found = []
    for number, (places, own) in enumerate(zip(figures, probable, strict=True)):
        quote, others = quotes[number], whole - quotes[number]
        shared = [f"others: {min(len(figures) - 1, _MANY)} figures"]
        for line, key in zip(_LINES, places.figure, strict=False):
            n = count[key] - 1
            shared.append(f"others: {min(n, _MANY)} {line}")
            if n:
                shared.append(f"others: {_level((alike[key] - quote) / n)} {line} are quotes")
        if len(figures) > 1:
            shared.append(f"others: {_level(others / (len(figures) - 1))} are quotes")
        supports = _supports(places, own, chosen, others)
        best = [max(each) for each in zip(*supports, strict=True)]
        beside = [
            (side, dict(zip(figures[at].names, probable[at], strict=True)))
            for side, at in (("before", number - 1), ("behind", number + 1))
            if 0 <= at < len(figures)
        ]
        top = max(odds[number])
        of_figure = []
        for name, support, own_odds in zip(places.names, supports, odds[number], strict=True):
            signs = [*shared, *_of_odds(own_odds, top)]
            if others >= _LEAST_OTHERS:
                for way, share, most in zip(_WAYS, support, best, strict=False):
                    signs.append(f"others: {_level(share)} choose {way}")
                    if share >= most:
                        signs.append(f"others: most choose {way}, best")
            signs += [
                f"others: the figure {side} has {_level(names[name])} of the name"
                for side, names in beside
                if name in names
            ]
            of_figure.append(signs)
        found.append(of_figure)
    return found


def _supports(
    places: Places, own: Sequence[float], chosen: Mapping[str, float], others: float
) -> list[list[float]]:
    """Return for each option the share of other quotes whose names stand where its name does, by each word."""
    mine: defaultdict[str, float] = defaultdict(float)
    for where, p in zip(places.options, own, strict=True):
        for key in where:
            mine[key] += p
    least = max(others, _LEAST_OTHERS)
    return [[(chosen[key] - mine[key]) / least for key in where] for where in places.options]


def _of_odds(odds: float, top: float) -> Iterator[str]:
    yield from (f"others: odds of {step} or more" for step in _STEPS if odds >= step)
    if odds >= top:
        yield "others: best so far"
    else:
        yield f"others: {min(int(top - odds), 3)} behind the best"


def _level(share: float) -> str:
    return next((word for least, word in _SHARES if share >= least), "no")
