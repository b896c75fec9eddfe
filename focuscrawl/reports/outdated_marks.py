"""Marks on disk that a workbook may be outdated, one for each run."""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import suppress
from glob import escape
from pathlib import Path


class OutdatedMark:
    """The mark of this run beside a workbook, and the marks that killed runs left there.

    A run holds a lock on its mark for as long as it lives; the system releases the lock however the
    run ends. A mark without a lock is therefore that of a dead run, whatever has become of its
    process number.
    """

    def __init__(self, workbook: Path) -> None:
        self._workbook = workbook
        self._path = workbook.with_name(f".{workbook.name}.{secrets.token_hex(4)}.stale")
        self._file: int | None = None

    def set(self) -> None:
        """Create and lock the mark of this run, unless it exists. Raises OSError."""
        if self._file is not None:
            return
        # Locked before it gets its name, or another run could take it for the mark of a dead one.
        # A run killed between the two leaves a file that the next rendering removes.
        unnamed = self._path.with_name(f".{self._workbook.stem}.{secrets.token_hex(4)}.tmp")
        file = os.open(unnamed, os.O_CREAT | os.O_RDONLY, 0o666)
        # Some network folders have no locks; any mark there counts as that of a dead run.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(unnamed, self._path)
        self._file = file

    def of_dead_runs(self) -> list[Path]:
        """Return the marks that killed runs left."""
        found = self._workbook.parent.glob(f".{escape(self._workbook.name)}.*stale")
        return [mark for mark in found if mark != self._path and _is_unlocked(mark)]

    def remove(self) -> None:
        """Remove the mark of this run; harmless if there is none."""
        self._path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Release the lock and leave the mark for the next run to find."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def _is_unlocked(mark: Path) -> bool:
    try:
        file = os.open(mark, os.O_RDONLY)
    except OSError:  # its run has just removed it, or it belongs to another user
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        os.close(file)
    return True
