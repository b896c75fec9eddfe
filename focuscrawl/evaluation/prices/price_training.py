"""Training of the model that judges how sure the reading of a quote is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.evaluation.prices.labelled_texts import Label, LabelledText, normal
from focuscrawl.evaluation.prices.price_tables import Judged
from focuscrawl.evaluation.prices.quote_matching import is_named, matching
from focuscrawl.prices.candidates.quote_candidates import Offer, offers
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.quote_confidence import confident
from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_checks import quote_of
from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.quote_reader import read_document

TREES, DEPTH = 150, 3
CHOICE_TREES, CHOICE_DEPTH = 250, 5
LEAST = 0.4
"""Confidence below which a figure is taken for no quote."""
PRECISION = 0.97
"""Precision of the quotes above the default threshold, on held-out sites."""
FREE = 0.45
"""Probability of a figure that the rules leave out from which it counts."""
_TOLERANCE, _NEAR = 0.5, 8
_LEAST_SEEN = 5  # readings that a sign must stand in
_BINS = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """One quote of the rules: its signs, and whether a label says so; None where no label can tell."""

    signs: tuple[str, ...]
    is_right: bool | None


@dataclass(frozen=True, slots=True)
class ReadText:
    """A labelled text with the quotes that the rules find."""

    text: LabelledText
    judged: Judged
    readings: Sequence[Reading]
    document: Document
    pairs: Sequence[Reading]


def read_by_rules(text: LabelledText, names: frozenset[str] = frozenset()) -> ReadText:
    """Read a text by the rules alone, and look up each quote among the labels.

    ``names`` are those that a user's corrections have added.
    """
    aliases = load_aliases()
    document = read_document(text.text, text.title, aliases.names | names)
    quotes = [quote_of(draft, document, None, aliases) for draft in document.drafts]
    found = matching(quotes, text.labels)
    right = {id(reading.quote) for reading, _ in found.pairs}
    unknown = {id(reading.quote) for reading in found.ignored}
    readings = [
        Reading(draft.signs, None if id(quote) in unknown else id(quote) in right)
        for draft, quote in zip(document.drafts, quotes, strict=True)
    ]
    pairs = [_pair(offer, text.labels) for group in offers(document) for offer in group]
    return ReadText(text, Judged(text, quotes, found), readings, document, pairs)


def _pair(offer: Offer, labels: Sequence[Label]) -> Reading:
    """Return a figure with a possible subject, and whether a label says so."""
    low, high = (float(x * offer.unit.yuan_per_ton) for x in (offer.figure.low, offer.figure.high))
    name = normal(offer.subject.mention)
    found = [
        label
        for label in labels
        if abs(label.low - low) <= _TOLERANCE
        and abs(label.high - high) <= _TOLERANCE
        and (label.start is None or abs(label.start - offer.start) <= _NEAR)
        and is_named(name, label)
    ]
    is_unknown = bool(found) and not any(label.is_scored for label in found)
    return Reading(offer.signs, None if is_unknown else bool(found))


def train(texts: Sequence[ReadText]) -> PriceModel:
    """Return a model of the readings, and of the choice of their subjects."""
    model = _fitted([r for text in texts for r in text.readings], TREES, DEPTH)
    choice = _fitted([p for text in texts for p in text.pairs], CHOICE_TREES, CHOICE_DEPTH)
    return replace(model, choice=replace(choice, threshold=FREE))


def _fitted(readings: Sequence[Reading], trees: int, depth: int) -> PriceModel:
    rows = [r for r in readings if r.is_right is not None]
    labels = np.array([bool(r.is_right) for r in rows])
    if labels.all() or not labels.any():
        return PriceModel(4.0 if len(labels) and labels.all() else -4.0, [], 0.5, LEAST)
    names = _common([r.signs for r in rows])
    machine = GradientBoostingClassifier(
        n_estimators=trees, max_depth=depth, learning_rate=0.06, subsample=0.5, max_features=0.1,
        min_samples_leaf=10, random_state=0,
    )  # fmt: skip
    machine.fit(_matrix([r.signs for r in rows], names), labels)
    prior = float(machine.init_.class_prior_[1])
    exported = [
        _exported(each[0].tree_, names, machine.learning_rate) for each in machine.estimators_
    ]
    return PriceModel(float(np.log(prior / (1 - prior))), exported, 0.5, LEAST)


def _common(found: Sequence[tuple[str, ...]]) -> list[str]:
    names, counts = np.unique([s for signs in found for s in set(signs)], return_counts=True)
    return [str(name) for name, count in zip(names, counts, strict=True) if count >= _LEAST_SEEN]


def _matrix(found: Sequence[tuple[str, ...]], names: Sequence[str]) -> NDArray[np.float32]:
    column = {name: number for number, name in enumerate(names)}
    matrix = np.zeros((len(found), len(names)), dtype=np.float32)
    for row, signs in enumerate(found):
        matrix[row, [column[s] for s in signs if s in column]] = 1
    return matrix


def _exported(tree: Any, names: Sequence[str], rate: float) -> list[list[Any]]:
    """Return a tree of scikit-learn as nodes, in its order, in which children follow their parent."""
    is_leaf = tree.children_left < 0
    # Training has changed the values of the leaves only; a node's is the mean of those below it.
    values = [float(value[0][0]) * rate for value in tree.value]
    for n in reversed(range(tree.node_count)):
        if not is_leaf[n]:
            below = (tree.children_left[n], tree.children_right[n])
            sizes = [tree.n_node_samples[child] for child in below]
            values[n] = sum(values[c] * size for c, size in zip(below, sizes, strict=True)) / sum(
                sizes
            )
    return [
        [
            "" if is_leaf[n] else names[tree.feature[n]],
            0 if is_leaf[n] else int(tree.children_left[n]),
            0 if is_leaf[n] else int(tree.children_right[n]),
            round(values[n], 4),
        ]
        for n in range(tree.node_count)
    ]


def folds_of(texts: Sequence[ReadText], folds: int, seed: int) -> list[int]:
    """Return the fold of each text; those of one site are in one fold."""
    sites = sorted({text.text.site for text in texts})
    np.random.default_rng(seed).shuffle(sites)
    fold = {site: number % folds for number, site in enumerate(sites)}
    return [fold[text.text.site] for text in texts]


def held_out(texts: Sequence[ReadText], folds: int, seed: int = 0) -> list[Judged]:
    """Return the quotes of each text, with the confidence of a model that has not seen its site."""
    fold = folds_of(texts, folds, seed)
    models = [
        train([t for t, f in zip(texts, fold, strict=True) if f != number])
        for number in range(folds)
    ]
    return [judged_by(text, models[f]) for text, f in zip(texts, fold, strict=True)]


def judged_by(text: ReadText, model: PriceModel) -> Judged:
    """Return a text with all quotes of the rules and the model, whatever their confidence."""
    document = replace(text.document, drafts=[replace(d) for d in text.document.drafts])
    aliases = load_aliases()
    quotes = [quote_of(draft, document, None, aliases) for draft in confident(document, model)]
    return Judged.of(text.text, quotes)


def kept(judged: Judged, threshold: float) -> Judged:
    """Return a text with the quotes of at least this confidence only."""
    return Judged.of(judged.text, [q for q in judged.quotes if (q.confidence or 0) >= threshold])


def calibration_error(confidences: Floats, is_right: Bools) -> float:
    """Return the expected calibration error over ten bins of equal size."""
    order = np.argsort(confidences, kind="stable")
    bins = [part for part in np.array_split(order, _BINS) if len(part)]
    gaps = [len(part) * abs(confidences[part].mean() - is_right[part].mean()) for part in bins]
    return float(sum(gaps) / len(order))


def known(judged: Sequence[Judged]) -> tuple[Floats, Bools]:
    """Return the confidences and outcomes of the quotes that the labels cover."""
    pairs = [
        (float(reading.quote.confidence or 0), is_right)
        for each in judged
        for is_right, readings in (
            (True, [reading for reading, _ in each.outcome.pairs]),
            (False, [*each.outcome.wrong, *each.outcome.spurious]),
        )
        for reading in readings
    ]
    return np.array([c for c, _ in pairs]), np.array([right for _, right in pairs])


def best_threshold(confidences: Floats, is_right: Bools, precision: float = PRECISION) -> float:
    """Return the lowest threshold, in steps of a hundredth, with this precision; 0.95 if none has."""
    for hundredths in range(round(LEAST * 100), 95):
        above = confidences >= hundredths / 100
        if above.any() and is_right[above].mean() >= precision:
            return hundredths / 100
    return 0.95


def trained(texts: Sequence[ReadText], folds: int) -> PriceModel:
    """Return a model of all texts, with the threshold and figures of held-out sites."""
    confidences, is_right = known(held_out(texts, folds))
    threshold = best_threshold(confidences, is_right)
    above = confidences >= threshold
    labels = sum(label.is_scored for text in texts for label in text.text.labels)
    figures: dict[str, float] = {
        "texts": len(texts),
        "sites": len({text.text.site for text in texts}),
        "readings": len(is_right),
        "folds": folds,
        "calibration_error": round(calibration_error(confidences, is_right), 3),
        "precision_above_threshold": round(float(is_right[above].mean()), 3)
        if above.any()
        else 0.0,
        "recall_above_threshold": round(float(is_right[above].sum() / max(labels, 1)), 3),
    }
    return replace(train(texts), threshold=threshold, card=figures)


def price_card(model: PriceModel, files: Sequence[str]) -> str:
    """Return the model card in Markdown; ``files`` are those of texts and labels."""
    card = model.card
    return (
        "# Model of the confidence of quotes\n\n"
        f"Trained on {', '.join(files)}: {card['readings']} readings of {card['texts']} texts of"
        f" {card['sites']} sites. {len(model.trees)} trees of depth {DEPTH} (gradient boosting) over signs of"
        " the reading, by name; the file holds no text. scikit-learn "
        f"{version('scikit-learn')}.\n\n"
        f"On sites held out in {card['folds']} folds: expected calibration error"
        f" {card['calibration_error']}; at or above the threshold {model.threshold}: precision"
        f" {card['precision_above_threshold']}, and {card['recall_above_threshold']} of the labelled quotes."
        f" Figures below {model.least} are taken for no quotes.\n"
    )
