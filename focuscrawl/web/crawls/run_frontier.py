"""Frontier of a run, found again on this machine."""

from __future__ import annotations

import socket
from pathlib import Path

from focuscrawl.web.crawls.run_facts import RunFacts


def frontier_of(run: RunFacts, data: Path) -> Path | None:
    """Return the frontier file of a run if it is on this machine, in the data folder and still there.

    The path was written by the crawl into its store, which others may write to as well.
    """
    path = run.frontier
    if path is None or run.run.machine != socket.gethostname():
        return None
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError):
        return None
    is_inside = real.is_relative_to(data.resolve())
    return real if is_inside and real.is_file() else None
