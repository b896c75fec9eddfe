"""Texts of 31 authors who had not seen the code, and a lower bound of what is read from them.

The model that ships was trained on all but those of authors 10, 13, 24 and 31, and some rules were corrected with some of them in view: the
figures are no forecast. ``docs/evaluation.md`` has the figures of sites that the model has not seen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.evaluation.prices.labelled_texts import read_labelled
from focuscrawl.evaluation.prices.price_evaluation import judge
from focuscrawl.evaluation.prices.price_tables import quality_of

FOLDER = Path(__file__).with_name("blind")
LEAST_F1 = {
    1: 0.87, 2: 0.87, 3: 0.89, 4: 0.86, 5: 0.87, 6: 0.92, 7: 0.86, 8: 0.93, 9: 0.91, 10: 0.9,
    11: 0.82, 12: 0.8, 13: 0.92, 14: 0.86, 15: 0.82, 16: 0.81, 17: 0.79, 18: 0.92, 19: 0.93, 20: 0.93,
    21: 0.85, 22: 0.89, 23: 0.88, 24: 0.88, 25: 0.83, 26: 0.9, 27: 0.85, 28: 0.81, 29: 0.86, 30: 0.6,
    31: 0.91,
}  # fmt: skip


@pytest.mark.parametrize("author", LEAST_F1)
def test_texts_of_many_styles(author: int) -> None:
    name = f"author_{author}"
    texts = read_labelled(FOLDER / f"{name}_texts.jsonl", FOLDER / f"{name}_labels.csv")
    _, _, f1 = quality_of(judge(texts))
    assert f1.estimate >= LEAST_F1[author]
