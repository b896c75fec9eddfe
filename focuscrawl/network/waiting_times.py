"""Waiting times that servers request of a crawler, in seconds."""

from __future__ import annotations

import math
import time
from datetime import datetime

HOUR = 3600.0
"""The longest pause that a run waits for, in seconds."""


class RunClock:
    """Monotonic clock in seconds since 1970: changing the system time during a run changes no pause."""

    def __init__(self) -> None:
        self._start = time.time() - time.monotonic()

    def now(self) -> float:
        """Return the current time in seconds since 1970."""
        return self._start + time.monotonic()


def crawl_delay_seconds(asked: float | None, longest: float) -> float:
    """Return the seconds between two requests for a ``Crawl-delay`` of robots.txt, at most ``longest``.

    Returns 0 for None and for invalid durations (negative, not a number).
    """
    if asked is None or math.isnan(asked) or asked <= 0:
        return 0.0
    return min(asked, longest)


def local_time(moment: float) -> str:
    """Format a time (seconds since 1970) as local time for messages."""
    try:
        return f"{datetime.fromtimestamp(moment):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "a date beyond the calendar"
