"""Queue of seeds to be crawled, one at a time per site."""

from __future__ import annotations

from collections import deque

from focuscrawl.items import Seed
from focuscrawl.pages.site_hosts import host_of


class SeedLine:
    """First-in, first-out queue; a seed waits for the earlier ones of its site.

    Of two crawled at once, each would miss the pages of their site that the other requests.
    """

    def __init__(self) -> None:
        self._ready: deque[Seed] = deque()
        self._behind: dict[str, deque[Seed]] = {}

    def add(self, seed: Seed) -> None:
        """Add a seed to the queue."""
        site = host_of(seed.url)
        if site in self._behind:
            self._behind[site].append(seed)
        else:
            self._behind[site] = deque()
            self._ready.append(seed)

    def next(self) -> Seed | None:
        """Return the next seed, None if none is ready; call :meth:`done` when it is crawled."""
        return self._ready.popleft() if self._ready else None

    def done(self, seed: Seed) -> None:
        """Release the next seed of its site."""
        site = host_of(seed.url)
        if self._behind[site]:
            self._ready.appendleft(self._behind[site].popleft())
        else:
            del self._behind[site]
