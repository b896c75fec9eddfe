"""Training of the model that judges how sure the reading of a quote is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression

from focuscrawl.evaluation.classification_metrics import Bools, Floats, count_intervals
from focuscrawl.evaluation.prices.conditional_logit import (
    Boosting,
    column_weights,
    common_signs,
    sign_matrix,
)
from focuscrawl.evaluation.prices.labelled_texts import LabelledQuote, LabelledText, normal
from focuscrawl.evaluation.prices.network_training import ROUNDS, NetworkText, trained_network
from focuscrawl.evaluation.prices.price_tables import JudgedText
from focuscrawl.evaluation.prices.quote_matching import are_goods, is_named
from focuscrawl.prices.candidates.detail_options import GoodsOption, text_words, with_text_words
from focuscrawl.prices.candidates.quote_candidates import Offer, figure_of, offers
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.quote_confidence import confident
from focuscrawl.prices.confidence.reading_models import (
    Choice,
    ChoiceModel,
    FigureSigns,
    SignModel,
    Tree,
    WordModel,
)
from focuscrawl.prices.confidence.text_network import (
    FigureInText,
    TextNetwork,
    contexts_of,
)
from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_checks import quote_of
from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.quote_reader import read_document
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.prices.tokens.price_units import Unit

TREES, GOODS_TREES, UNIT_TREES = Boosting(400, 6), Boosting(120, 4), Boosting(80, 4)
DOUBT_TREES = Boosting(80, 3)
LEAST = 0.4
"""Confidence below which a figure is taken for no quote."""
PRECISION, LEAST_PRECISION = 0.97, 0.95
"""Precision of the quotes above the default threshold, and the lower end of its interval."""
_TOLERANCE, _NEAR = 0.5, 8
_BINS = 10
_WORD_FOLDS = 5
_LEAST_TEXTS = 4  # readings that a word must stand in
_STRENGTH = 0.3  # inverse of the penalty of the weights of words
_LEAST_WEIGHT = 0.1
_LEAST_OF_GOODS = 8  # texts about goods whose words are learned


@dataclass(frozen=True, slots=True)
class TrainingReading:
    """One option of a figure: its signs, and whether a label says so; None if none can tell."""

    signs: tuple[str, ...]
    is_right: bool | None


@dataclass(frozen=True, slots=True)
class FigureReadings:
    """A figure, the options that it has, and its possible goods and units."""

    place: FigureInText
    context: Floats  # what a network says of each option
    options: Sequence[TrainingReading]
    price: Decimal
    goods: Sequence[GoodsOption]
    labelled_goods: tuple[str, ...] | None  # None if no label tells
    units: Sequence[TrainingReading]

    @property
    def is_right(self) -> bool | None:
        """Return whether any option is right; None if no label can tell."""
        told = [option.is_right for option in self.options]
        return True if True in told else None if None in told else False


@dataclass(frozen=True, slots=True)
class ReadText:
    """A labelled text with the quotes that the rules find, and the options of all its figures."""

    text: LabelledText
    judged: JudgedText
    document: Document
    figures: Sequence[FigureReadings]


def read_by_rules(text: LabelledText, names: frozenset[str] = frozenset()) -> ReadText:
    """Read a text by the rules alone, and look up each option of each figure among the labels.

    ``names`` are those that a user's corrections have added.
    """
    aliases = load_aliases()
    document = read_document(text.text, text.title, aliases.names | names)
    quotes = [quote_of(draft, document, None, aliases) for draft in document.drafts]
    figures = [
        FigureReadings(
            figure_of(group),
            np.zeros((len(group), 2)),
            [_option(offer, text.labels) for offer in group],
            group[0].per_ton,
            group[0].goods,
            _goods(group[0], text.labels),
            _units(group[0], text.labels),
        )
        for group in offers(document)
    ]
    return ReadText(text, JudgedText.of(text, quotes), document, figures)


def _option(offer: Offer, labels: Sequence[LabelledQuote]) -> TrainingReading:
    """Return a figure with a possible subject as a reading."""
    name = normal(offer.subject.mention)
    found = [label for label in _of_price(offer, labels) if is_named(name, label)]
    is_unknown = bool(found) and not any(label.is_scored for label in found)
    return TrainingReading(offer.signs, None if is_unknown else bool(found))


def _goods(offer: Offer, labels: Sequence[LabelledQuote]) -> tuple[str, ...] | None:
    """Return the goods of the labels of a figure; None if no label tells, as for what is no quote."""
    found = [x.commodity for x in _of_price(offer, labels) if x.commodity and x.is_scored]
    return tuple(found) or None


def _units(offer: Offer, labels: Sequence[LabelledQuote]) -> list[TrainingReading]:
    """Return the possible units of a figure; no label can tell whether those of no quote are right."""
    right = [bool(_in_unit(offer, option.unit, labels)) for option in offer.units]
    return [
        TrainingReading(option.signs, is_right if any(right) else None)
        for option, is_right in zip(offer.units, right, strict=True)
    ]


def _of_price(offer: Offer, labels: Sequence[LabelledQuote]) -> list[LabelledQuote]:
    """Return the labels of the price of a figure, in any of its units."""
    return [label for option in offer.units for label in _in_unit(offer, option.unit, labels)]


def _in_unit(offer: Offer, unit: Unit, labels: Sequence[LabelledQuote]) -> list[LabelledQuote]:
    low, high = (float(x * unit.yuan_per_ton) for x in (offer.figure.low, offer.figure.high))
    return [
        label
        for label in labels
        if abs(label.low - low) <= _TOLERANCE
        and abs(label.high - high) <= _TOLERANCE
        and (label.start is None or abs(label.start - offer.start) <= _NEAR)
    ]


def uncalibrated_model(texts: Sequence[ReadText], network: TextNetwork | None) -> PriceModel:
    """Return a model of the choice for any figure, not calibrated.

    What the words of a text say of its goods comes from models of the other texts, since the trees
    would trust those that have seen a text too much.
    """
    folds = folds_of(texts, _WORD_FOLDS, 0)
    kinds = []
    for fold in sorted(set(folds)):
        model = _word_models(_of_other_folds(texts, folds, fold))
        own = [t for t, f in zip(texts, folds, strict=True) if f == fold]
        kinds += [options for text in own for options in goods_of(text, model)]
    figures = [figure for text in texts for figure in text.figures]
    start, trees = _fitted(TREES, [figure.options for figure in figures])
    goods = _fitted(GOODS_TREES, kinds)
    units = _fitted(UNIT_TREES, [figure.units for figure in figures])
    return replace(
        _word_models(texts),
        start=start,
        trees=trees,
        network=network,
        goods=SignModel(*goods),
        units=SignModel(*units),
    )


def network_of(texts: Sequence[ReadText]) -> TextNetwork | None:
    """Return the network of some texts; None if they have no figure."""
    return trained_network(
        [
            NetworkText(
                text.document.plain,
                [figure.place for figure in text.figures],
                [figure.is_right for figure in text.figures],
                [[option.is_right for option in figure.options] for figure in text.figures],
            )
            for text in texts
            if text.figures
        ]
    )


def with_network(text: ReadText, network: TextNetwork | None) -> ReadText:
    """Return a text with what a network says of its figures."""
    places = [figure.place for figure in text.figures]
    contexts = contexts_of(network, text.document.plain, places)
    pairs = zip(text.figures, contexts, strict=True)
    return replace(text, figures=[replace(figure, context=own) for figure, own in pairs])


def fused(texts: Sequence[ReadText], models: Sequence[PriceModel]) -> tuple[float, ...]:
    """Return the weights of trees and network, by choices for texts that the model of each has not seen."""
    rows, groups = [], []
    for text, model in zip(texts, models, strict=True):
        groups += [figure.options for figure in text.figures]
        if text.figures:
            odds = model.log_odds([o.signs for figure in text.figures for o in figure.options])
            contexts = np.concatenate([figure.context for figure in text.figures])
            rows.append(np.column_stack([odds, contexts, np.ones(len(odds))]))
    known, is_right, group = _known(groups)
    if not is_right.any() or all(model.network is None for model in models):
        return PriceModel.fusion
    return column_weights(np.concatenate(rows)[known], is_right, group, PriceModel.fusion)


def _fitted(
    boosting: Boosting, groups: Sequence[Sequence[TrainingReading]]
) -> tuple[float, Sequence[Tree]]:
    rows = [r.signs for group in groups for r in group if r.is_right is not None]
    _, is_right, group = _known(groups)
    return boosting.fit(rows, is_right, group)


def _known(groups: Sequence[Sequence[TrainingReading]]) -> tuple[Bools, Bools, NDArray[np.intp]]:
    """Return which options a label tells about, which of these are right, and the number of the figure of each."""
    known = np.array([r.is_right is not None for group in groups for r in group], dtype=bool)
    is_right = np.array([bool(r.is_right) for group in groups for r in group], dtype=bool)[known]
    group = np.repeat(np.arange(len(groups)), [len(group) for group in groups])[known]
    return known, is_right, np.unique(group, return_inverse=True)[1]


def _word_models(texts: Sequence[ReadText]) -> PriceModel:
    """Return a model without trees, of the words of texts about each kind of goods."""
    return PriceModel(0.0, [], 0.5, LEAST, text_words=_text_word_models(texts))


def _text_word_models(texts: Sequence[ReadText]) -> dict[str, WordModel]:
    """Return for each kind of goods that several texts are about a model of the words of texts."""
    table = commodities()
    rows = []
    for text in texts:
        named = [table.get(normal(x.commodity)) for x in text.text.labels if x.is_scored]
        if any(named):
            words = text_words(text.document.title, text.document.plain)
            rows.append((words, {goods.name for goods in named if goods}))
    counts = Counter(name for _, names in rows for name in names)
    return {
        goods: _word_model([(words, goods in names) for words, names in rows])
        for goods in sorted(goods for goods, count in counts.items() if count >= _LEAST_OF_GOODS)
    }


def _word_model(rows: Sequence[tuple[frozenset[str], bool | None]]) -> WordModel:
    known = [(words, bool(is_right)) for words, is_right in rows if is_right is not None]
    is_right = np.array([right for _, right in known], dtype=bool)
    if is_right.all() or not is_right.any():
        return WordModel()
    names = common_signs([sorted(words) for words, _ in known], _LEAST_TEXTS)
    sizes = np.sqrt([max(1, len(words)) for words, _ in known])
    matrix = diags_array(1 / sizes) @ sign_matrix([sorted(words) for words, _ in known], names)
    fitted = LogisticRegression(C=_STRENGTH, solver="liblinear").fit(matrix, is_right)
    found = zip(names, fitted.coef_[0], strict=True)
    weights = {name: round(float(w), 2) for name, w in found if abs(w) >= _LEAST_WEIGHT}
    return WordModel(round(float(fitted.intercept_[0]), 4), weights)


def goods_of(text: ReadText, model: ChoiceModel) -> list[list[TrainingReading]]:
    """Return the possible goods of each figure of a text, with those that its words tell."""
    odds = model.goods_odds(text_words(text.document.title, text.document.plain))
    found = []
    for figure in text.figures:
        options = with_text_words(figure.goods, odds, figure.price)
        labelled = figure.labelled_goods
        found.append(
            [
                TrainingReading(
                    signs,
                    None
                    if labelled is None
                    else any(are_goods(goods.name if goods else "", name) for name in labelled),
                )
                for goods, signs in options
            ]
        )
    return found


@dataclass(frozen=True, slots=True)
class KnownChoice:
    """A choice for a figure that a label covers, and whether subject, goods and unit are right."""

    choice: Choice
    is_right: bool


def _choices(texts: Sequence[ReadText], model: ChoiceModel) -> list[KnownChoice]:
    found = []
    for text in texts:
        kinds = goods_of(text, model)
        figures = [
            FigureSigns(
                [option.signs for option in figure.options],
                figure.context,
                [goods.signs for goods in kind],
                [unit.signs for unit in figure.units],
            )
            for figure, kind in zip(text.figures, kinds, strict=True)
        ]
        choices = model.choices(figures) if figures else []
        for kind, figure, choice in zip(kinds, text.figures, choices, strict=True):
            of_subject = figure.options[choice.option].is_right
            # Goods and units that no label tells about are no mistake.
            others = (kind[choice.goods].is_right, figure.units[choice.unit].is_right)
            if of_subject is not None:
                found.append(KnownChoice(choice, of_subject and False not in others))
    return found


def _calibrated(model: PriceModel, found: Sequence[KnownChoice]) -> PriceModel:
    """Return a model with the confidence that choices on held-out texts show."""
    is_right = np.array([each.is_right for each in found], dtype=bool)
    if is_right.all() or not is_right.any():
        return model
    features = np.array([each.choice.odds for each in found])
    weights = LogisticRegression(fit_intercept=False).fit(features, is_right).coef_[0]
    calibration = tuple(round(float(weight), 4) for weight in weights)
    rows = [each.choice.signs for each in found]
    before = features @ np.array(calibration)
    trees = DOUBT_TREES.fit(rows, is_right, np.arange(len(rows)), before)
    return replace(model, calibration=calibration, doubts=SignModel(*trees))


def folds_of(texts: Sequence[ReadText], folds: int, seed: int) -> list[int]:
    """Return the fold of each text; those of one author or site are in one fold."""
    sources = sources_of([text.text for text in texts], folds)
    names = sorted(set(sources))
    np.random.default_rng(seed).shuffle(names)
    fold = {name: number % folds for number, name in enumerate(names)}
    return [fold[source] for source in sources]


def sources_of(texts: Sequence[LabelledText], folds: int) -> list[str]:
    """Return the source of each text: its file, which has one author, or its site for too few files."""
    is_by_file = len({text.file for text in texts}) >= folds
    return [text.file if is_by_file else text.site for text in texts]


def held_out(texts: Sequence[ReadText], folds: int, seed: int = 0) -> list[JudgedText]:
    """Return the quotes of each text, with the confidence of a model that has not seen its source."""
    return _held_out(texts, folds, seed).judged


@dataclass(frozen=True, slots=True)
class _HeldOut:
    """Texts as models of the other folds read them: with what networks say, as quotes, as choices."""

    texts: Sequence[ReadText]
    judged: list[JudgedText]
    choices: list[KnownChoice]
    fusion: tuple[float, ...]  # weights of trees and network


def _held_out(texts: Sequence[ReadText], folds: int, seed: int) -> _HeldOut:
    fold = folds_of(texts, folds, seed)
    networks = networks_of(texts, fold, folds)
    texts = [with_network(text, networks[f]) for text, f in zip(texts, fold, strict=True)]
    models = uncalibrated_models(texts, networks, fold)
    fusion = fused(texts, [models[f] for f in fold])
    models = [replace(model, fusion=fusion) for model in models]
    found = [
        _choices([t for t, f in zip(texts, fold, strict=True) if f == number], model)
        for number, model in enumerate(models)
    ]
    calibrated = [
        _calibrated(model, [x for own in (*found[:number], *found[number + 1 :]) for x in own])
        for number, model in enumerate(models)
    ]
    judged = [judged_by(text, calibrated[f]) for text, f in zip(texts, fold, strict=True)]
    choices = [x for own in found for x in own]
    return _HeldOut(texts, judged, choices, fusion)


def networks_of(
    texts: Sequence[ReadText], fold: Sequence[int], folds: int
) -> list[TextNetwork | None]:
    """Return for each fold a network of the other ones."""
    return [network_of(_of_other_folds(texts, fold, number)) for number in range(folds)]


def _of_other_folds(texts: Sequence[ReadText], fold: Sequence[int], number: int) -> list[ReadText]:
    return [text for text, f in zip(texts, fold, strict=True) if f != number]


def uncalibrated_models(
    texts: Sequence[ReadText], networks: Sequence[TextNetwork | None], fold: Sequence[int]
) -> list[PriceModel]:
    """Return for each fold a model of the other ones, with the network of these."""
    return [
        uncalibrated_model(_of_other_folds(texts, fold, number), network)
        for number, network in enumerate(networks)
    ]


def judged_by(text: ReadText, model: PriceModel) -> JudgedText:
    """Return a text with all quotes of the rules and the model, whatever their confidence."""
    document = replace(text.document, drafts=[replace(d) for d in text.document.drafts])
    aliases = load_aliases()
    quotes = [quote_of(draft, document, None, aliases) for draft in confident(document, model)]
    return JudgedText.of(text.text, quotes)


def kept(judged: JudgedText, threshold: float) -> JudgedText:
    """Return a text with the quotes of at least this confidence only."""
    return JudgedText.of(
        judged.text, [q for q in judged.quotes if (q.confidence or 0) >= threshold]
    )


def calibration_error(confidences: Floats, is_right: Bools) -> float:
    """Return the expected calibration error over ten bins of equal size."""
    order = np.argsort(confidences, kind="stable")
    bins = [part for part in np.array_split(order, _BINS) if len(part)]
    gaps = [len(part) * abs(confidences[part].mean() - is_right[part].mean()) for part in bins]
    return float(sum(gaps) / len(order))


def known(judged: Sequence[JudgedText]) -> tuple[Floats, Bools]:
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


def best_threshold(judged: Sequence[JudgedText], folds: int = 1) -> float:
    """Return the lowest threshold, in steps of a hundredth, with ``PRECISION``; 0.95 if none has.

    The lower end of the interval of the precision, by sources, is at least ``LEAST_PRECISION``.
    """
    sources: dict[str, list[JudgedText]] = defaultdict(list)
    for source, each in zip(sources_of([j.text for j in judged], folds), judged, strict=True):
        sources[source].append(each)
    outcomes = [known(own) for own in sources.values()]
    for hundredths in range(round(LEAST * 100), 95):
        above = [right[confidences >= hundredths / 100] for confidences, right in outcomes]
        cells = np.array([(right.sum(), (~right).sum(), 0) for right in above], dtype=np.float64)
        precision = count_intervals(cells)[0]
        if precision.estimate >= PRECISION and precision.low >= LEAST_PRECISION:
            return hundredths / 100
    return 0.95


def trained(texts: Sequence[ReadText], folds: int) -> PriceModel:
    """Return a model of all texts, with the threshold and figures of held-out sites."""
    held = _held_out(texts, folds, seed=0)
    confidences, is_right = known(held.judged)
    threshold = best_threshold(held.judged, folds)
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
    first = replace(uncalibrated_model(held.texts, network_of(texts)), fusion=held.fusion)
    model = _calibrated(first, held.choices)
    return replace(model, threshold=threshold, card=figures)


def price_card(model: PriceModel, files: Sequence[str]) -> str:
    """Return the model card in Markdown; ``files`` are those of texts and labels."""
    card = model.card
    return (
        "# Model of the confidence of quotes\n\n"
        f"Trained on {', '.join(files)}: {card['readings']} readings of {card['texts']} texts of"
        f" {card['sites']} sites. Trees choose among all subjects of each figure ({TREES}), among its goods"
        f" ({GOODS_TREES}) and units ({UNIT_TREES}),"
        f" and tell how sure a choice is ({DOUBT_TREES}), by gradient boosting over signs, by name. A convolutional network of"
        f" {ROUNDS} rounds judges figures and names by the characters of the text, linear models the goods by its words (pairs of"
        f" characters; the file holds no text). scikit-learn {version('scikit-learn')}.\n\n"
        f"On authors held out in {card['folds']} folds: expected calibration error"
        f" {card['calibration_error']}; at or above the threshold {model.threshold}: precision"
        f" {card['precision_above_threshold']}, and {card['recall_above_threshold']} of the labelled quotes."
        f" Figures below {model.least} are taken for no quotes.\n"
    )
