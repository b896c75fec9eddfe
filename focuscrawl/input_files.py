"""Text files that a user names: pipes are read, too, but nothing without end."""

from __future__ import annotations

import errno
from pathlib import Path

_LARGEST = 64 * 1024 * 1024


def read_bounded(path: str | Path) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark.

    Raises OSError, also for more than 64 MB, or UnicodeDecodeError.
    """
    with Path(path).open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(errno.EFBIG, f"larger than {_LARGEST >> 20} MB")
    return content.decode("utf-8-sig")
