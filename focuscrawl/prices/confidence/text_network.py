"""Convolutional network over the characters of a text, which judges its figures and the names of their options.

Three layers of convolutions, each with wider gaps than the one before (Yu and Koltun, *Multi-scale
context aggregation by dilated convolutions*, 2016), give each character a state; figures and names
are judged by the states of their own characters and the largest ones around.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float32]
Indices = NDArray[np.intp]

BEFORE, BEHIND = 48, 16
"""Characters around a figure that count."""
BETWEEN, LONGEST_NAME = 28, 14
"""Characters from a name to its figure, and of the name itself."""
GAPS = (1, 2, 4)
"""Distance of the three characters that a convolution joins, by layer."""
_REACH = [0] * sum(GAPS)  # behind a name that stands alone: as far as its states see
_FURTHEST = 300  # characters from a name to its figure
_MARGIN = 200  # characters around that tell of the first name and the last figure of a piece
_LONGEST_PIECE, _MOST_FIGURES = 4000, 60
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Codes: 0 is a gap; numbers are told by their digits; then there are characters.
_UNKNOWN, _NUMBERS = 1, 2
_WHOLE, _SHARES = 6, 3  # digits of whole numbers, and those before the point of others
FIRST_CHARACTER = _NUMBERS + _WHOLE + _SHARES
_LARGEST = 127  # of a byte


class FigureInText(NamedTuple):
    """A figure by its first character and the one behind it, with the names of its options."""

    start: int
    end: int
    names: Sequence[str]


class Sequences(NamedTuple):
    """Texts as one sequence of codes, with gaps between, and the places of figures and names in it.

    ``figures`` has a row of first place and end for each figure; ``names`` has one of first place, end, the
    place of the figure, whether the name stands before it (0 or 1), and the number of the figure.
    """

    codes: Indices
    figures: Indices
    names: Indices


def _pieces(
    plain: str, figures: Sequence[FigureInText]
) -> Iterator[tuple[str, list[FigureInText]]]:
    """Yield the pieces of a text that hold some figures each and what they are judged by, so that memory is bounded."""
    first = 0
    while first < len(figures):
        start, last = figures[first].start, first + 1
        while (
            last < len(figures)
            and last - first < _MOST_FIGURES
            and figures[last].start - start < _LONGEST_PIECE
        ):
            last += 1
        own = figures[first:last]
        begin = max(0, start - _FURTHEST - _MARGIN)
        shifted = [FigureInText(f.start - begin, f.end - begin, f.names) for f in own]
        yield plain[begin : own[-1].end + _MARGIN], shifted
        first = last


def encoded(plain: str, characters: Mapping[str, int]) -> tuple[list[int], Indices]:
    """Return a text as codes, one for each character or whole number, and the place of each character."""
    codes: list[int] = []
    places = np.zeros(len(plain) + 1, dtype=np.intp)
    end = 0
    for match in _NUMBER.finditer(plain):
        places[end : match.start()] = np.arange(len(codes), len(codes) + match.start() - end)
        codes += map(characters.get, plain[end : match.start()], repeat(_UNKNOWN))
        places[match.start() : match.end()] = len(codes)
        codes.append(_code_of_number(match[0]))
        end = match.end()
    places[end:] = np.arange(len(codes), len(codes) + len(plain) + 1 - end)
    codes += map(characters.get, plain[end:], repeat(_UNKNOWN))
    return codes, places


def _code_of_number(number: str) -> int:
    whole, point, _ = number.partition(".")
    if point:
        return _NUMBERS + _WHOLE + min(len(whole), _SHARES) - 1
    return _NUMBERS + min(len(whole), _WHOLE) - 1


def sequences_of(
    texts: Iterable[tuple[str, Sequence[FigureInText]]], characters: Mapping[str, int]
) -> Sequences:
    """Return texts as one sequence; a name that does not stand before its figure is a text of its own."""
    codes: list[int] = []
    figures: list[tuple[int, int]] = []
    names: list[tuple[int, int, int, int, int]] = []

    def append(text: str, gap: Sequence[int]) -> tuple[int, Indices]:
        codes.extend(gap)
        start = len(codes)
        own, places = encoded(text, characters)
        codes.extend(own)
        return len(own), start + places

    for plain, own in texts:
        places = append(plain, [0] * BEFORE)[1]
        codes.extend([0] * BEHIND)
        alone: dict[str, tuple[int, int]] = {}
        for start, end, options in own:
            for name in options:
                begin = plain.rfind(name, max(0, start - _FURTHEST), start)
                if begin >= 0:
                    until = places[begin + len(name) - 1] + 1
                    names.append((places[begin], until, places[start], 1, len(figures)))
                    continue
                if name not in alone:
                    length, at = append(name, _REACH)
                    alone[name] = at[0], at[0] + length
                names.append((*alone[name], 0, 0, len(figures)))
            figures.append((places[start], places[end - 1] + 1))
    codes.extend([0] * BETWEEN)
    return Sequences(
        np.array(codes, dtype=np.intp),
        np.array(figures, dtype=np.intp).reshape(-1, 2),
        np.array(names, dtype=np.intp).reshape(-1, 5),
    )


class Around(NamedTuple):
    """Places around figures and names, a row each, and which of them count."""

    before: Indices
    behind: Indices
    name: Indices
    in_name: NDArray[np.bool_]
    between: Indices
    in_between: NDArray[np.bool_]

    @classmethod
    def of(cls, found: Sequences) -> Around:
        """Return the places of sequences."""
        first, end, figure = (found.names[:, n, None] for n in (0, 1, 2))
        name = first + np.arange(LONGEST_NAME)
        between = end + np.arange(BETWEEN)
        return cls(
            found.figures[:, :1] - 1 - np.arange(BEFORE),
            found.figures[:, 1:] + np.arange(BEHIND),
            np.minimum(name, end - 1),
            name < end,
            np.minimum(between, len(found.codes) - 1),
            between < figure,
        )


class Odds(NamedTuple):
    """Log-odds that each figure is a quote, and scores of the names of all, in order."""

    figures: Reals
    names: Reals


@dataclass(frozen=True)
class TextNetwork:
    """A network: ``characters`` that it knows, and its ``weights`` by name.

    Shapes: ``codes`` (codes, width), ``gap N`` (3, width, states), ``bias N`` (states,), ``before``, ``behind``
    and ``between`` (places, states), ``figure`` (3 states, hidden), ``name`` (6 states + 1, hidden), ``pair``
    (hidden, hidden), and their biases and sums (hidden,).
    """

    characters: str
    weights: Mapping[str, Reals]

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of each character."""
        return {character: n for n, character in enumerate(self.characters, FIRST_CHARACTER)}

    def odds(self, plain: str, figures: Sequence[FigureInText]) -> Odds:
        """Return what the network says of the figures of a text, which are in order."""
        parts = [self._odds(*part) for part in _pieces(plain, figures)]
        return Odds(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _odds(self, plain: str, figures: Sequence[FigureInText]) -> Odds:
        found = sequences_of([(plain, figures)], self.code_of)
        states = self.states(found.codes)[-1]
        around = Around.of(found)
        of_figures = self.figure_inputs(states, found, around)
        of_names = self.name_inputs(states, found, around)
        return self.judged(of_figures, of_names, found.names[:, 4])[0]

    def states(self, codes: Indices, seen: Reals | None = None) -> list[Reals]:
        """Return the embedded codes, times ``seen`` (in training), and the states behind each layer."""
        is_text = (codes > 0)[:, None]
        layers = [self.weights["codes"][codes] * (is_text if seen is None else seen[:, None])]
        for n, gap in enumerate(GAPS):
            below, weight = layers[-1], self.weights[f"gap {n}"]
            found = below @ weight[1] + self.weights[f"bias {n}"]
            found[gap:] += (below @ weight[0])[:-gap]
            found[:-gap] += (below @ weight[2])[gap:]
            np.maximum(found, 0, out=found)
            found *= is_text
            layers.append(found + below if n else found)
        return layers

    def figure_inputs(self, states: Reals, found: Sequences, around: Around) -> Reals:
        """Return the states that tell about each figure."""
        parts = (
            states[found.figures[:, 0]],
            (states[around.before] + self.weights["before"]).max(axis=1),
            (states[around.behind] + self.weights["behind"]).max(axis=1),
        )
        return np.concatenate(parts, axis=1)

    def name_inputs(self, states: Reals, found: Sequences, around: Around) -> Reals:
        """Return the states that tell about each name."""
        first, end = found.names[:, 0], found.names[:, 1]
        stands = found.names[:, 3, None].astype(np.float32)
        between = states[around.between] + self.weights["between"]
        parts = (
            (states[around.name] * around.in_name[..., None]).max(axis=1),
            states[first],
            states[end - 1],
            states[first - 1] * stands,
            states[end] * stands,
            (between * around.in_between[..., None]).max(axis=1),
            stands,
        )
        return np.concatenate(parts, axis=1)

    def judged(
        self, of_figures: Reals, of_names: Reals, figure: Indices
    ) -> tuple[Odds, tuple[Reals, Reals, Reals]]:
        """Return the log-odds, and the hidden values of figures, names and pairs behind them."""
        w = self.weights
        hidden = np.maximum(of_figures @ w["figure"] + w["figure bias"], 0)
        own = np.maximum(of_names @ w["name"] + w["name bias"], 0)
        pairs = own @ w["pair"]
        names = own @ w["name sum"] + (pairs * hidden[figure]).sum(axis=1)
        return Odds(hidden @ w["figure sum"] + w["start"], names), (hidden, own, pairs)

    def row(self) -> dict[str, Any]:
        """Return the network as it is stored: weights as whole numbers of a byte with a scale."""
        return {
            "characters": self.characters,
            "weights": {name: _packed(values) for name, values in self.weights.items()},
        }

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> TextNetwork:
        """Return the network of a row; raises ValueError, KeyError or TypeError for one that is none."""
        characters = str(row["characters"])
        weights = {str(name): _unpacked(values) for name, values in row["weights"].items()}
        sizes = Sizes(weights["codes"].shape[1], len(weights["bias 0"]), len(weights["pair"]))
        if {n: w.shape for n, w in weights.items()} != shapes(len(characters), sizes):
            raise ValueError
        return cls(characters, weights)


def contexts_of(
    network: TextNetwork | None, plain: str, figures: Sequence[FigureInText]
) -> list[NDArray[np.float64]]:
    """Return for each figure of a text a row of each name; zeros without a network.

    They are the log-share of the name among those of the figure, and the log-odds that the figure is a quote.
    """
    if network is None or not figures:
        return [np.zeros((len(figure.names), 2)) for figure in figures]
    odds = network.odds(plain, figures)
    ends = np.cumsum([len(figure.names) for figure in figures])[:-1]
    return [
        np.stack([own - np.logaddexp.reduce(own), np.full(len(own), of_figure)], axis=1).astype(
            float
        )
        for own, of_figure in zip(np.split(odds.names, ends), odds.figures, strict=True)
    ]


class Sizes(NamedTuple):
    """Number of values of a code, of a state, and of a judgement."""

    code: int = 32
    state: int = 64
    hidden: int = 64


def shapes(characters: int, sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """Return the shape of each kind of weights, by name."""
    code, state, hidden = sizes
    layers = {f"gap {n}": (3, state if n else code, state) for n in range(len(GAPS))}
    return {
        "codes": (FIRST_CHARACTER + characters, code),
        **layers,
        **{f"bias {n}": (state,) for n in range(len(GAPS))},
        "before": (BEFORE, state),
        "behind": (BEHIND, state),
        "between": (BETWEEN, state),
        "figure": (3 * state, hidden),
        "figure bias": (hidden,),
        "figure sum": (hidden,),
        "start": (1,),
        "name": (6 * state + 1, hidden),
        "name bias": (hidden,),
        "name sum": (hidden,),
        "pair": (hidden, hidden),
    }


def _packed(values: Reals) -> dict[str, Any]:
    """Return weights as bytes with a scale for each column."""
    scale = np.abs(values.reshape(-1, values.shape[-1])).max(axis=0) / _LARGEST
    whole = np.round(values / np.where(scale > 0, scale, 1)).astype(np.int8)
    return {
        "shape": values.shape,
        "scale": [float(f"{each:.4g}") for each in scale],
        "bytes": base64.b64encode(whole.tobytes()).decode("ascii"),
    }


def _unpacked(row: Mapping[str, Any]) -> Reals:
    whole = np.frombuffer(base64.b64decode(row["bytes"], validate=True), dtype=np.int8)
    scale = np.array(row["scale"], dtype=np.float32)
    if not np.isfinite(scale).all():
        raise ValueError
    return whole.reshape([int(n) for n in row["shape"]]).astype(np.float32) * scale
