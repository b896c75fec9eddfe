"""Thresholds of Python's garbage collector for crawls."""

from __future__ import annotations

import gc

_RARELY = (50_000, 20, 100)


def collect_rarely() -> None:
    """Raise the thresholds, for work that creates many objects and few reference cycles.

    Higher thresholds, and a disabled collector, are kept.
    """
    if 0 < gc.get_threshold()[0] < _RARELY[0]:
        gc.set_threshold(*_RARELY)
