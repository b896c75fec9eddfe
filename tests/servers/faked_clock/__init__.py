"""Programs of the tests with a clock of their own."""

from __future__ import annotations

import os
from pathlib import Path


def faked_clock(file: Path) -> dict[str, str]:
    """Return the environment of a program whose clock starts at the time in a file, in UTC.

    On SIGUSR1 it reads the file again.
    """
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    return {"FOCUSCRAWL_TEST_CLOCK": str(file), "PYTHONPATH": path}
