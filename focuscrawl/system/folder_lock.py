"""Lock of a folder against other programs that lock it, without a file."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
