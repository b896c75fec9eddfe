"""Histories of lists that change while they are read: nothing is lost without a word."""

from __future__ import annotations

from statistics import median

import pytest

from tests.sites.list_site import play

CHUNK = 250


@pytest.mark.slow
@pytest.mark.parametrize(
    "chunk", [0, 1, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in range(2, 8))]
)
def test_no_complete_run_has_lost_an_entry(chunk: int) -> None:
    seeds = range(chunk * CHUNK, (chunk + 1) * CHUNK)
    lost = {seed: outcome.lost for seed in seeds if (outcome := play(seed)).lost}
    assert lost == {}


def test_a_quiet_morning_costs_the_first_page_and_a_look() -> None:
    quiet = [len(play(seed).quiet) for seed in range(200)]
    assert median(quiet) == 2


def test_the_histories_have_all_kinds_of_steps() -> None:
    runs = [run for seed in range(100) for run in play(seed).runs]
    assert {step for run in runs for step in run.steps} == {
        "page",
        "again",
        "probe",
        "check",
        "look",
    }
    assert any(run.late for run in runs)
    assert 0.2 < sum(run.is_complete for run in runs) / len(runs) < 0.95
