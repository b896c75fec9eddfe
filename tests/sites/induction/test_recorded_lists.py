"""Drafted profiles on recorded sites, by hand-made truth outside the repository, with lower bounds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LISTS = ROOT.parent / "shared" / "lists"


@pytest.mark.skipif(not LISTS.is_dir(), reason=f"the labelled lists are not here ({LISTS})")
def test_profiles_are_as_good_as_they_must_be() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lists"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr

    def figure(pattern: str) -> float:
        found = re.search(pattern, done.stdout)
        assert found, done.stdout
        return float(found[1])

    assert figure(r"exact entry set \d+ of \d+ = ([\d.]+)") >= 0.96
    assert figure(r"mean entry .* F1 ([\d.]+)") >= 0.98
    assert figure(r"next_url accuracy ([\d.]+)") >= 0.96
    assert figure(r"title accuracy: of found entries ([\d.]+)") >= 0.98
    assert figure(r"date accuracy .*: of found ([\d.]+)") >= 0.95
    assert figure(r"article title accuracy ([\d.]+)") >= 0.95
    assert figure(r"article date accuracy ([\d.]+)") >= 0.95
    assert figure(r"all three ([\d.]+)") >= 0.95
