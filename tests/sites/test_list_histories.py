"""Histories of lists that change while they are read: nothing is lost without a word."""

from __future__ import annotations

from statistics import median

import pytest

from tests.sites.list_site import play

CHUNK = 250


@pytest.mark.slow
def test_no_complete_run_has_lost_an_entry_and_a_quiet_morning_costs_two_requests() -> None:
    outcomes = {seed: play(seed) for seed in range(CHUNK)}
    assert {seed: outcome.lost for seed, outcome in outcomes.items() if outcome.lost} == {}
    # The first page and a look.
    assert median(len(outcome.quiet) for outcome in outcomes.values()) == 2
    runs = [run for outcome in outcomes.values() for run in outcome.runs]
    kinds = {step for run in runs for step in run.steps}
    assert kinds == {"page", "again", "probe", "check", "look"}
    assert any(run.late for run in runs)
    assert 0.2 < sum(run.is_complete for run in runs) / len(runs) < 0.95


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("chunk", range(1, 8))
def test_no_complete_run_of_many_more_has_lost_an_entry(chunk: int) -> None:
    seeds = range(chunk * CHUNK, (chunk + 1) * CHUNK)
    lost = {seed: outcome.lost for seed in seeds if (outcome := play(seed)).lost}
    assert lost == {}
