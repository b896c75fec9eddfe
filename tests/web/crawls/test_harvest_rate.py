"""Harvest rates with their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.summary.harvest_report import wilson
from focuscrawl.summary.run_series import RunPoint
from focuscrawl.web.crawls.run_facts import moving_rates, rate_between


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson(hits, trials) == pytest.approx((low, high), abs=1e-4)


def test_a_promise_is_told_from_the_result() -> None:
    start = RunPoint(0, 0, 0, 0, 0, 0)
    rate = rate_between(start, RunPoint(10, 130, 40, 0, 0, 40, judged=100, promised=42.5))
    assert rate is not None
    assert (rate.pages, rate.rate, rate.promised) == (100, 0.4, 0.425)
    assert rate.is_as_promised
    wrong = rate_between(start, RunPoint(10, 130, 10, 0, 0, 10, judged=100, promised=42.5))
    assert wrong is not None
    assert not wrong.is_as_promised
    # Where links have no probabilities, all pages count.
    plain = rate_between(start, RunPoint(10, 130, 40, 0, 0, 40))
    assert plain is not None
    assert (plain.pages, plain.promised, plain.is_as_promised) == (130, None, True)
    assert rate_between(start, start) is None


def test_the_rate_of_a_moment_forgets_the_beginning() -> None:
    # All of the first 500 pages are relevant, none of the next 500.
    points = [RunPoint(n, 10 * n, min(10 * n, 500), 0, 0, 0) for n in range(101)]
    rates = {one.seconds: one.rate for one in moving_rates(points)}
    assert rates[50].rate == 1
    assert rates[55].rate == 0.5
    assert rates[100].rate == 0
    assert rates[100].pages == 100


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=60))
def test_rates_are_shares_within_their_intervals(steps: list[tuple[int, int]]) -> None:
    points, pages, relevant = [], 0, 0
    for number, (more, hits) in enumerate(steps):
        pages, relevant = pages + more, relevant + hits
        points.append(RunPoint(number, pages, relevant, 0, 0, 0))
    for _, rate in moving_rates(points):
        assert 0 <= rate.low <= rate.rate <= rate.high <= 1
