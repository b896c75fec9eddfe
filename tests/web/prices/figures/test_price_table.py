"""Columns of the table of prices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.web.prices.figures.price_table import run_of


@given(st.lists(st.integers(0, 9)), st.integers(0, 9), st.sampled_from([np.uint8, np.int32]))
def test_the_run_of_a_value_is_where_it_is(
    values: list[int], value: int, kind: type[np.integer]
) -> None:
    column = np.array(sorted(values), dtype=kind)
    run = run_of(column, value)
    assert column[run].tolist() == [value] * values.count(value)
