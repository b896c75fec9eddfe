"""A cache of seen URLs in front of the disk, by the policies that Broder, Najork and Wiener compared.

"Efficient URL Caching for World Wide Web Crawling" (WWW 2003), section 4: most links lead where
other links have led shortly before, so that a small cache answers most look-ups.
"""

from __future__ import annotations

import random
from array import array
from collections import OrderedDict
from collections.abc import Collection
from typing import Protocol

DEFAULT_SIZE = 50_000


class SeenCache(Protocol):
    """Some URLs, by key, with a number each."""

    @property
    def hits(self) -> int:
        """How many looks have found something."""

    @property
    def misses(self) -> int:
        """How many looks were in vain."""

    def look(self, key: int) -> float | None:
        """Return what is held of a URL that a link leads to, None if nothing is."""

    def keep(self, key: int, value: float) -> None:
        """Hold a URL that was looked for in vain, or another number for one that is held."""

    def replace(self, key: int, value: float) -> None:
        """Hold another number if the URL is held; this does not count as its use."""


class InfiniteCache:
    """INFINITE: forgets nothing. For simulations: what no size can beat."""

    def __init__(self) -> None:
        self.hits = self.misses = 0
        self._values: dict[int, float] = {}

    def look(self, key: int) -> float | None:
        """Return what is held."""
        value = self._values.get(key)
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
        return value

    def keep(self, key: int, value: float) -> None:
        """Hold the URL for ever."""
        self._values[key] = value

    def replace(self, key: int, value: float) -> None:
        """Hold another number."""
        if key in self._values:
            self._values[key] = value


class StaticCache(InfiniteCache):
    """STATIC: holds URLs from a fixed list alone, once they have been seen.

    The paper fills it beforehand; here the first look misses, as it does with every other policy.
    """

    def __init__(self, popular: Collection[int]) -> None:
        super().__init__()
        self._popular = frozenset(popular)

    def keep(self, key: int, value: float) -> None:
        """Hold the URL if it is on the list."""
        if key in self._popular:
            self._values[key] = value


class LruCache(InfiniteCache):
    """LRU: forgets the URL that was not linked to for longest."""

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        super().__init__()
        self._size = size
        self._values: OrderedDict[int, float] = OrderedDict()

    def look(self, key: int) -> float | None:
        """Return what is held, and count it as used."""
        value = self._values.get(key)
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
            self._values.move_to_end(key)
        return value

    def keep(self, key: int, value: float) -> None:
        """Hold the URL; a new one counts as used."""
        self._values[key] = value
        if len(self._values) > self._size:
            self._values.popitem(last=False)


class ClockCache:
    """CLOCK: gives every URL that was used since the hand came by another round.

    Nearly LRU, for one mark a URL instead of a list that is relinked at every use.
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
        """Return what is held, and mark it as used."""
        slot = self._slots.get(key)
        if slot is None:
            self.misses += 1
            return None
        self.hits += 1
        self._is_used[slot] = 1
        return self._values[slot]

    def keep(self, key: int, value: float) -> None:
        """Hold the URL in the place of one that the hand finds unused."""
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
        """Hold another number."""
        slot = self._slots.get(key)
        if slot is not None:
            self._values[slot] = value

    def _victim(self) -> int:
        # From the hand on, then from the start: by then every mark has been passed and wiped.
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


class RandomCache(ClockCache):
    """RANDOM: forgets any URL."""

    def __init__(self, size: int = DEFAULT_SIZE, seed: int = 0) -> None:
        super().__init__(size)
        self._dice = random.Random(seed)

    def _victim(self) -> int:
        return int(self._dice.random() * self._size)
