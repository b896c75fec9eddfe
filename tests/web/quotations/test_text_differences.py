"""Differences of two texts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.web.quotations.version_pages import ComparedLine, differences

_TEXTS = st.text("ab\n", max_size=30)


def side(found: list[ComparedLine], left_out: str) -> list[str]:
    """Return the shown lines without what only the other text has."""
    return [
        "".join(run.text for run in line.runs if run.change != left_out)
        for line in found
        if any(run.change != left_out for run in line.runs)
    ]


@given(_TEXTS, _TEXTS)
def test_each_shown_line_is_one_of_its_text(before: str, after: str) -> None:
    found = differences(before, after)
    assert bool(found) == (before != after)
    for text, other in ((before, "added"), (after, "removed")):
        lines = iter(text.split("\n"))
        assert all(line in lines for line in side(found, other))
        skipped = sum(line.skipped for line in found)
        assert len(side(found, other)) + skipped <= text.count("\n") + 1


def test_a_changed_price_is_marked_within_its_line() -> None:
    before = "第一行\n第二行\n寿光0.815元/斤\n第四行\n第五行\n第六行"
    found = differences(before, before.replace("0.815", "0.825"))
    assert [[(run.change, run.text) for run in line.runs] for line in found] == [
        [("same", "第一行")],
        [("same", "第二行")],
        [("same", "寿光0.8"), ("removed", "1"), ("added", "2"), ("same", "5元/斤")],
        [("same", "第四行")],
        [],
    ]
    assert found[-1].skipped == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [("ab" * 2**16, "ba" * 2**16), ("a\nb\n" * 2**13, "b\na\n" * 2**13)],
    ids=["one line", "many lines"],
)
def test_long_texts_are_compared_coarsely(before: str, after: str) -> None:
    began = time.process_time()
    found = differences(before, after)
    # Element by element it would take hours.
    assert time.process_time() - began < 60
    assert "\n".join(side(found, "added")).strip() == before.strip()
