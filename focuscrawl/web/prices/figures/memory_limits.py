"""Memory that glibc keeps for later: much, after a table of prices was read or summed up in a thread."""

from __future__ import annotations

import ctypes
from contextlib import suppress

# From malloc.h of glibc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE = 2**20
_SHARES = 2


def keep_little() -> None:
    """Have glibc return each large column as soon as it is freed, whatever thread had it."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_TRIM_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, _SHARES)


def give_back() -> None:
    """Return free memory to the system; other libraries than glibc have no such function."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
