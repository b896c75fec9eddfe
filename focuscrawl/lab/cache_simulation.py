"""Simulated miss rates of the cache of seen URLs on the links of a crawl, by size."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.frontier_entries import key_of
from focuscrawl.frontier.seen_url_caches import DEFAULT_SIZE, ClockCache

SIZES = sorted([*(1 << power for power in range(6, 21)), DEFAULT_SIZE])

_GZIP = b"\x1f\x8b"
_SHOWN = 100_000  # links between two steps of the progress


class CacheMisses(NamedTuple):
    """Numbers of links, of distinct URLs and, by cache size, of misses in a trace."""

    links: int
    distinct: int
    misses: dict[int, int]


def simulate(lines: Iterable[bytes], sizes: Sequence[int] = SIZES) -> CacheMisses:
    """Look up a trace, one URL or key per line, in caches of all sizes; a missed URL is put in.

    The trace is read once and not kept: memory is that of the caches, and of a key per distinct URL.
    """
    caches = {size: ClockCache(size) for size in sizes}
    known: set[int] = set()
    links = 0
    for line in lines:
        if not (url := line.strip()):
            continue
        key = key_of(url)
        links += 1
        known.add(key)
        for cache in caches.values():
            if cache.look(key) is None:
                cache.keep(key, 0.0)
    return CacheMisses(links, len(known), {size: one.misses for size, one in caches.items()})


@contextmanager
def opened_trace(
    path: Path, step: Callable[[float], None] | None = None
) -> Iterator[Iterator[bytes]]:
    """Open a file with one URL, or key of a URL, per line, gzipped or not; yield its lines.

    ``step`` takes the share of the file that was read. Raises :class:`~focuscrawl.errors.ArgumentError`
    if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            is_gzip = file.read(2) == _GZIP
            file.seek(0)
            size = os.fstat(file.fileno()).st_size
            lines = gzip.GzipFile(fileobj=file) if is_gzip else file
            yield _reported(lines, file, size, step)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(
            f"cannot read {path} ({reason}); give a file with one URL per line, gzipped or not"
        ) from None


def _reported(
    lines: Iterable[bytes], file: IO[bytes], size: int, step: Callable[[float], None] | None
) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        if step and size and number % _SHOWN == 0:
            step(file.tell() / size)
        yield line
