"""Yield, failures and latency of each host of a run."""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

_MOST_HOSTS = 50
_MOST_COUNTED = 20_000


class HostYield(NamedTuple):
    """Counts of a host: responses with the sum of their latencies, items, failures, and pages.

    ``pages`` are the responses that succeeded, without redirects and robots.txt.
    """

    responses: int = 0
    seconds: float = 0.0
    items: int = 0
    failures: int = 0
    pages: int = 0


class HostYields:
    """The counts of the hosts of a run; beyond 20,000 hosts, new ones are left out."""

    def __init__(self) -> None:
        self._counts: dict[str, list[float]] = {}

    def add_response(self, host: str, seconds: float, *, is_page: bool) -> None:
        """Count a response."""
        if counts := self._of(host):
            counts[0] += 1
            counts[1] += seconds
            counts[4] += is_page

    def add_item(self, host: str) -> None:
        """Count an item."""
        if counts := self._of(host):
            counts[2] += 1

    def add_failure(self, host: str) -> None:
        """Count a finally failed request."""
        if counts := self._of(host):
            counts[3] += 1

    def largest(self) -> dict[str, HostYield]:
        """Return the fifty hosts with most responses and failures, largest first."""
        hosts = nlargest(_MOST_HOSTS, self._counts.items(), lambda entry: entry[1][0] + entry[1][3])
        return {host: _rounded(counts) for host, counts in hosts}

    def _of(self, host: str) -> list[float] | None:
        counts = self._counts.get(host)
        if counts is None and len(self._counts) < _MOST_COUNTED:
            counts = self._counts[host] = [0, 0.0, 0, 0, 0]
        return counts


def _rounded(counts: list[float]) -> HostYield:
    responses, seconds, items, failures, pages = counts
    return HostYield(int(responses), round(seconds, 3), int(items), int(failures), int(pages))
