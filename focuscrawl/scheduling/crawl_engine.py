"""The parts of a running crawl that the access to its frontier needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from focuscrawl.errors import FocuscrawlError
from focuscrawl.frontier.frontier_entries import Pushed


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Functions of a crawl.

    ``now`` is its clock, ``wake`` makes the engine look for the next request, ``count`` increases a
    number in the stats, ``fail`` ends the crawl. ``is_closing`` returns whether it is being closed.
    ``most`` is the greatest number of requests in flight, 0 for any. Any thread may call ``now`` and
    ``is_closing``.
    """

    now: Callable[[], float]
    wake: Callable[[], None]
    count: Callable[[str, int], None]
    count_pushed: Callable[[Pushed], None]
    fail: Callable[[FocuscrawlError], None]
    is_closing: Callable[[], bool]
    most: int
