"""Relative entropy: never below zero, zero for the same, and as large as it should be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.evaluation.links.link_experiments import (
    compare,
    compare_as_published,
    relative_entropy,
    shared_words_entropy,
)

counts = st.lists(st.integers(0, 50), min_size=5, max_size=5).map(np.array)


@settings(deadline=None)
@given(counts, counts)
def test_never_below_zero(p: np.ndarray, q: np.ndarray) -> None:
    assert relative_entropy(p, q) >= 0
    assert relative_entropy(p, p) == 0


def test_by_hand() -> None:
    # Smoothed: 3/4 and 1/4 against 1/2 and 1/2.
    found = relative_entropy(np.array([1, 0]), np.array([1, 1]))
    assert found == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))


def test_published_measure_by_hand() -> None:
    # Shared are the first two words: 3/4 and 1/4 against 1/2 and 1/2, in this direction.
    found = shared_words_entropy(np.array([3, 1, 5, 0]), np.array([2, 2, 0, 9]))
    assert found == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert math.isnan(shared_words_entropy(np.array([1, 0]), np.array([0, 1])))


def test_published_comparison_is_of_whole_sets_and_of_halves() -> None:
    pages = [np.array([0, 0, 0, 1]), np.array([0, 0, 0, 1])]
    contexts = [np.array([0, 1, 2])] * 4
    table = compare_as_published(pages, contexts)
    assert table.pages_contexts.mean == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert table.pages_pages.mean == table.contexts_contexts.mean == 0
    assert table.words == 8


def _texts(low: int, high: int, texts: int, words: int) -> list[np.ndarray]:
    random = np.random.default_rng(low)
    return [random.integers(low, high, words) for _ in range(texts)]


def test_other_words_count_and_other_sizes_do_not() -> None:
    unlike = compare(_texts(0, 50, 40, 200), _texts(25, 75, 100, 10), seed=1)
    assert unlike.pages_contexts.mean > 10 * unlike.pages_pages.mean
    assert unlike.pages_contexts.mean > 10 * unlike.contexts_contexts.mean
    assert unlike.words == 500
    alike = compare(_texts(0, 50, 40, 200), _texts(0, 50, 100, 10), seed=1)
    means = [side.mean for side in alike[:3]]
    assert max(means) < 1.5 * min(means)


def test_halves_by_host() -> None:
    # Each host has words of its own: halves by host differ, random halves of texts do not.
    texts = [np.full(20, host) for host in range(8) for _ in range(10)]
    hosts = [str(host) for host in range(8) for _ in range(10)]
    by_host = compare(texts, texts, page_hosts=hosts, context_hosts=hosts)
    by_text = compare(texts, texts)
    assert by_host.pages_pages.mean > 10 * by_text.pages_pages.mean


def test_no_words_no_difference() -> None:
    table = compare([], [np.array([1, 2])])
    assert table.words == 0
    assert table.pages_contexts.mean == 0
