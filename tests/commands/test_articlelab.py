"""``scrapy articlelab``: the table of the thesis's comparisons."""

from __future__ import annotations

import argparse

import pytest
from scrapy.utils.project import get_project_settings

from focuscrawl.commands import articlelab


def command() -> articlelab.Command:
    made = articlelab.Command()
    made.settings = get_project_settings()
    return made


def test_a_filled_cache_sends_no_requests(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "focuscrawl.settings")
    trials = [trial for trial in articlelab._TRIALS if trial.cache]
    monkeypatch.setattr(articlelab, "_TRIALS", trials)
    command().run([], argparse.Namespace(numbers=12, latency_ms=1))
    header, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert header[-2:] == ["seconds", "numbers/s"]
    assert [row[2:6] for row in rows] == [["32", "on", "off", "12"], ["32", "on", "off", "12"]]
    # Plus two impossible numbers and robots.txt, which is not cached, being a 404.
    assert [int(row[6]) for row in rows] == [15, 1]


def test_a_wrong_size_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    lab = command()
    lab.run([], argparse.Namespace(numbers=0, latency_ms=1))
    assert lab.exitcode == 2
    assert capsys.readouterr().err == "error: numbers=0 is out of range: give 1 to 1000000\n"
