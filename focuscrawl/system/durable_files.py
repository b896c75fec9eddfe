"""Durable writes: after a kill or a power failure a file is complete, or as it was before."""

from __future__ import annotations

import errno
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from focuscrawl.errors import ArgumentError, FocuscrawlError

# Folders for what a program writes.


def made_folder(folder: Path, kind: type[FocuscrawlError], remedy: str) -> Path:
    """Return a folder, created if it does not exist; raises ``kind`` with the remedy if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise kind(f"cannot create the folder {folder} ({error.strerror}); {remedy}") from error
    return folder


# Text input of a user, in files or as arguments, which must be UTF-8 and of limited size.

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


def read_chinese(path: Path) -> str:
    """Return the text of a file in UTF-8 or GB 18030, which includes GBK; raises ArgumentError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ArgumentError(f"Cannot read {path}: {error.strerror}; name another file") from None
    for encoding in ("utf-8-sig", "gb18030"):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise ArgumentError(f"{path} is neither UTF-8 nor GB 18030; save it as UTF-8")


def check_utf8(value: object, what: str) -> None:
    """Raise ArgumentError for a text that was typed in another encoding; ``what`` names it."""
    if isinstance(value, str) and _NO_UTF8.search(value):
        raise ArgumentError(f"{what} is not UTF-8; type it again in a UTF-8 terminal")


# Lock of a folder against other programs that lock it, without a file.


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Wait until no other program has locked a folder, and lock it.

    A folder that cannot be opened, or whose file system has no locks, is not locked.
    """
    descriptor = None
    try:
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, flushed to the disk. Raises OSError."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_text(path: Path, text: str) -> None:
    """Replace a file atomically, by renaming ``PATH.part`` in the same folder. Raises OSError."""
    part = path.with_name(f"{path.name}.part")
    write_text(part, text)
    os.replace(part, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush the directory entries of a folder to the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
