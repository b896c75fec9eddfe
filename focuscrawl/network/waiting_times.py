"""Seconds that servers ask a crawler to wait."""

from __future__ import annotations

import math
import time
from datetime import datetime

HOUR = 3600.0
"""A run does not wait longer than that for the end of a pause, in seconds."""


class RunClock:
    """Seconds since 1970 by the machine's clock of the start: setting it meanwhile changes no pause."""

    def __init__(self) -> None:
        self._start = time.time() - time.monotonic()

    def now(self) -> float:
        """Return the moment."""
        return self._start + time.monotonic()


def crawl_delay_seconds(asked: float | None, longest: float) -> float:
    """Return the seconds to keep between two requests, by ``Crawl-delay`` of robots.txt.

    0 for none, and for what is no duration (negative, not a number).
    """
    if asked is None or math.isnan(asked) or asked <= 0:
        return 0.0
    return min(asked, longest)


def local_time(moment: float) -> str:
    """Return a moment (seconds since 1970) in local time, as a user reads it."""
    try:
        return f"{datetime.fromtimestamp(moment):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "further ahead than any calendar"
