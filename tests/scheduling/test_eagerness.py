"""Which links wait for the pages on their way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.scheduling.eagerness import Eagerness

SCORES = st.floats(-1e6, 1e6)


def experienced(eagerness: float, gain: float = 0.0) -> Eagerness:
    """Pages of all scores from -5 to 5 led to a best link of so much more, in a second."""
    found = Eagerness(eagerness)
    for number in range(200):
        score = number % 11 - 5.0
        found.sent(number, score, 0.0)
        found.read(number, score + gain, 1.0)
    return found


def test_nothing_waits_for_nothing() -> None:
    assert experienced(0.0).seconds_to_wait(-99, 5) == 0


def test_a_poor_link_waits_for_a_good_page_and_a_good_one_does_not() -> None:
    pages = experienced(0.5)
    pages.sent(1000, 3.0, 10.0)
    assert pages.seconds_to_wait(1.0, 10.0) > 1
    assert pages.seconds_to_wait(3.1, 10.0) == 0
    pages.read(1000, 1.0, 11.0)
    assert pages.seconds_to_wait(1.0, 11.0) == 0


def test_what_links_are_better_by_is_learned() -> None:
    pages = experienced(0.5, gain=2.0)
    pages.sent(1000, 3.0, 10.0)
    assert pages.seconds_to_wait(4.0, 10.0) > 0
    assert pages.seconds_to_wait(5.5, 10.0) == 0


def test_a_page_that_takes_too_long_or_fails_holds_up_nothing() -> None:
    pages = experienced(0.5)
    pages.sent(1000, 3.0, 10.0)
    wait = pages.seconds_to_wait(0.0, 10.0)
    assert 2 < wait < 10
    assert pages.seconds_to_wait(0.0, 10.0 + wait) == 0
    pages.sent(1001, 3.0, 20.0)
    pages.read(1001, None, 1.0)
    assert pages.seconds_to_wait(0.0, 20.0) == 0


def test_zero_is_serial_and_one_fills_every_slot() -> None:
    serial, greedy = experienced(0.0), experienced(1.0)
    for pages in (serial, greedy):
        pages.sent(1000, -5.0, 10.0)
    assert serial.seconds_to_wait(1e9, 10.0) > 0
    assert greedy.seconds_to_wait(-1e9, 10.0) == 0


def test_where_all_links_are_equal_none_waits_for_long() -> None:
    pages = Eagerness(0.8)
    for number in range(100):
        pages.sent(number, 0.0, 0.0)
        pages.read(number, 0.0, 1.0)
    pages.sent(1000, 0.0, 10.0)
    assert pages.seconds_to_wait(0.0, 10.0) == 0


@given(
    st.floats(0, 1),
    st.lists(st.tuples(SCORES, st.none() | SCORES, st.floats(0, 1e6))),
    SCORES,
    st.floats(0, 1e6),
)
def test_a_link_waits_for_some_time_at_most(
    eagerness: float, pages: list[tuple[float, float | None, float]], score: float, now: float
) -> None:
    found = Eagerness(eagerness)
    for number, (own, best, seconds) in enumerate(pages):
        found.sent(number, own, 0.0)
        if number % 2:
            found.read(number, best, seconds)
    wait = found.seconds_to_wait(score, now)
    assert wait >= 0
    assert found.seconds_to_wait(score, now + wait + 1e-3) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1e3])
def test_scores_may_have_any_scale(scale: float) -> None:
    pages = Eagerness(0.5)
    for number in range(30):
        pages.sent(number, number % 5 * scale, 0.0)
        pages.read(number, (number % 5 + number % 3 - 1) * scale, 1.0)
    pages.sent(100, 4 * scale, 10.0)
    assert pages.seconds_to_wait(1 * scale, 10.0) > 0
    assert pages.seconds_to_wait(6 * scale, 10.0) == 0


def test_links_are_held_back_for_some_time_though_better_pages_follow_one_another() -> None:
    pages = experienced(0.5)
    now, waits = 10.0, []
    for number in range(1000, 1040):
        pages.sent(number, 3.0, now)
        waits.append(pages.seconds_to_wait(-3.0, now))
        now += 1
        pages.read(number, 3.0, now)
    assert 0 < waits.count(0) <= 4
    assert waits.index(0) <= 10


def test_how_long_pages_take_is_learned_from_those_without_links() -> None:
    pages = Eagerness(0.5)
    for number in range(50):
        pages.sent(number, 1.0, 0.0)
        pages.read(number, None, 0.1)
    pages.sent(100, 1.0, 10.0)
    assert 0 < pages.seconds_to_wait(0.0, 10.0) < 1


def test_a_page_that_is_redirected_teaches_nothing() -> None:
    pages = experienced(0.5)
    pages.sent(1000, 3.0, 10.0)
    pages.forget(1000)
    assert not pages.may_hold_back
    assert pages.seconds_to_wait(0.0, 10.0) == 0
