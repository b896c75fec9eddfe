"""Training of the model of the confidence."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from focuscrawl.evaluation.prices import price_training
from focuscrawl.evaluation.prices.labelled_texts import LabelledQuote, LabelledText, read_labelled
from focuscrawl.evaluation.prices.network_training import trained_network
from focuscrawl.evaluation.prices.price_tables import JudgedText
from focuscrawl.evaluation.prices.price_training import (
    ReadText,
    best_threshold,
    calibration_error,
    folds_of,
    held_out,
    kept,
    known,
    read_by_rules,
    trained,
    uncalibrated_model,
)
from focuscrawl.prices.confidence.price_model import as_text, load_model
from focuscrawl.prices.confidence.reading_models import SignModel
from tests.evaluation.prices.invented_texts import write_texts


@pytest.fixture(autouse=True)
def _a_network_of_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(price_training, "trained_network", partial(trained_network, rounds=1))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[ReadText]:
    found = read_labelled(*write_texts(tmp_path_factory.mktemp("labels")))
    return [read_by_rules(text) for text in found]


def test_what_is_learned_on_some_sites_holds_on_others(texts: list[ReadText]) -> None:
    judged = held_out(texts, 4)
    confidences, is_right = known(judged)
    assert is_right.sum() == 64
    assert confidences[is_right].min() > 0.5
    assert [len(kept(each, 0.5).quotes) for each in judged] == [1] * 64


def test_the_choice_finds_names_and_figures_that_the_rules_leave_out(tmp_path: Path) -> None:
    """Names after the price, which the rules take for those of the next one."""
    names = "丰源 惠民 金穗 宏达 康泰 瑞丰 永兴 隆昌".split()
    labelled = []
    for number in range(24):
        first, second = names[number % 8], names[(number + 3) % 8]
        low, high = 2100 + number, 2150 + number
        text = f"{low}元/吨，{first}收；{high}元/吨，{second}收。"
        labels = [
            LabelledQuote((n,), p, p, True, "玉米", {}) for n, p in ((first, low), (second, high))
        ]
        labelled.append(LabelledText(f"t{number}", f"s{number}", "", "玉米价格", text, "f", labels))
    read = [read_by_rules(text) for text in labelled]
    by_rules = sum(len(text.judged.outcome.pairs) for text in read)
    by_choice = sum(len(each.outcome.pairs) for each in held_out(read, 4))
    assert by_rules < 30
    assert by_choice > 40


def test_the_file_judges_as_scikit_learn_does(tmp_path: Path, texts: list[ReadText]) -> None:
    model = trained(texts, 4)
    path = tmp_path / "model.json"
    path.write_text(as_text(model), "utf-8")
    again = load_model(str(path))
    assert model.card["sites"] == 16
    for reading in (r for figure in texts[0].figures for r in figure.options):
        assert again.log_odds([reading.signs]) == model.log_odds([reading.signs])
        shares = sum(share for _, share in SignModel.reasons(again, reading.signs))
        roots = sum(tree[0][3] for tree in again.nodes.numbered())
        # Values are rounded to four digits.
        assert shares + roots + again.start == pytest.approx(
            again.log_odds([reading.signs])[0], abs=0.01
        )


def test_readings_that_are_all_right_give_a_sure_model(texts: list[ReadText]) -> None:
    right = [
        replace(text, figures=[
            replace(
                figure,
                options=(right := [o for o in figure.options if o.is_right]),
                place=figure.place._replace(names=figure.place.names[: len(right)]),
            )
            for figure in text.figures
            if figure.is_right
        ])
        for text in texts
    ]  # fmt: skip
    assert uncalibrated_model(right, None).log_odds([()])[0] > 2


def test_a_site_is_in_one_fold(texts: list[ReadText]) -> None:
    folds = folds_of([*texts, *texts], 4, 0)
    assert folds[:64] == folds[64:]
    assert sorted(set(folds)) == [0, 1, 2, 3]


def test_an_author_is_in_one_fold(texts: list[ReadText]) -> None:
    by_file = [
        replace(text, text=replace(text.text, file=f"author {number % 5}"))
        for number, text in enumerate(texts)
    ]
    folds = folds_of(by_file, 4, 0)
    assert folds[:5] * 12 + folds[:4] == folds
    assert sorted(set(folds)) == [0, 1, 2, 3]


def test_calibration_error_by_hand() -> None:
    confidences = np.array([0.5] * 10 + [0.9] * 10)
    is_right = np.array([True] * 5 + [False] * 5 + [True] * 9 + [False])
    assert calibration_error(confidences, is_right) == pytest.approx(0.28)


def test_the_threshold_leaves_out_what_is_wrong(texts: list[ReadText]) -> None:
    judged = held_out(texts, 4)
    threshold = best_threshold(judged)
    assert known([kept(each, threshold) for each in judged])[1].all()
    wrong = [JudgedText.of(replace(each.text, labels=[]), each.quotes) for each in judged]
    assert best_threshold(wrong) == 0.95
