"""Conditions of the lab's crawls: concurrency, latency, politeness delay, eagerness."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple


class Condition(NamedTuple):
    """Concurrent requests, seconds until a response arrives, seconds between requests to a host.

    ``eagerness`` is that of the scheduler, None for the spider's default.
    """

    requests: int = 1
    latency: float = 0.0
    delay: float = 0.0
    eagerness: float | None = None

    def __str__(self) -> str:
        """Return a short label, ``""`` for serial requests without latency and delay.

        >>> str(Condition(16, 0.15)), str(Condition())
        ('16 at once, 0.15 s latency', '')
        """
        parts = (
            f"{self.requests} at once" if self.requests != 1 else "",
            f"{self.latency:g} s latency" if self.latency else "",
            f"{self.delay:g} s delay" if self.delay else "",
            f"eagerness {self.eagerness:g}" if self.eagerness is not None else "",
        )
        return ", ".join(filter(None, parts))

    @property
    def settings(self) -> dict[str, str]:
        """Return Scrapy's settings for a crawl under this condition."""
        found = {
            "CONCURRENT_REQUESTS": str(self.requests),
            "FOCUSCRAWL_REPLAY_LATENCY": str(self.latency),
            "DOWNLOAD_DELAY": str(self.delay),
        }
        if self.eagerness is not None:
            found["FOCUSCRAWL_EAGERNESS"] = str(self.eagerness)
        return found


def all_conditions(
    requests: Iterable[int],
    latencies: Iterable[float],
    delays: Iterable[float],
    eagerness: Iterable[float] = (),
) -> list[Condition]:
    """Return every combination of values; without ``eagerness``, the spider's default."""
    eager: list[float | None] = [*eagerness] or [None]
    return [Condition(*each) for each in product(requests, latencies, delays, eager)]
