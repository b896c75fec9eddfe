"""The choice among the options of a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.confidence.price_model import load_model
from focuscrawl.prices.confidence.reading_models import (
    ChoiceModel,
    FigureSigns,
    SignModel,
    Signs,
    Trees,
    WordModel,
    softmax,
)

# With "near" 2.0, without it -1.0.
TREE = [["near", 1, 2, 0.0], ["", 0, 0, -1.0], ["", 0, 0, 2.0]]


def figure(options: Sequence[Signs], goods: Sequence[Signs] = ((),)) -> FigureSigns:
    """Return a figure that has one possible unit, and of which no network says anything."""
    return FigureSigns(options, np.zeros((len(options), 2)), goods, [("a unit",)])


def test_the_best_option_and_its_probability() -> None:
    model = ChoiceModel(0.0, [TREE])
    (first, second) = model.best([figure([("far",), ("near",)]), figure([("far",)])])
    whole = math.exp(2) + math.exp(-1) + 1
    assert (first.option, first.confidence) == (1, pytest.approx(math.exp(2) / whole))
    assert (second.option, second.confidence) == (
        0,
        pytest.approx(math.exp(-1) / (math.exp(-1) + 1)),
    )
    assert model.best([]) == []


def test_calibration_weighs_what_the_confidence_rests_on() -> None:
    model = ChoiceModel(
        0.0,
        [TREE],
        calibration=(1.0, 0.0, 0.5, 0.25, 0.125),
        goods=SignModel(0.0, [TREE]),
        units=SignModel(3.0, []),
    )
    (choice,) = model.best([figure([("near",)], [("maize",), ("near",)])])
    assert (choice.goods, choice.unit) == (1, 0)
    of_goods = 2.0 - math.log(math.exp(-1.0) + 1)
    odds = 1.0 + 0.5 * 2.0 + 0.25 * of_goods + 0.125 * 3.0
    assert choice.confidence == pytest.approx(1 / (1 + math.exp(-odds)))


def test_the_more_words_the_less_each_counts() -> None:
    words = {"玉米": WordModel(0.5, {"潮粮": 2.0, "毛猪": -1.0}), "小麦": WordModel(-1.0)}
    model = ChoiceModel(0.0, [TREE], text_words=words)
    assert model.goods_odds([]) == {"玉米": 0.5, "小麦": -1.0}
    found = model.goods_odds(["潮粮", "毛猪", "今日", "报价"])
    assert found == pytest.approx({"玉米": 0.5 + 1.0 / 2, "小麦": -1.0})


def test_what_the_network_says_is_weighed() -> None:
    model = ChoiceModel(0.0, [TREE], fusion=(0.5, 1.0, 0.25, -0.125))
    context = np.array([[-2.0, 4.0], [0.0, 4.0]])
    (choice,) = model.best([figure([("near",), ("far",)])._replace(context=context)])
    far, near = -0.5 + 0.0 + 1.0 - 0.125, 1.0 - 2.0 + 1.0 - 0.125
    assert (choice.option, choice.context) == (1, (0.0, 4.0))
    whole = math.exp(far) + math.exp(near) + 1
    assert choice.confidence == pytest.approx(math.exp(far) / whole)
    assert {"text: name, -0.05", "text: price, 4"} <= {*choice.signs}
    assert "text: price, 5" not in choice.signs
    assert model.reasons_of(choice.context) == [("text around the figure", 1.0)]
    assert model.reasons_of((-2.0, 0.0)) == [("text around the name", -2.0)]


@given(st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=5), min_size=1, max_size=6))
def test_probabilities_of_a_figure_leave_room_for_no_quote(groups: list[list[float]]) -> None:
    odds = np.array([x for group in groups for x in group])
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    found = softmax(odds, number)
    whole = np.bincount(number, found)
    none = np.array([1 / (1 + sum(math.exp(x) for x in group)) for group in groups])
    assert whole + none == pytest.approx(1)


# Sums over all trees at once, compared with those of one walk after another.

TREES = [
    [["a", 1, 2, 0.0], ["", 0, 0, -1.0], ["b", 3, 4, 0.5], ["", 0, 0, 0.25], ["", 0, 0, 2.0]],
    [["", 0, 0, 0.5]],
]


def test_each_row_reaches_its_own_leaves() -> None:
    sums = Trees.of(TREES).sums([(), ("a",), ("b",), ("a", "b"), ("a", "unknown")])
    assert sums.tolist() == [-0.5, 0.75, -0.5, 2.5, 0.75]


def test_no_rows_and_no_trees() -> None:
    assert Trees.of(TREES).sums([]).tolist() == []
    assert Trees.of([]).sums([("a",)]).tolist() == [0.0]


@given(st.data())
def test_many_at_once_are_as_one_by_one(data: st.DataObject) -> None:
    choice = load_model()
    model = replace(choice, weights={"figure price": 0.7})
    signs = st.sampled_from(choice.nodes.signs)
    rows = data.draw(st.lists(st.lists(signs, max_size=60), max_size=4))
    assert model.log_odds(rows) == pytest.approx([model.log_odds([row])[0] for row in rows])
