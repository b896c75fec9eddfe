"""Adaptation of a price model to the texts of one site by a user's corrections.

The corrections are the file that ``scrapy quotes`` wrote, with its wrong rows corrected or deleted and
missing rows added. Names in it that the reader does not know become names of firms, and the weights of
the signs that stand with right or wrong readings change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.evaluation.prices.labelled_texts import LabelledText, read_labelled
from focuscrawl.evaluation.prices.price_training import (
    ReadText,
    best_threshold,
    judged_by,
    known,
    read_by_rules,
    with_network,
)
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.tokens.bulletin_words import lexicon

_PENALTY = 1.0
_ROUNDS = 25
_LEAST_SEEN = 2  # readings that a sign must stand in
_LONGEST_NAME = 12
_MOST_LOST = 0.5
_LEAST_QUOTES = 20  # for a threshold


@dataclass(frozen=True, slots=True)
class Adapted:
    """An adapted model, and how many quotes agree with the corrections before and after.

    ``threshold`` is the lowest confidence of the model before with the precision wanted, None for too
    few quotes to tell.
    """

    model: PriceModel
    texts: int
    changed: Sequence[str]
    quotes: int
    right_before: int
    right_after: int
    doubtful_before: int
    doubtful_after: int
    threshold: float | None


def adapted(model: PriceModel, texts_file: Path, corrections: Path) -> Adapted:
    """Return the model adapted to corrections. Raises ArgumentError without any of these texts."""
    found = [t for t in read_labelled(texts_file, corrections) if t.labels]
    changed = [text.source_id for text in found if _has_changed(text)]
    texts = [text for text in found if text.source_id not in changed]
    if not texts:
        raise ArgumentError(
            f"{corrections} has no row that stands in a text of {texts_file}; correct its present quotes"
        )
    texts = [_as_corrected(text, model.names) for text in texts]
    before = [read_by_rules(text, model.names) for text in texts]
    names = model.names | frozenset(_new_names(texts))
    after = [read_by_rules(text, names) for text in texts]
    new = replace(_corrected(model, after), names=names)
    return Adapted(
        model=new,
        texts=len(texts),
        changed=changed,
        quotes=sum(len(text.labels) for text in texts),
        right_before=_right(before),
        right_after=_right(after),
        doubtful_before=_doubtful(before, model),
        doubtful_after=_doubtful(after, new),
        threshold=_threshold(before, model),
    )


def _as_corrected(text: LabelledText, names: frozenset[str]) -> LabelledText:
    """Return a text with the price per ton of each row of which only the price as printed was corrected."""
    changed = [x for x in text.labels if x.printed and not _is_near(x.printed, (x.low, x.high))]
    if not changed:
        return text
    read = [
        (float(q.price_yuan_per_ton_low), float(q.price_yuan_per_ton_high))
        for q in read_by_rules(text, names).judged.quotes
    ]
    labels = [
        replace(x, low=x.printed[0], high=x.printed[1])
        if x in changed and x.printed and any(_is_near((x.low, x.high), price) for price in read)
        else x
        for x in text.labels
    ]
    return replace(text, labels=labels)


def _is_near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(abs(a - b) <= 0.5 for a, b in zip(one, other, strict=True))


def _threshold(texts: Sequence[ReadText], model: PriceModel) -> float | None:
    """Return the threshold of a model that has not learned from these texts."""
    judged = [judged_by(text, model) for text in texts]
    return best_threshold(judged) if len(known(judged)[1]) >= _LEAST_QUOTES else None


def _has_changed(text: LabelledText) -> bool:
    """Return whether most spans of the corrections no longer stand in the text."""
    plain = "".join(text.text.split())
    spans = ["".join(label.span.split()) for label in text.labels if label.span]
    return sum(span not in plain for span in spans) > len(spans) * _MOST_LOST


def _new_names(texts: Sequence[LabelledText]) -> set[str]:
    """Return the names of the corrections that no list has, as they stand in the texts."""
    kinds = lexicon(load_aliases().names).kinds
    found = {
        (name, text.text) for text in texts for label in text.labels for name in label.names[:1]
    }
    return {
        name
        for name, text in found
        if 1 < len(name) <= _LONGEST_NAME
        and name not in kinds
        and name in text
        and not any(map(str.isdigit, name))
    }


def _corrected(model: PriceModel, texts: Sequence[ReadText]) -> PriceModel:
    """Return a model with weights that the options of some texts change."""
    weights = {**model.weights}
    for sign, weight in _changes(model, texts).items():
        weights[sign] = round(weights.get(sign, 0.0) + weight / model.fusion[0], 4)
    return replace(model, weights=weights)


def _changes(model: PriceModel, texts: Sequence[ReadText]) -> dict[str, float]:
    """Return changes of weights: a logistic regression that begins at the model's log-odds."""
    figures = [f for text in texts for f in with_network(text, model.network).figures]
    every = [option for figure in figures for option in figure.options]
    readings = [r for r in every if r.is_right is not None]
    signs, counts = np.unique([s for r in readings for s in set(r.signs)], return_counts=True)
    chosen = [str(s) for s, count in zip(signs, counts, strict=True) if count >= _LEAST_SEEN]
    if not readings or not chosen:
        return {}
    matrix = np.array([[sign in r.signs for sign in chosen] for r in readings], dtype=np.float64)
    odds = model.option_odds((r.signs for r in every), [figure.context for figure in figures])
    start = odds[[r.is_right is not None for r in every]]
    labels = np.array([bool(r.is_right) for r in readings])
    fitted = _fitted(matrix, start, labels)
    return {s: float(w) for s, w in zip(chosen, fitted, strict=True) if abs(w) > 1e-3}


def _fitted(matrix: Floats, start: Floats, labels: Bools) -> Floats:
    """Return the weights by Newton's method; the penalty keeps them small for few corrections."""
    weights = np.zeros(matrix.shape[1])
    for _ in range(_ROUNDS):
        probable = 1 / (1 + np.exp(-np.clip(start + matrix @ weights, -30, 30)))
        slope = matrix.T @ (probable - labels) + _PENALTY * weights
        curve = (matrix * (probable * (1 - probable))[:, None]).T @ matrix
        weights -= np.linalg.solve(curve + _PENALTY * np.eye(len(weights)), slope)
    return weights


def _right(texts: Sequence[ReadText]) -> int:
    return sum(len(text.judged.outcome.pairs) for text in texts)


def _doubtful(texts: Sequence[ReadText], model: PriceModel) -> int:
    """Return the number of wrong readings that the model does not trust."""
    confidences, is_right = known([judged_by(text, model) for text in texts])
    return int((confidences[~is_right] < model.threshold).sum())
