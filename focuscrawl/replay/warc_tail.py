"""Detection of an incomplete last record in a WARC file after a kill."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO

from focuscrawl.replay.warc_records import members

_MAGIC = b"\x1f\x8b\x08"
_STEP = 1 << 16
_BEGINNING = b"WARC/"


def whole_length(file: IO[bytes]) -> int:
    """Return the length of the complete records of a gzipped WARC file in bytes.

    That excludes an incomplete last record. Searches backwards for the last record, so that the time
    does not grow with the file. Raises ValueError if there is no record, not even an incomplete one.
    """
    size = file.seek(0, 2)
    if not size:
        return 0
    for offset in _candidates(file, size):
        file.seek(offset)
        try:
            member = next(members(file))
        except (EOFError, zlib.error):
            if _begins_a_record(file, offset):
                return offset
            continue
        if member.content.startswith(_BEGINNING):
            return offset + member.length
    raise ValueError("no WARC record")


def _candidates(file: IO[bytes], size: int) -> Iterator[int]:
    """Yield the offsets at which a gzip member may begin, from the end to the beginning."""
    for start in range((size - 1) // _STEP * _STEP, -1, -_STEP):
        file.seek(start)
        window = file.read(_STEP + len(_MAGIC) - 1)
        at = window.rfind(_MAGIC)
        while at >= 0:
            yield start + at
            at = window.rfind(_MAGIC, 0, at + len(_MAGIC) - 1)


def _begins_a_record(file: IO[bytes], offset: int) -> bool:
    file.seek(offset)
    try:
        found = zlib.decompressobj(31).decompress(file.read(_STEP), len(_BEGINNING))
    except zlib.error:
        return False
    # The first record may be cut off inside its first bytes.
    return found == _BEGINNING or (offset == 0 and _BEGINNING.startswith(found))
