"""Sums over all trees at once, compared with those of one walk after another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.confidence.price_model import load_model
from focuscrawl.prices.confidence.sign_models import TreeSums

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
