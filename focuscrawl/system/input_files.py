"""Text input of a user, in files or as arguments, which must be UTF-8 and of limited size."""

from __future__ import annotations

import errno
import re
from pathlib import Path

from focuscrawl.errors import ArgumentError

# How Python shows bytes of another encoding.
_NO_UTF8 = re.compile("[\ud800-\udfff]")
_LARGEST = 64 * 1024 * 1024


def read_bounded(path: str | Path) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    A pipe is read, too. Raises OSError, also for more than 64 MB, or UnicodeDecodeError.
    """
    with Path(path).open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(errno.EFBIG, f"larger than {_LARGEST >> 20} MB")
    return content.decode("utf-8-sig")


def check_utf8(value: object, what: str) -> None:
    """Raise ArgumentError for a text that was typed in another encoding; ``what`` names it."""
    if isinstance(value, str) and _NO_UTF8.search(value):
        raise ArgumentError(f"{what} is not UTF-8; type it again in a UTF-8 terminal")
