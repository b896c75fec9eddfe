"""UpdateScore by its three rules, against sums over all links."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focuscrawl.frontier import SqliteFrontier, UpdateRule
from focuscrawl.frontier.update_score import KEPT_SOURCES, Standing, best_sources, noisy_or
from tests.frontier.frontier_runs import link

LOG_ODDS = st.floats(-30, 30)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def by_definition(rule: UpdateRule, scores: list[float]) -> float:
    """Return the score that all the links together give, in 60 digits."""
    if rule is UpdateRule.MAX:
        return max(scores)
    with localcontext() as context:
        context.prec = 60
        if rule is UpdateRule.MEAN:
            return float(sum(map(Decimal, scores)) / len(scores))
        none = Decimal(1)
        for score in scores:
            none *= 1 - 1 / (1 + (-Decimal(score)).exp())
        return float(((1 - none) / none).ln())


def folded(rule: UpdateRule, scores: list[float]) -> Standing:
    standing = Standing.first(scores[0])
    for score in scores[1:]:
        standing = rule.add(standing, score)
    return standing


@pytest.mark.parametrize("rule", UpdateRule)
@given(scores=st.lists(LOG_ODDS, min_size=1, max_size=12))
def test_folding_is_what_all_links_give(rule: UpdateRule, scores: list[float]) -> None:
    standing = folded(rule, scores)
    assert standing.score == pytest.approx(by_definition(rule, scores), rel=1e-9, abs=1e-9)
    assert standing[1:] == (max(scores), len(scores))


@given(ANY, ANY)
@example(1e308, 1e308)
@example(-1e308, -1e308)
@example(-800.0, -800.0)
@example(0.0, 1e308)
def test_noisy_or_never_lowers_and_is_a_number(one: float, other: float) -> None:
    both = noisy_or(one, other)
    assert math.isfinite(both)
    assert both >= max(one, other)
    assert both == noisy_or(other, one)


@given(st.lists(st.tuples(st.integers(1, 99), st.floats(-9, 9)), max_size=12))
def test_sources_are_the_best_few(links: list[tuple[int, float]]) -> None:
    kept: list[tuple[int | None, float]] = []
    for each in links:
        kept = best_sources(kept, each)
    rounded = [(page, round(score, 4)) for page, score in links]
    assert kept == sorted(rounded, key=lambda source: -source[1])[:KEPT_SOURCES]


def order_by_definition(rule: UpdateRule, links: list[tuple[int, float]]) -> list[float]:
    """Return the scores in the order in which the URLs have to come."""
    scores: dict[int, list[float]] = {}
    for number, score in links:
        scores.setdefault(number, []).append(score)
    return sorted((by_definition(rule, each) for each in scores.values()), reverse=True)


@pytest.mark.parametrize("rule", UpdateRule)
@settings(max_examples=25, deadline=None)
@given(
    links=st.lists(st.tuples(st.integers(0, 15), LOG_ODDS), min_size=1, max_size=60),
    batch=st.integers(1, 20),
)
def test_the_frontier_follows_the_rule(
    rule: UpdateRule, links: list[tuple[int, float]], batch: int
) -> None:
    with TemporaryDirectory() as folder:
        frontier = SqliteFrontier(Path(folder) / "f", rule=rule, slots=99, window=3)
        for start in range(0, len(links), batch):
            frontier.push([link(*each) for each in links[start : start + batch]])
        scores = [lease.score for lease in frontier.lease(99, 0)]
        expected = order_by_definition(rule, links)
        assert scores == pytest.approx(expected, rel=1e-9, abs=1e-9)
        frontier.close()
