"""Training of the model of the confidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from focuscrawl.evaluation.prices.labelled_texts import read_labelled
from focuscrawl.evaluation.prices.price_training import (
    best_threshold,
    calibration_error,
    folds_of,
    held_out,
    kept,
    known,
    read_by_rules,
    train,
    trained,
)
from focuscrawl.prices.confidence.price_model import as_text, load_model
from tests.evaluation.prices.invented_texts import write_texts


def test_what_is_learned_on_some_sites_holds_on_others(tmp_path: Path) -> None:
    texts = [read_by_rules(text) for text in read_labelled(*write_texts(tmp_path))]
    confidences, is_right = known(texts, held_out(texts, 4))
    assert is_right.sum() == 64
    assert len(is_right) > 64
    assert confidences[is_right].min() > confidences[~is_right].max()
    both = [kept(text, found, 0.5) for text, found in zip(texts, held_out(texts, 4), strict=True)]
    assert [len(each.quotes) for each in both] == [1] * 64


def test_the_file_judges_as_scikit_learn_does(tmp_path: Path) -> None:
    texts = [read_by_rules(text) for text in read_labelled(*write_texts(tmp_path))]
    model = trained(texts, 4)
    path = tmp_path / "model.json"
    path.write_text(as_text(model), "utf-8")
    again = load_model(str(path))
    assert model.card["sites"] == 16
    for reading in texts[0].readings:
        assert again.confidence(reading.signs) == model.confidence(reading.signs)
        shares = sum(share for _, share in again.reasons(reading.signs))
        roots = sum(tree[0][3] for tree in again.trees)
        # Values are rounded to four digits.
        assert shares + roots + again.start == pytest.approx(
            again.log_odds(reading.signs), abs=0.01
        )


def test_readings_that_are_all_right_give_a_sure_model(tmp_path: Path) -> None:
    texts = [read_by_rules(text) for text in read_labelled(*write_texts(tmp_path))]
    for text in texts:
        text.readings[:] = [r for r in text.readings if r.is_right]  # type: ignore[index]
    assert train(texts).confidence(()) > 0.9


def test_a_site_is_in_one_fold(tmp_path: Path) -> None:
    found = read_labelled(*write_texts(tmp_path))
    texts = [read_by_rules(text) for text in [*found, *found]]
    folds = folds_of(texts, 4, 0)
    assert folds[:64] == folds[64:]
    assert sorted(set(folds)) == [0, 1, 2, 3]


def test_calibration_error_and_threshold() -> None:
    confidences = np.array([0.5] * 10 + [0.9] * 10)
    is_right = np.array([True] * 5 + [False] * 5 + [True] * 9 + [False])
    assert calibration_error(confidences, is_right) == pytest.approx(0.0, abs=0.31)
    assert best_threshold(confidences, is_right, 0.9) == 0.51
    assert best_threshold(confidences, is_right, 0.95) == 0.95
