"""Cache of seen URLs in front of the disk, with the policy CLOCK as in Broder, Najork and Wiener.

"Efficient URL Caching for World Wide Web Crawling" (WWW 2003), section 4: most links have the same
target as other recent links, so that most look-ups hit a small cache.
"""

from __future__ import annotations

from array import array
from threading import Lock

DEFAULT_SIZE = 50_000


class ClockCache:
    """Cache of a limited number of URLs by key, each with a number; counts its ``hits`` and ``misses``.

    CLOCK does not evict a URL that was used since the hand last passed it. That is nearly LRU, with one
    mark for each URL instead of a list that changes with every use.
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
        """Return the number of the target of a link, and mark it as used; None for a miss."""
        slot = self._slots.get(key)
        if slot is None:
            self.misses += 1
            return None
        self.hits += 1
        self._is_used[slot] = 1
        return self._values[slot]

    def keep(self, key: int, value: float) -> None:
        """Add a URL after a miss, or replace the number of one that is in the cache.

        If the cache is full, it takes the place of an unused one that the hand finds.
        """
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
        """Replace the number of a URL that is in the cache; this does not count as a use."""
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


class LockedCache(ClockCache):
    """A cache that one thread fills while another looks into it.

    Without the lock, a look-up could find the number of the URL that replaces the wanted one.
    """

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        super().__init__(size)
        self._lock = Lock()

    def look(self, key: int) -> float | None:
        """Return the number, None for a miss."""
        with self._lock:
            return super().look(key)

    def keep(self, key: int, value: float) -> None:
        """Add the URL."""
        with self._lock:
            super().keep(key, value)

    def replace(self, key: int, value: float) -> None:
        """Replace the number."""
        with self._lock:
            super().replace(key, value)
