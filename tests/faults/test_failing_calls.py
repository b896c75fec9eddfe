"""Writes and opens of stores, frontier, spill, workbook, recording and models fail, each in turn.

``make test`` lets one of eight fail, ``make test-all`` every one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.calls import FAULTS, failing_calls
from tests.faults.operations import OPERATIONS


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that lets system calls fail."""
    return failing_calls(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_each_call_fails_in_turn(name: str, step: int, library: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.operations", name, str(step)],
        env=os.environ | {"LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    # For each fault one run without it, and one at least with it.
    assert int(done.stdout) >= 2 * len(FAULTS)
