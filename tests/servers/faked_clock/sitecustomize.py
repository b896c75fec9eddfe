"""A clock for programs of the tests: it starts at the time in a file, and again there on SIGUSR1."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import time_machine


def _moment() -> datetime:
    text = Path(os.environ["FOCUSCRAWL_TEST_CLOCK"]).read_text()
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


_clock = time_machine.travel(_moment()).start()
signal.signal(signal.SIGUSR1, lambda *_: _clock.move_to(_moment()))
