"""Training of the model that judges how sure the reading of a quote is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np
from sklearn.linear_model import LogisticRegression

from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.evaluation.prices.labelled_texts import Label, LabelledText, normal
from focuscrawl.evaluation.prices.price_tables import Judged
from focuscrawl.evaluation.prices.quote_matching import is_named, matching
from focuscrawl.evaluation.prices.sign_training import Boosting
from focuscrawl.prices.candidates.quote_candidates import Offer, offers
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.quote_confidence import confident
from focuscrawl.prices.confidence.sign_models import ChoiceModel, Tree
from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_checks import quote_of
from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.quote_reader import read_document

RULE_TREES, CHOICE_TREES = Boosting(150, 3), Boosting(400, 5)
LEAST = 0.4
"""Confidence below which a figure is taken for no quote."""
PRECISION = 0.97
"""Precision of the quotes above the default threshold, on held-out sites."""
_TOLERANCE, _NEAR = 0.5, 8
_BINS = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """One quote, or one option of a figure: its signs, and whether a label says so; None if none can tell."""

    signs: tuple[str, ...]
    is_right: bool | None


@dataclass(frozen=True, slots=True)
class ReadText:
    """A labelled text with the quotes that the rules find."""

    text: LabelledText
    judged: Judged
    readings: Sequence[Reading]
    document: Document
    options: Sequence[Sequence[Reading]]  # of each figure


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
    options = [[_option(offer, text.labels) for offer in group] for group in offers(document)]
    return ReadText(text, Judged(text, quotes, found), readings, document, options)


def _option(offer: Offer, labels: Sequence[Label]) -> Reading:
    """Return a figure with a possible subject as a reading."""
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
    """Return a model of the readings of the rules, and of the choice of the subject of any figure."""
    readings = [[r] for text in texts for r in text.readings]
    options = [group for text in texts for group in text.options]
    return PriceModel(
        *_fitted(RULE_TREES, readings),
        0.5,
        LEAST,
        choice=ChoiceModel(*_fitted(CHOICE_TREES, options)),
    )


def _fitted(
    boosting: Boosting, groups: Sequence[Sequence[Reading]]
) -> tuple[float, Sequence[Tree]]:
    known = [[r for r in group if r.is_right is not None] for group in groups]
    known = [group for group in known if group]
    rows = [r.signs for group in known for r in group]
    is_right = np.array([bool(r.is_right) for group in known for r in group], dtype=bool)
    return boosting.fit(rows, is_right, np.repeat(np.arange(len(known)), [len(g) for g in known]))


def _choices(texts: Sequence[ReadText], choice: ChoiceModel) -> tuple[Floats, Bools]:
    """Return what the confidence in each choice rests on, and whether the choice is right."""
    groups = [group for text in texts for group in text.options]
    best, found = choice.features([[option.signs for option in group] for group in groups])
    chosen = [group[number].is_right for group, number in zip(groups, best, strict=True)]
    is_known = np.array([right is not None for right in chosen], dtype=bool)
    return found[is_known], np.array([bool(right) for right in chosen], dtype=bool)[is_known]


def _calibrated(model: PriceModel, found: Sequence[tuple[Floats, Bools]]) -> PriceModel:
    """Return a model with the calibration that choices on held-out texts show."""
    features, is_right = (np.concatenate(part) for part in zip(*found, strict=True))
    if model.choice is None or is_right.all() or not is_right.any():
        return model
    weights = LogisticRegression(fit_intercept=False).fit(features, is_right).coef_[0]
    first, second, third = (round(float(weight), 4) for weight in weights)
    return replace(model, choice=replace(model.choice, calibration=(first, second, third)))


def folds_of(texts: Sequence[ReadText], folds: int, seed: int) -> list[int]:
    """Return the fold of each text; those of one site are in one fold."""
    sites = sorted({text.text.site for text in texts})
    np.random.default_rng(seed).shuffle(sites)
    fold = {site: number % folds for number, site in enumerate(sites)}
    return [fold[text.text.site] for text in texts]


def held_out(texts: Sequence[ReadText], folds: int, seed: int = 0) -> list[Judged]:
    """Return the quotes of each text, with the confidence of a model that has not seen its site."""
    return _held_out(texts, folds, seed)[0]


def _held_out(
    texts: Sequence[ReadText], folds: int, seed: int
) -> tuple[list[Judged], list[tuple[Floats, Bools]]]:
    """Return the quotes of each text, and the choices in each fold, by models of the other folds."""
    fold = folds_of(texts, folds, seed)
    models, found = _fold_models(texts, fold, folds)
    calibrated = [
        _calibrated(model, [*found[:number], *found[number + 1 :]])
        for number, model in enumerate(models)
    ]
    return [judged_by(text, calibrated[f]) for text, f in zip(texts, fold, strict=True)], found


def _fold_models(
    texts: Sequence[ReadText], fold: Sequence[int], folds: int
) -> tuple[list[PriceModel], list[tuple[Floats, Bools]]]:
    """Return for each fold a model of the other ones, and its choices in the fold."""
    models, found = [], []
    for number in range(folds):
        models.append(train([t for t, f in zip(texts, fold, strict=True) if f != number]))
        own = [t for t, f in zip(texts, fold, strict=True) if f == number]
        assert models[-1].choice is not None
        found.append(_choices(own, models[-1].choice))
    return models, found


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
    judged, found = _held_out(texts, folds, seed=0)
    confidences, is_right = known(judged)
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
    return replace(_calibrated(train(texts), found), threshold=threshold, card=figures)


def price_card(model: PriceModel, files: Sequence[str]) -> str:
    """Return the model card in Markdown; ``files`` are those of texts and labels."""
    card = model.card
    return (
        "# Model of the confidence of quotes\n\n"
        f"Trained on {', '.join(files)}: {card['readings']} readings of {card['texts']} texts of"
        f" {card['sites']} sites. {RULE_TREES.trees} trees of depth {RULE_TREES.depth} judge what the rules"
        f" find, {CHOICE_TREES.trees} of depth {CHOICE_TREES.depth} choose among all subjects (gradient boosting over"
        " signs, by name; the file holds no text). scikit-learn "
        f"{version('scikit-learn')}.\n\n"
        f"On sites held out in {card['folds']} folds: expected calibration error"
        f" {card['calibration_error']}; at or above the threshold {model.threshold}: precision"
        f" {card['precision_above_threshold']}, and {card['recall_above_threshold']} of the labelled quotes."
        f" Figures below {model.least} are taken for no quotes.\n"
    )
