"""Signs that a text's other figures give: whether what stands alike was chosen for them.

The choices of a first model for all figures of a text become signs for a second one (stacked
sequential learning; Cohen and Carvalho, *Stacked sequential learning*, 2005).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_SHARES, _LEVELS = (0.05, 0.2, 0.5, 0.85), ("no", "few", "some", "most", "almost all")
_LEAST_OTHERS = 0.3  # sum of the probabilities of other quotes
# The words of a place, in order: lines of figures, and ways in which a name stands to its figure.
_LINES = ("in lines of this shape", "in lines of as many figures")
_WAYS = ("a name as near", "a name as far into the line", "as the rules do here")
_CHOOSE = {
    way: [
        *(f"others: {level} choose {way}" for level in _LEVELS),
        f"others: most choose {way}, best",
    ]
    for way in _WAYS
}
_STEPS = (-3, -2, -1, 0, 1, 2, 3)
_OF_ODDS = [f"others: odds of {step} or more" for step in _STEPS]
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
        shared = [
            *_alike(places, quote, alike, count),
            f"others: {min(len(figures) - 1, _MANY)} figures",
        ]
        if len(figures) > 1:
            shared.append(f"others: {_level(others / (len(figures) - 1))} are quotes")
        beside = [
            (side, dict(zip(figures[at].names, probable[at], strict=True)))
            for side, at in (("before", number - 1), ("behind", number + 1))
            if 0 <= at < len(figures)
        ]
        supports = _supports(places, own, chosen, others)
        of_figure = [[*shared, *signs] for signs in _choosing(supports, others)]
        top = max(odds[number])
        for signs, name, own_odds in zip(of_figure, places.names, odds[number], strict=True):
            signs += _of_odds(own_odds, top)
            signs += [
                f"others: the figure {side} has {_level(names[name])} of the name"
                for side, names in beside
                if name in names
            ]
        found.append(of_figure)
    return found


def _alike(
    places: Places, quote: float, alike: Mapping[str, float], count: Mapping[str, int]
) -> Iterator[str]:
    """Yield how many figures stand as one does, and how many of them are quotes."""
    for line, key in zip(_LINES, places.figure, strict=False):
        n = count[key] - 1
        yield f"others: {min(n, _MANY)} {line}"
        if n:
            yield f"others: {_level((alike[key] - quote) / n)} {line} are quotes"


def _choosing(supports: Sequence[Sequence[float]], others: float) -> Iterator[list[str]]:
    """Yield for each option how many other quotes choose names that stand as its name does."""
    best = [max(each) for each in zip(*supports, strict=True)]
    for support in supports if others >= _LEAST_OTHERS else ():
        signs = []
        for way, share, most in zip(_WAYS, support, best, strict=False):
            signs.append(_CHOOSE[way][bisect_right(_SHARES, share)])
            if share >= most:
                signs.append(_CHOOSE[way][-1])
        yield signs
    if others < _LEAST_OTHERS:
        yield from ([] for _ in supports)


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


def _of_odds(odds: float, top: float) -> list[str]:
    behind = "best so far" if odds >= top else f"{min(int(top - odds), 3)} behind the best"
    return [*_OF_ODDS[: bisect_right(_STEPS, odds)], f"others: {behind}"]


def _level(share: float) -> str:
    return _LEVELS[bisect_right(_SHARES, share)]
