"""Thresholds of Python's garbage collection for crawls."""

from __future__ import annotations

import gc

_RARELY = (50_000, 20, 100)


def collect_rarely() -> None:
    """Let Python look rarely, where work makes many objects and few cycles.

    Leaves alone what somebody has made rarer still, or turned off.
    """
    if 0 < gc.get_threshold()[0] < _RARELY[0]:
        gc.set_threshold(*_RARELY)
