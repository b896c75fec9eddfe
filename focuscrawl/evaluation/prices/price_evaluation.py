"""Evaluation of a price reader on labelled texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.prices.labelled_texts import LabelledText, read_all
from focuscrawl.evaluation.prices.price_tables import Judged
from focuscrawl.prices import READERS, Reader


def texts_in(names: Sequence[str]) -> list[LabelledText]:
    """Return the texts of files named in pairs: texts and labels. Raises ArgumentError."""
    if not names or len(names) % 2:
        raise ArgumentError("give pairs of files: scrapy evaluate prices TEXTS.jsonl LABELS.csv")
    texts = read_all(zip(map(Path, names[::2]), map(Path, names[1::2]), strict=True))
    if not any(text.labels for text in texts):
        raise ArgumentError(
            f"{', '.join(names[1::2])}: no labels with a price; label some quotes first"
        )
    return texts


def judge(texts: Sequence[LabelledText], reader: Reader = READERS["rules"]) -> list[Judged]:
    """Read the texts and match what was read with the labels."""
    return [Judged.of(text, reader(text.text, title=text.title)) for text in texts]
