"""The choice among the options of a figure."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.confidence.price_model import load_model
from focuscrawl.prices.confidence.reading_models import ChoiceModel, TreeSums, softmax

# With "near" 2.0, without it -1.0.
TREE = [["near", 1, 2, 0.0], ["", 0, 0, -1.0], ["", 0, 0, 2.0]]


def test_the_best_option_and_its_probability() -> None:
    model = ChoiceModel(0.0, [TREE])
    (first, second) = model.best([[("far",), ("near",)], [("far",)]])
    whole = math.exp(2) + math.exp(-1) + 1
    assert first == (1, pytest.approx(math.exp(2) / whole))
    assert model.best([]) == []
    assert second == (0, pytest.approx(math.exp(-1) / (math.exp(-1) + 1)))


def test_calibration_weighs_what_the_confidence_rests_on() -> None:
    sure = ChoiceModel(0.0, [TREE], calibration=(1.0, 0.0, 0.5))
    ((_, confidence),) = sure.best([[("near",)]])
    assert confidence == pytest.approx(1 / (1 + math.exp(-(1.0 + 0.5 * 2.0))))


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
    sums = TreeSums(TREES).of([(), ("a",), ("b",), ("a", "b"), ("a", "unknown")])
    assert sums.tolist() == [-0.5, 0.75, -0.5, 2.5, 0.75]


def test_no_rows_and_no_trees() -> None:
    assert TreeSums(TREES).of([]).tolist() == []
    assert TreeSums([]).of([("a",)]).tolist() == [0.0]


@given(st.data())
def test_many_at_once_are_as_one_by_one(data: st.DataObject) -> None:
    choice = load_model().choice
    assert choice is not None
    model = replace(choice, weights={"figure price": 0.7})
    signs = sorted({node[0] for tree in choice.trees for node in tree if node[0]})
    rows = data.draw(st.lists(st.lists(st.sampled_from(signs), max_size=60), max_size=4))
    assert model.log_odds(rows) == pytest.approx([model.log_odds([row])[0] for row in rows])
