"""Programs of the tests with a clock of their own."""

from __future__ import annotations

import os
from pathlib import Path

CLOCK = "FOCUSCRAWL_TEST_CLOCK"
"""Variable that names the file; of it alone, forks of :mod:`tests.servers.warm_server` take note."""


def faked_clock(file: Path) -> dict[str, str]:
    """Return the environment of a program whose clock starts at the time in a file, in UTC.

    On SIGUSR1 it reads the file again.
    """
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    return {CLOCK: str(file), "PYTHONPATH": path}
