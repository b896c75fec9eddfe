"""Marks that a workbook may be outdated."""

from __future__ import annotations

import os
from pathlib import Path

from focuscrawl.reports.crawl_workbook import OutdatedMark


def test_a_mark_of_a_living_run_is_not_that_of_a_dead_one(tmp_path: Path) -> None:
    living, other = OutdatedMark(tmp_path / "b.xlsx"), OutdatedMark(tmp_path / "b.xlsx")
    living.set()
    living.set()
    (mark,) = tmp_path.iterdir()
    assert (mark.name[:8], mark.suffix) == (".b.xlsx.", ".stale")
    assert living.of_dead_runs() == other.of_dead_runs() == []
    living.release()
    assert other.of_dead_runs() == [mark]
    # A run never takes its own mark for that of another.
    assert living.of_dead_runs() == []


def test_a_mark_is_removed_once(tmp_path: Path) -> None:
    mark = OutdatedMark(tmp_path / "b.xlsx")
    mark.set()
    mark.remove()
    mark.remove()
    assert list(tmp_path.iterdir()) == []


def test_marks_of_other_workbooks_are_left_alone(tmp_path: Path) -> None:
    for name in (".c.xlsx.12345678.stale", ".[b].xlsx.12345678.stale"):
        (tmp_path / name).touch()
    assert OutdatedMark(tmp_path / "b.xlsx").of_dead_runs() == []
    (found,) = OutdatedMark(tmp_path / "[b].xlsx").of_dead_runs()
    assert os.fspath(found).endswith(".[b].xlsx.12345678.stale")
