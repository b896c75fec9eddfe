"""Detection of damaged headers of SQLite files.

SQLite itself reports some damaged headers as a file that is read-only, or of a newer version.
Source: https://www.sqlite.org/fileformat2.html, section 1.3.
"""

from __future__ import annotations

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


def is_damaged(path: Path) -> bool:
    """Return whether a nonempty file lacks a valid SQLite header. Raises ``OSError``."""
    try:
        with path.open("rb") as file:
            header = file.read(_BYTES)
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
