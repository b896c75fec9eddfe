"""Cache of seen URLs in front of the disk, with the policy CLOCK as in Broder, Najork and Wiener.

"Efficient URL Caching for World Wide Web Crawling" (WWW 2003), section 4: most links have the same
target as other recent links, so that most look-ups hit a small cache.
"""

from __future__ import annotations

from array import array
from threading import Lock
from typing import Protocol

DEFAULT_SIZE = 50_000


class SeenCache(Protocol):
    """Cache of a limited number of URLs by key, each with a number."""

    @property
    def hits(self) -> int:
        """Number of hits."""

    @property
    def misses(self) -> int:
        """Number of misses."""

    def look(self, key: int) -> float | None:
        """Return the number of the target of a link, None for a miss."""

    def keep(self, key: int, value: float) -> None:
        """Add a URL after a miss, or replace the number of one that is in the cache."""

    def replace(self, key: int, value: float) -> None:
        """Replace the number of a URL that is in the cache; this does not count as a use."""


class ClockCache:
    """CLOCK: does not evict a URL that was used since the hand last passed it.

    Nearly LRU, with one mark for each URL instead of a list that changes with every use.
    """

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self.hits = self.misses = 0
        self._size = size
        self._slots: dict[int, int] = {}
        self._keys = array("q")
        self._values = array("d")
        self._is_used = bytearray()
        self._hand = 0

    def look(self, key: int) -> float | None:
        """Return the number, and mark it as used."""
        slot = self._slots.get(key)
        if slot is None:
            self.misses += 1
            return None
        self.hits += 1
        self._is_used[slot] = 1
        return self._values[slot]

    def keep(self, key: int, value: float) -> None:
        """Add the URL in place of an unused one that the hand finds."""
        slot = self._slots.get(key)
        if slot is not None:
            self._values[slot] = value
        elif len(self._keys) < self._size:
            self._slots[key] = len(self._keys)
            self._keys.append(key)
            self._values.append(value)
            self._is_used.append(1)
        else:
            slot = self._victim()
            del self._slots[self._keys[slot]]
            self._slots[key] = slot
            self._keys[slot], self._values[slot], self._is_used[slot] = key, value, 1

    def replace(self, key: int, value: float) -> None:
        """Replace the number."""
        slot = self._slots.get(key)
        if slot is not None:
            self._values[slot] = value

    def _victim(self) -> int:
        # From the hand on, then from the start: by then every mark has been cleared.
        slot = self._is_used.find(0, self._hand)
        if slot < 0:
            self._wipe(self._hand, self._size)
            self._hand = 0
            slot = self._is_used.find(0)
        self._wipe(self._hand, slot)
        self._hand = (slot + 1) % self._size
        return slot

    def _wipe(self, start: int, end: int) -> None:
        self._is_used[start:end] = bytes(end - start)


class LockedCache:
    """A cache that one thread fills while another looks into it.

    Without the lock, a look-up could find the number of the URL that replaces the wanted one.
    """

    def __init__(self, cache: SeenCache) -> None:
        self._cache = cache
        self._lock = Lock()

    @property
    def hits(self) -> int:
        """Number of hits."""
        return self._cache.hits

    @property
    def misses(self) -> int:
        """Number of misses."""
        return self._cache.misses

    def look(self, key: int) -> float | None:
        """Return the number, None for a miss."""
        with self._lock:
            return self._cache.look(key)

    def keep(self, key: int, value: float) -> None:
        """Add the URL."""
        with self._lock:
            self._cache.keep(key, value)

    def replace(self, key: int, value: float) -> None:
        """Replace the number."""
        with self._lock:
            self._cache.replace(key, value)
