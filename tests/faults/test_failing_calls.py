"""Writes and opens of stores, frontier, spill, workbook, recording and models fail, each in turn.

``make test`` lets one of sixteen fail, ``make test-all`` every one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.calls import FAULTS, failing_calls
from tests.faults.operations import OPERATIONS


@pytest.mark.parametrize(
    ("names", "step"),
    [
        pytest.param([*OPERATIONS], 16, id="all"),
        *(pytest.param([name], 1, id=name, marks=pytest.mark.exhaustive) for name in OPERATIONS),
    ],
)
def test_each_call_fails_in_turn(names: list[str], step: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.operations", str(step), *names],
        env=os.environ | {"LD_PRELOAD": str(failing_calls(tmp_path))},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    runs = dict(line.split() for line in done.stdout.splitlines())
    assert runs.keys() == {*names}
    # For each fault one run without it, and one at least with it.
    assert min(map(int, runs.values())) >= 2 * len(FAULTS)
