"""Boosting of trees over signs."""

from __future__ import annotations

import numpy as np

from focuscrawl.evaluation.prices.conditional_logit import Boosting
from focuscrawl.prices.confidence.reading_models import ChoiceModel, SignModel

BOOSTING = Boosting(60, 2)


def test_one_option_each_is_a_logistic_regression() -> None:
    rows = [("a",)] * 60 + [("b",)] * 60
    is_right = np.array([True] * 45 + [False] * 15 + [True] * 15 + [False] * 45)
    model = SignModel(*BOOSTING.fit(rows, is_right, np.arange(len(rows))))
    a, b = 1 / (1 + np.exp(-model.log_odds([("a",), ("b",)])))
    assert 0.68 < a < 0.78
    assert 0.22 < b < 0.32


def test_the_option_that_is_right_more_often_than_the_others_is_chosen() -> None:
    """Which of two options is right depends on both: "old" is right only beside nothing better."""
    groups = [[("new",), ("old",)]] * 40 + [[("old",)]] * 40 + [[("other",)]] * 40
    right = [[True, False]] * 40 + [[True]] * 40 + [[False]] * 40
    rows = [signs for group in groups for signs in group]
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    is_right = np.array([x for each in right for x in each])
    model = ChoiceModel(*BOOSTING.fit(rows, is_right, number))
    odds = model.log_odds([("old",), ("new",), ("other",)])
    assert odds[1] > odds[0] > 0.8 > 0.0 > odds[2]


def test_trees_add_to_the_log_odds_that_were_there_before() -> None:
    rows = [("a",)] * 60 + [("b",)] * 60
    is_right = np.array([True] * 45 + [False] * 15 + [True] * 15 + [False] * 45)
    before = np.repeat([1.1, 0.0], 60)  # which is what "a" is worth
    start, trees = BOOSTING.fit(rows, is_right, np.arange(120), before)
    a, b = SignModel(start, trees).log_odds([("a",), ("b",)])
    assert abs(a) < 0.2
    assert b < -0.7


def test_any_of_several_right_options_will_do() -> None:
    groups = [[("a",), ("b",), ("c",)]] * 50
    number = np.repeat(np.arange(50), 3)
    is_right = np.array([True, True, False] * 50)
    model = ChoiceModel(*BOOSTING.fit([s for g in groups for s in g], is_right, number))
    odds = model.log_odds([("a",), ("b",), ("c",)])
    assert min(odds[:2]) > odds[2] + 1
