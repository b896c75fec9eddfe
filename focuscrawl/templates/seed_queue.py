"""The seeds that are to be crawled, of one site one at a time."""

from __future__ import annotations

from collections import deque

from focuscrawl.items import Seed
from focuscrawl.pages.site_hosts import host_of


class SeedLine:
    """First come, first served; a seed waits for those of its site that came before it.

    Two that are crawled at once would each leave pages of their site to the other.
    """

    def __init__(self) -> None:
        self._ready: deque[Seed] = deque()
        self._behind: dict[str, deque[Seed]] = {}

    def add(self, seed: Seed) -> None:
        """Put a seed in line."""
        site = host_of(seed.url)
        if site in self._behind:
            self._behind[site].append(seed)
        else:
            self._behind[site] = deque()
            self._ready.append(seed)

    def next(self) -> Seed | None:
        """Return the seed whose turn it is, None if there is none; say when it is :meth:`done`."""
        return self._ready.popleft() if self._ready else None

    def done(self, seed: Seed) -> None:
        """Let the next seed of its site go."""
        site = host_of(seed.url)
        if self._behind[site]:
            self._ready.appendleft(self._behind[site].popleft())
        else:
            del self._behind[site]
