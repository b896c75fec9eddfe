"""The choice among the options of a figure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.confidence.sign_models import ChoiceModel, softmax

# With "near" 2.0, without it -1.0.
TREE = [["near", 1, 2, 0.0], ["", 0, 0, -1.0], ["", 0, 0, 2.0]]


def test_the_best_option_and_its_probability() -> None:
    model = ChoiceModel(0.0, [TREE])
    (first, second) = model.best([[("far",), ("near",)], [("far",)]])
    whole = math.exp(2) + math.exp(-1) + 1
    assert first == (1, pytest.approx(math.exp(2) / whole))
    assert second == (0, pytest.approx(math.exp(-1) / (math.exp(-1) + 1)))


def test_calibration_weighs_what_the_confidence_rests_on() -> None:
    sure = ChoiceModel(0.0, [TREE], calibration=(1.0, 0.0, 0.5))
    ((_, confidence),) = sure.best([[("near",)]])
    assert confidence == pytest.approx(1 / (1 + math.exp(-(1.0 + 0.5 * 2.0))))


def test_no_figures() -> None:
    assert ChoiceModel(0.0, [TREE]).best([]) == []


@given(st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=5), min_size=1, max_size=6))
def test_probabilities_of_a_figure_leave_room_for_no_quote(groups: list[list[float]]) -> None:
    odds = np.array([x for group in groups for x in group])
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    found = softmax(odds, number)
    whole = np.bincount(number, found)
    none = np.array([1 / (1 + sum(math.exp(x) for x in group)) for group in groups])
    assert whole + none == pytest.approx(1)
