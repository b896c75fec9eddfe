"""Simulated miss rates of the cache of seen URLs on the links of a crawl, by size."""

from __future__ import annotations

import gzip
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.frontier_entries import key_of
from focuscrawl.frontier.seen_url_caches import DEFAULT_SIZE, ClockCache

SIZES = sorted([*(1 << power for power in range(6, 21)), DEFAULT_SIZE])

_GZIP = b"\x1f\x8b"


class CachePoint(NamedTuple):
    """Number of misses of a trace in a cache of a size."""

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


def count_misses(cache: ClockCache, links: Iterable[int]) -> int:
    """Return the number of misses of a trace; every missed URL is put into the cache."""
    look, keep = cache.look, cache.keep
    for url in links:
        if look(url) is None:
            keep(url, 0.0)
    return cache.misses


def simulate(trace: Trace, sizes: Sequence[int] = SIZES) -> Iterator[CachePoint]:
    """Yield the misses of every size.

    If all URLs fit into the cache, only the first link to each URL is a miss.
    """
    for size in sizes:
        if size >= trace.distinct:
            yield CachePoint(size, trace.distinct)
        else:
            yield CachePoint(size, count_misses(ClockCache(size), trace.links))


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
