"""Conditions of the lab's crawls: concurrency, latency, politeness delay, eagerness."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from focuscrawl.errors import ArgumentError

_MOST_REQUESTS = 1000
_MOST_SECONDS = 3600.0


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


def parse_conditions(
    concurrency: str, latency: str, delay: str, eagerness: str = ""
) -> list[Condition]:
    """Return every combination of comma-separated numbers; raises ArgumentError for other texts.

    An empty ``eagerness`` means the spider's default.
    """
    requests = [round(value) for value in _numbers("concurrency", concurrency, 1, _MOST_REQUESTS)]
    waits = _numbers("latency", latency, 0, _MOST_SECONDS)
    delays = _numbers("delay", delay, 0, _MOST_SECONDS)
    eager = _numbers("eagerness", eagerness, 0, 1) if eagerness else [None]
    return [Condition(*each) for each in product(requests, waits, delays, eager)]


def _numbers(option: str, text: str, least: float, most: float) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    whole = option != "concurrency" or all(value.is_integer() for value in found)
    if not found or not whole or not all(least <= value <= most for value in found):
        raise ArgumentError(
            f"--{option} {text!r}: give numbers from {least:g} to {most:g}, comma-separated"
        )
    return list(dict.fromkeys(found))
