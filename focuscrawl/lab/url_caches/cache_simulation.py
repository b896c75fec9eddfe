"""Simulated miss rates of caches of seen URLs on the links of a crawl, by policy and size."""

from __future__ import annotations

import gzip
import heapq
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.frontier_entries import key_of
from focuscrawl.frontier.seen_url_caches import (
    DEFAULT_SIZE,
    ClockCache,
    InfiniteCache,
    LruCache,
    RandomCache,
    SeenCache,
    StaticCache,
)

SIZES = sorted([*(1 << power for power in range(6, 21)), DEFAULT_SIZE])
POLICIES = ("INFINITE", "MIN", "LRU", "CLOCK", "RANDOM", "STATIC")

_GZIP = b"\x1f\x8b"


class Point(NamedTuple):
    """Number of misses of a trace in a cache of a policy and size."""

    policy: str
    size: int
    misses: int


class Trace:
    """URLs of the links of a crawl, in order, numbered from 0 by first occurrence."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        numbers: dict[int, int] = {}
        self.links = array("q")
        for line in lines:
            if url := line.strip():
                self.links.append(numbers.setdefault(key_of(url), len(numbers)))
        self.distinct = len(numbers)
        self._next_uses: Sequence[int] = ()
        self._by_popularity: list[int] = []

    def next_uses(self) -> Sequence[int]:
        """Return for each link the index of the next one to the same URL, ``len(links)`` for none."""
        if not self._next_uses:
            end = len(self.links)
            coming = array("q", [end]) * self.distinct
            uses = array("q", [end]) * end
            for at in range(end - 1, -1, -1):
                url = self.links[at]
                uses[at] = coming[url]
                coming[url] = at
            self._next_uses = uses
        return self._next_uses

    def most_popular(self, count: int) -> list[int]:
        """Return the numbers of the ``count`` URLs with the most links."""
        if not self._by_popularity:
            self._by_popularity = [url for url, _ in Counter(self.links).most_common()]
        return self._by_popularity[:count]


class ClairvoyantCache(InfiniteCache):
    """MIN (Belady 1966): evicts the URL whose next link is furthest away, even the one just seen.

    No policy has fewer misses. The links of its trace must be looked up in order.
    """

    def __init__(self, size: int, trace: Trace) -> None:
        super().__init__()
        self._size = size
        self._links = trace.links
        self._next_uses = trace.next_uses()
        self._at = -1
        # Negated indices of the next links to cached URLs; past ones sink to the bottom of the heap.
        self._coming: list[int] = []

    def look(self, key: int) -> float | None:
        """Return the cached value of the URL of the next link, None for a miss."""
        self._at += 1
        value = self._values.pop(key, None)
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
            self.keep(key, value)
        return value

    def keep(self, key: int, value: float) -> None:
        """Cache the URL unless all others are needed sooner."""
        next_use = self._next_uses[self._at]
        if next_use == len(self._links):
            return
        self._values[key] = value
        heapq.heappush(self._coming, -next_use)
        if len(self._values) > self._size:
            del self._values[self._links[-heapq.heappop(self._coming)]]
        elif len(self._coming) > 2 * self._size + 1000:
            self._coming = [place for place in self._coming if -place > self._at]
            heapq.heapify(self._coming)


_MAKERS: dict[str, Callable[[int, Trace], SeenCache]] = {
    "INFINITE": lambda _, __: InfiniteCache(),
    "MIN": ClairvoyantCache,
    "LRU": lambda size, _: LruCache(size),
    "CLOCK": lambda size, _: ClockCache(size),
    "RANDOM": lambda size, _: RandomCache(size),
    "STATIC": lambda size, trace: StaticCache(trace.most_popular(size)),
}


def make_cache(policy: str, size: int, trace: Trace) -> SeenCache:
    """Return an empty cache; MIN and STATIC know the future look-ups from the trace."""
    return _MAKERS[policy](size, trace)


def count_misses(cache: SeenCache, links: Iterable[int]) -> int:
    """Return the number of misses of a trace; every missed URL is put into the cache."""
    look, keep = cache.look, cache.keep
    for url in links:
        if look(url) is None:
            keep(url, 0.0)
    return cache.misses


def simulate(trace: Trace, sizes: Sequence[int] = SIZES) -> Iterator[Point]:
    """Yield the misses of every policy and size, policy by policy.

    If all URLs fit into the cache, every policy misses only the first link to each URL.
    """
    for policy in POLICIES:
        for size in sizes:
            if policy == "INFINITE" or size >= trace.distinct:
                yield Point(policy, size, trace.distinct)
            else:
                cache = make_cache(policy, size, trace)
                yield Point(policy, size, count_misses(cache, trace.links))


def read_trace(path: Path) -> Trace:
    """Read a file with one URL, or key of a URL, per line, gzipped or not.

    Raises :class:`~focuscrawl.errors.ArgumentError` if it cannot be read or has no URLs.
    """
    try:
        with path.open("rb") as file:
            is_gzip = file.read(2) == _GZIP
        with gzip.open(path) if is_gzip else path.open("rb") as lines:
            trace = Trace(lines)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(
            f"cannot read {path} ({reason}); give a file with one URL per line, gzipped or not"
        ) from None
    if not trace.links:
        raise ArgumentError(f"{path} has no URLs; give a file with one URL per line")
    return trace
