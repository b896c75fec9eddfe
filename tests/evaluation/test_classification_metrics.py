"""Figures against hand-made and scikit-learn's values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score

from focuscrawl.evaluation.classification_metrics import (
    _weighted_average_precision,
    best_threshold,
    gain,
    intervals,
    quality,
)
from focuscrawl.evaluation.links.classifier_contest import (
    Bins,
    brier,
    calibration_error,
    reliability_table,
)

Y = np.array([True, False, True, False, False])
SCORES = np.array([3.0, 2.0, 1.0, 0.0, -1.0])


@st.composite
def judged(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Labels with both kinds, scores with ties, and hosts."""
    count = draw(st.integers(12, 60))
    labels = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    scores = draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
    hosts = draw(st.lists(st.sampled_from("abcdefgh"), min_size=count, max_size=count))
    return np.array([True, False, *labels]), np.array([1.0, 0.0, *scores]), ["a", "b", *hosts]


def test_by_hand() -> None:
    found = quality(Y, SCORES, SCORES >= 2)
    assert found.precision == 0.5
    assert found.recall == 0.5
    assert found.f1 == 0.5
    # A relevant link at rank 1 (precision 1) and at rank 3 (precision 2/3).
    assert found.average_precision == pytest.approx((1 + 2 / 3) / 2)
    # Of the 6 pairs of a relevant and another link, 5 stand in the right order.
    assert found.roc_auc == pytest.approx(5 / 6)


def test_links_of_one_kind_have_no_ranking() -> None:
    found = quality(np.array([True, True]), np.array([1.0, 2.0]), np.array([True, False]))
    assert np.isnan(found.average_precision)
    assert np.isnan(found.roc_auc)
    assert found.recall == 0.5


@settings(deadline=None, max_examples=30)
@given(judged())
def test_no_threshold_is_better(data: tuple[np.ndarray, np.ndarray, list[str]]) -> None:
    labels, scores, _ = data
    found = f1_score(labels, scores >= best_threshold(labels, scores))
    assert found == pytest.approx(max(f1_score(labels, scores >= value) for value in scores))


@settings(deadline=None, max_examples=30)
@given(judged())
def test_intervals_hold_the_estimate(data: tuple[np.ndarray, np.ndarray, list[str]]) -> None:
    labels, scores, hosts = data
    for groups in (hosts, None):
        for low_high in intervals(labels, scores, scores >= 0, groups, draws=200).values():
            assert low_high.low - 1e-9 <= low_high.estimate <= low_high.high + 1e-9


def test_intervals_by_host_are_wider_where_links_of_a_host_are_alike() -> None:
    random = np.random.default_rng(1)
    hosts = np.repeat(np.arange(20), 50)
    labels = np.repeat(random.random(20) < 0.5, 50)
    scores = labels + np.repeat(random.normal(0, 1, 20), 50)
    names = [str(host) for host in hosts]
    by_host = intervals(labels, scores, scores > 0.5, names, draws=300)["f1"]
    by_link = intervals(labels, scores, scores > 0.5, draws=300)["f1"]
    assert by_host.high - by_host.low > 3 * (by_link.high - by_link.low)


def test_a_gain_is_certain_where_it_is_one_on_every_host() -> None:
    random = np.random.default_rng(3)
    hosts = [str(row // 50) for row in range(1000)]
    # Hosts differ in how easy they are; the second ranking is the first with some noise.
    ease = np.repeat(random.normal(0, 2, 20), 50)
    labels = random.random(1000) < 0.3
    scores = labels * 2 + ease + random.normal(0, 1, 1000)
    noisy = scores + random.normal(0, 2, 1000)
    found = gain(labels, scores, noisy, hosts, draws=300)
    expected = average_precision_score(labels, scores) - average_precision_score(labels, noisy)
    assert found.estimate == pytest.approx(expected)
    assert found.low > 0
    own, other = (intervals(labels, each, each > 0, hosts, draws=300) for each in (scores, noisy))
    assert own["average_precision"].low < other["average_precision"].high
    none = gain(labels, scores, scores, hosts, draws=50)
    assert none == (0, 0, 0)


def test_weighted_average_precision_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(2)
    labels, scores = random.random(200) < 0.3, random.integers(0, 20, 200).astype(float)
    for _ in range(5):
        weights = random.integers(0, 4, 200)
        expected = average_precision_score(labels, scores, sample_weight=weights)
        assert _weighted_average_precision(labels, scores)(weights) == pytest.approx(expected)


def test_calibration_by_hand() -> None:
    labels = np.array([True, False, True, True])
    probabilities = np.array([0.1, 0.1, 0.9, 0.9])
    low, high = reliability_table(labels, probabilities, bins=2)
    assert (low.links, low.relevant, high.links, high.relevant) == (2, 0.5, 2, 1.0)
    assert low.probability == pytest.approx(0.1)
    assert calibration_error(labels, probabilities, bins=2) == pytest.approx(0.4 / 2 + 0.1 / 2)
    assert brier(labels, probabilities) == pytest.approx((0.81 + 0.01 + 0.01 + 0.01) / 4)


@settings(deadline=None, max_examples=30)
@given(judged(), st.integers(1, 20))
def test_every_link_is_in_one_bin(
    data: tuple[np.ndarray, np.ndarray, list[str]], bins: int
) -> None:
    labels, scores, _ = data
    probabilities = (scores + 3) / 6
    for by in Bins:
        rows = reliability_table(labels, probabilities, bins, by)
        assert sum(row.links for row in rows) == len(labels)
        assert all(row.low - 1e-9 <= row.probability <= row.high + 1e-9 for row in rows)
        assert 0 <= calibration_error(labels, probabilities, bins, by) <= 1
