"""Evaluation of the price reader on labelled texts, in folds by author or site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.prices.labelled_texts import LabelledText, read_all
from focuscrawl.evaluation.prices.price_tables import (
    JudgedText,
    comparison,
    confidence_table,
    tables_of,
)
from focuscrawl.evaluation.prices.price_training import (
    LEAST,
    best_threshold,
    calibration_error,
    held_out,
    kept,
    known,
    read_by_rules,
)
from focuscrawl.evaluation.result_tables import ResultTable
from focuscrawl.prices import READERS, Reader

FOLDS = 8
RULES, MODEL = "rules", "rules and model"
_THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


def texts_in(names: Sequence[str], command: str = "evaluate") -> list[LabelledText]:
    """Return the texts of files named in pairs: texts and labels. Raises ArgumentError."""
    if not names or len(names) % 2:
        raise ArgumentError(f"give pairs of files: scrapy {command} prices TEXTS.jsonl LABELS.csv")
    texts = read_all(zip(map(Path, names[::2]), map(Path, names[1::2]), strict=True))
    if not any(text.labels for text in texts):
        raise ArgumentError(f"{', '.join(names[1::2])}: no labels with a price; label some quotes")
    return texts


def check_sites(texts: Sequence[LabelledText], folds: int) -> None:
    """Raise ArgumentError for fewer sites than folds."""
    if len({text.site for text in texts}) < folds:
        raise ArgumentError(
            f"{folds} folds need texts of {folds} sites; give more texts, or evaluate with fewer --folds"
        )


def judge(texts: Sequence[LabelledText], reader: Reader = READERS["rules"]) -> list[JudgedText]:
    """Read the texts and match what was read with the labels."""
    return [JudgedText.of(text, reader(text.text, title=text.title)) for text in texts]


def evaluate(texts: Sequence[LabelledText], folds: int, seed: int) -> list[ResultTable]:
    """Return the tables of the rules alone, and with models that have not seen a text's author or site.

    Raises ArgumentError for fewer sites than folds.
    """
    check_sites(texts, folds)
    read = [read_by_rules(text) for text in texts]
    judged = held_out(read, folds, seed)
    by_model = [kept(each, LEAST) for each in judged]
    found, is_right = known(judged)
    labels = sum(label.is_scored for text in texts for label in text.labels)
    best = best_threshold(judged, folds)
    note = (
        f"Expected calibration error: {calibration_error(found, is_right):.3f}."
        f" The lowest threshold with a precision of .97 is {best:.2f}."
    )
    thresholds = sorted({*_THRESHOLDS, best})
    return [
        comparison({RULES: [text.judged for text in read], MODEL: by_model}),
        *tables_of(by_model, MODEL),
        confidence_table(found, is_right, labels, thresholds, note),
    ]
