"""Detection of damaged headers of SQLite files.

SQLite itself reports some damaged headers as a file that is read-only, or of a newer version.
Source: https://www.sqlite.org/fileformat2.html, section 1.3.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path

_MAGIC = b"SQLite format 3\0"
_BYTES = 100
_PAGE_SIZES = {1, *(2**power for power in range(9, 16))}
_WRITERS = {1, 2}
_FRACTIONS = b"\x40\x20\x20"
_SCHEMA_FORMATS = {0, 1, 2, 3, 4}
_ENCODINGS = {0, 1, 2, 3}
# Reserved for expansion, always zero.
_ZEROS = slice(72, 92)

# To close any descriptor of a file drops all POSIX locks that the process has on it (fcntl(2)), also
# those of SQLite's open connections: another process would then take their write-ahead log away. So
# descriptors stay open for as long as it matters.
_opened: OrderedDict[tuple[int, int], int] = OrderedDict()
_MOST_OPENED = 64
_lock = threading.Lock()


def is_damaged(path: Path) -> bool:
    """Return whether a nonempty file lacks a valid SQLite header. Raises ``OSError``."""
    try:
        header = _header(path)
    except FileNotFoundError:
        return False
    if not header:
        return False
    return not (
        len(header) == _BYTES
        and header.startswith(_MAGIC)
        and int.from_bytes(header[16:18], "big") in _PAGE_SIZES
        and {header[18], header[19]} <= _WRITERS
        and header[21:24] == _FRACTIONS
        and int.from_bytes(header[44:48], "big") in _SCHEMA_FORMATS
        and int.from_bytes(header[56:60], "big") in _ENCODINGS
        and not any(header[_ZEROS])
    )


def _header(path: Path) -> bytes:
    with _lock:
        found = path.stat()
        key = found.st_dev, found.st_ino
        if key not in _opened:
            _opened[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            _close_others()
        _opened.move_to_end(key)
        return os.pread(_opened[key], _BYTES, 0)


def _close_others() -> None:
    """Close the descriptors of files that are deleted, and the oldest ones of too many."""
    for key, file in list(_opened.items())[:-1]:
        if len(_opened) > _MOST_OPENED or not os.fstat(file).st_nlink:
            os.close(_opened.pop(key))
