"""The conditions that a lab crawls under: requests at once, latency of the web, politeness delay."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from focuscrawl.errors import ArgumentError

_MOST_REQUESTS = 1000
_MOST_SECONDS = 3600.0


class Condition(NamedTuple):
    """Requests at once, seconds till a response is here, seconds between requests to a host."""

    requests: int = 1
    latency: float = 0.0
    delay: float = 0.0

    def __str__(self) -> str:
        """Return a short label, empty where each request waits for the one before and nothing else.

        >>> str(Condition(16, 0.15)), str(Condition())
        ('16 at once, 0.15 s latency', '')
        """
        parts = (
            f"{self.requests} at once" if self.requests != 1 else "",
            f"{self.latency:g} s latency" if self.latency else "",
            f"{self.delay:g} s delay" if self.delay else "",
        )
        return ", ".join(filter(None, parts))

    @property
    def settings(self) -> dict[str, str]:
        """Scrapy's settings for a crawl under this condition."""
        return {
            "CONCURRENT_REQUESTS": str(self.requests),
            "FOCUSCRAWL_REPLAY_LATENCY": str(self.latency),
            "DOWNLOAD_DELAY": str(self.delay),
        }


def parse_conditions(concurrency: str, latency: str, delay: str) -> list[Condition]:
    """Return every combination of comma-separated numbers; raises ArgumentError for what is none."""
    requests = [round(value) for value in _numbers("concurrency", concurrency, 1, _MOST_REQUESTS)]
    waits = _numbers("latency", latency, 0, _MOST_SECONDS)
    delays = _numbers("delay", delay, 0, _MOST_SECONDS)
    return [Condition(*each) for each in product(requests, waits, delays)]


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
