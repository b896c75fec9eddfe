"""Training of the network that judges figures and names by the characters of their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from focuscrawl.evaluation.classification_metrics import Bools
from focuscrawl.prices.confidence.text_network import (
    GAPS,
    Around,
    FigureInText,
    Indices,
    Reals,
    Sequences,
    Sizes,
    TextNetwork,
    sequences_of,
    shapes,
)

ROUNDS = 16
_RATE, _WARM_UP = 4e-3, 60  # highest rate of learning, and steps until it is reached
_FEWEST = 4  # texts that a character must stand in
_AT_ONCE = 12_000  # characters of a step
_MOST_FIGURES = 60  # of a text at once
_SEEN, _USED = 0.8, 0.7  # shares of the characters and of the inputs that a step sees
_DECAY = 2e-5


@dataclass(frozen=True, slots=True)
class NetworkText:
    """A text with its figures, whether each is a quote, and whether each of its names is right.

    None if no label tells.
    """

    plain: str
    figures: Sequence[FigureInText]
    are_quotes: Sequence[bool | None]
    are_right: Sequence[Sequence[bool | None]]

    def __len__(self) -> int:
        return len(self.plain)


def trained_network(texts: Sequence[NetworkText], rounds: int = ROUNDS) -> TextNetwork | None:
    """Return a network of texts, with weights of a byte each; None without any figure.

    The loss of a figure is that of a logistic regression, and of its names that of a conditional logit,
    of which only figures with a right name are told. Adam (Kingma and Ba, *Adam*, 2015) takes the steps,
    with a rate that falls with the cosine; characters and inputs are left out at random (Srivastava et
    al., *Dropout*, 2014).
    """
    parts = [part for text in texts for part in _parts(text)]
    if not parts:
        return None
    counts = Counter(c for text in texts for c in set(text.plain) if not c.isdecimal())
    characters = "".join(sorted(c for c, count in counts.items() if count >= _FEWEST))
    random = np.random.default_rng(0)
    network = TextNetwork(characters, _first_weights(len(characters), random))
    steps = _Steps(network, random, rounds * len(_batches(parts, range(len(parts)))))
    for _ in range(rounds):
        for batch in _batches(parts, random.permutation(len(parts))):
            steps.take([parts[n] for n in batch])
    # As it will be stored, so that what is measured is what is used.
    return TextNetwork.of_row(network.row())


def _parts(text: NetworkText) -> Iterator[NetworkText]:
    for start in range(0, len(text.figures), _MOST_FIGURES):
        own = slice(start, start + _MOST_FIGURES)
        yield NetworkText(text.plain, text.figures[own], text.are_quotes[own], text.are_right[own])


def _batches(parts: Sequence[NetworkText], order: Sequence[int] | Indices) -> list[list[int]]:
    """Return the numbers of texts of which each step sees some."""
    found: list[list[int]] = [[]]
    size = 0
    for n in order:
        if size + len(parts[n]) > _AT_ONCE and found[-1]:
            found.append([])
            size = 0
        found[-1].append(int(n))
        size += len(parts[n])
    return found


def _first_weights(characters: int, random: np.random.Generator) -> dict[str, Reals]:
    """Return weights as He et al. begin (*Delving deep into rectifiers*, 2015); biases and sums are 0."""
    found = {}
    for name, shape in shapes(characters, Sizes()).items():
        is_drawn = name in ("codes", "figure", "name", "pair") or name.startswith("gap")
        spread = np.sqrt(2 / np.prod(shape[:-1])) if len(shape) > 1 else 0.0
        spread = {"codes": 0.1, "pair": 0.1}.get(name, spread) * is_drawn
        found[name] = random.normal(0, 1, shape).astype(np.float32) * np.float32(spread)
    return found


class _Steps:
    """Steps of Adam on the loss of some texts each."""

    def __init__(self, network: TextNetwork, random: np.random.Generator, count: int) -> None:
        self._network, self._random, self._count = network, random, count
        self._number = 0
        self._mean = {name: np.zeros_like(w) for name, w in network.weights.items()}
        self._square = {name: np.zeros_like(w) for name, w in network.weights.items()}

    def take(self, texts: Sequence[NetworkText]) -> None:
        """Take a step."""
        self._number += 1
        n = self._number
        warm, done = min(1, n / _WARM_UP), min(1, n / self._count)
        rate = _RATE * warm * (1 + np.cos(np.pi * done)) / 2 + 1e-5
        slopes = slopes_of(self._network, texts, self._random)
        size = np.sqrt(sum(float((slope**2).sum()) for slope in slopes.values()))
        for name, weight in self._network.weights.items():
            slope = slopes[name] / max(1.0, size) + _DECAY * weight
            mean, square = self._mean[name], self._square[name]
            mean += 0.1 * (slope - mean)
            square += 0.01 * (slope**2 - square)
            weight -= rate * (mean / (1 - 0.9**n)) / (np.sqrt(square / (1 - 0.99**n)) + 1e-8)


def slopes_of(
    network: TextNetwork, texts: Sequence[NetworkText], random: np.random.Generator | None = None
) -> dict[str, Reals]:
    """Return the slope of the loss by each weight; with ``random``, of a network without some of its parts."""
    found = sequences_of([(text.plain, text.figures) for text in texts], network.code_of)
    seen = _drawn((found.codes > 0).astype(np.float32), _SEEN, random)
    around, states = Around.of(found), network.states(found.codes, seen)
    of_figures = network.figure_inputs(states[-1], found, around)
    of_names = network.name_inputs(states[-1], found, around)
    used = tuple(_drawn(np.ones_like(x), _USED, random) for x in (of_figures, of_names))
    inputs = of_figures * used[0], of_names * used[1]
    odds, hidden = network.judged(*inputs, found.names[:, 4])
    by_odds = _slopes_of_odds(texts, odds.figures, odds.names, found.names[:, 4])
    slopes, by_inputs = _slopes_of_heads(network, inputs, hidden, by_odds, found.names[:, 4])
    by_inputs = by_inputs[0] * used[0], by_inputs[1] * used[1]
    by_states = _slopes_of_states(network, states[-1], found, around, by_inputs, slopes)
    by_codes = _slopes_of_layers(network, states, found.codes, by_states, slopes)
    slopes["codes"] = _summed(by_codes * seen[:, None], found.codes, len(network.weights["codes"]))
    return slopes


def _drawn(ones: Reals, share: float, random: np.random.Generator | None) -> Reals:
    """Return values of which only a share stays, which count more."""
    if random is None:
        return ones
    found: Reals = ones * (random.random(ones.shape, dtype=np.float32) < share) / np.float32(share)
    return found


def _truth(
    texts: Sequence[NetworkText], figure: Indices
) -> tuple[Bools, Bools, Bools, Bools, Bools]:
    """Return which figures are known and quotes, which names are told and right, and which figures have such."""
    quotes = [quote for text in texts for quote in text.are_quotes]
    right = [own for text in texts for names in text.are_right for own in names]
    is_known, is_quote, is_told, is_right = (
        np.array([test(x) for x in values], dtype=bool)
        for values in (quotes, right)
        for test in (lambda x: x is not None, bool)
    )
    return is_known, is_quote, is_told, is_right, np.bincount(figure, is_right, len(quotes)) > 0


def _probable(names: Reals, figure: Indices, is_told: Bools) -> NDArray[np.float64]:
    """Return the probability of each name among those of its figure that a label tells about."""
    odds = np.where(is_told, names.astype(np.float64), -1e9)
    top = np.full(int(figure.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(top, figure, odds)
    shares = np.exp(odds - top[figure])
    found: NDArray[np.float64] = shares * is_told / np.bincount(figure, shares)[figure]
    return found


def _slopes_of_odds(
    texts: Sequence[NetworkText], figures: Reals, names: Reals, figure: Indices
) -> tuple[Reals, Reals]:
    is_known, is_quote, is_told, is_right, has_right = _truth(texts, figure)
    quotes = 1 / (1 + np.exp(-np.clip(figures, -30, 30))) - is_quote
    quotes = np.where(is_known, quotes, 0) / max(1, is_known.sum())
    probable = _probable(names, figure, is_told)
    right = np.bincount(figure, probable * is_right, len(quotes))[figure]
    wanted = probable * is_right / np.maximum(right, 1e-9)
    of_names = np.where(has_right[figure], probable - wanted, 0) / max(1, has_right.sum())
    return quotes.astype(np.float32), of_names.astype(np.float32)


def _slopes_of_heads(
    network: TextNetwork,
    inputs: tuple[Reals, Reals],
    values: tuple[Reals, Reals, Reals],
    by_odds: tuple[Reals, Reals],
    figure: Indices,
) -> tuple[dict[str, Reals], tuple[Reals, Reals]]:
    """Return the slopes by the weights behind the states, and by the inputs of figures and names."""
    w, (hidden, own, pairs), (of_quotes, of_names) = network.weights, values, by_odds
    by_pairs = of_names[:, None] * hidden[figure]
    by_own = of_names[:, None] * w["name sum"] + by_pairs @ w["pair"].T
    by_own[own <= 0] = 0
    by_hidden = of_quotes[:, None] * w["figure sum"]
    by_hidden += _summed(of_names[:, None] * pairs, figure, len(hidden))
    by_hidden[hidden <= 0] = 0
    slopes = {
        "figure": inputs[0].T @ by_hidden, "figure bias": by_hidden.sum(axis=0),
        "figure sum": hidden.T @ of_quotes, "start": of_quotes.sum(keepdims=True),
        "name": inputs[1].T @ by_own, "name bias": by_own.sum(axis=0),
        "name sum": own.T @ of_names, "pair": own.T @ by_pairs,
    }  # fmt: skip
    return slopes, (np.dot(by_hidden, w["figure"].T), np.dot(by_own, w["name"].T))


def _summed(rows: Reals, place: Indices, count: int) -> Reals:
    """Return the sums of the rows of each place."""
    width = rows.shape[1]
    at = (place[:, None] * width + np.arange(width)).ravel()
    found = np.bincount(at, rows.ravel(), count * width).reshape(count, width)
    return found.astype(np.float32)


def _slopes_of_states(
    network: TextNetwork,
    states: Reals,
    found: Sequences,
    around: Around,
    by_inputs: tuple[Reals, Reals],
    slopes: dict[str, Reals],
) -> Reals:
    """Return the slope by each state; add those by what places around a figure or name count more."""
    w, width = network.weights, states.shape[1]
    of_figures = np.split(by_inputs[0], 3, axis=1)
    *of_names, _ = np.split(by_inputs[1], width * np.arange(1, 7), axis=1)
    first, end, _, stands, _ = found.names.T
    rows = [
        of_figures[0],
        of_names[1],
        of_names[2],
        of_names[3] * stands[:, None],
        of_names[4] * stands[:, None],
    ]
    places = [found.figures[:, 0], first, end - 1, first - 1, end]
    total = _summed(np.concatenate(rows), np.concatenate(places), len(states))
    for name, at, counts, slope in (
        ("before", around.before, None, of_figures[1]),
        ("behind", around.behind, None, of_figures[2]),
        ("", around.name, around.in_name, of_names[0]),
        ("between", around.between, around.in_between, of_names[5]),
    ):
        values = states[at] + w[name] if name else states[at]
        values = values if counts is None else values * counts[..., None]
        best = values.argmax(axis=1)  # (rows, width)
        own = slope if counts is None else slope * np.take_along_axis(counts, best, axis=1)
        place = np.take_along_axis(at, best, axis=1) * width + np.arange(width)
        total += np.bincount(place.ravel(), own.ravel(), total.size).reshape(total.shape)
        if name:
            number = best * width + np.arange(width)
            of_places = np.bincount(number.ravel(), own.ravel(), w[name].size)
            slopes[name] = of_places.reshape(w[name].shape).astype(np.float32)
    return total.astype(np.float32)


def _slopes_of_layers(
    network: TextNetwork,
    states: Sequence[Reals],
    codes: Indices,
    by_states: Reals,
    slopes: dict[str, Reals],
) -> Reals:
    """Return the slope by the embedded codes; add those by the weights of the layers."""
    is_text = (codes > 0)[:, None]
    for n in reversed(range(len(GAPS))):
        gap, below, weight = GAPS[n], states[n], network.weights[f"gap {n}"]
        found = states[n + 1] - below if n else states[n + 1]
        slope = by_states * (found > 0) * is_text
        slopes[f"gap {n}"] = np.stack(
            [below[:-gap].T @ slope[gap:], below.T @ slope, below[gap:].T @ slope[:-gap]]
        )
        slopes[f"bias {n}"] = slope.sum(axis=0)
        own = slope @ weight[1].T
        own[:-gap] += slope[gap:] @ weight[0].T
        own[gap:] += slope[:-gap] @ weight[2].T
        by_states = by_states + own if n else own
    return by_states
