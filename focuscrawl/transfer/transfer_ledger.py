"""Progress of a transfer in a file that outlives a kill, with the MD5 of every row read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from focuscrawl.errors import AlreadyRunningError, StoreError
from focuscrawl.stores.database_copies import Line


class Ledger:
    """A file with a line of kind, key and MD5 for each record that is in the target.

    There is one file for each pair of databases; while a transfer has it open, another transfer
    between the same two is refused.
    """

    def __init__(self, folder: Path, source: str, target: str) -> None:
        name = hashlib.md5(f"{source} {target}".encode(), usedforsecurity=False).hexdigest()
        self._path = folder / f"{name[:16]}.jsonl"
        self._lock = FileLock(f"{self._path}.lock", timeout=0, thread_local=False)
        self._file: IO[bytes] | None = None
        self._last: dict[str, str] = {}

    def open(self) -> None:
        """Lock the file, and read the progress of an earlier transfer. Raises FocuscrawlError."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._file = self._path.open("ab+")
            self._file.truncate(self._whole())
        except Timeout as error:
            raise AlreadyRunningError(
                "a transfer between these two databases is running; wait for it to end"
            ) from error
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._path} cannot be written ({error.strerror}); free some space there or set "
            "FOCUSCRAWL_DATA to another folder"
        )

    def _whole(self) -> int:
        """Read the last key of each kind, and return the size without a torn last line."""
        size = 0
        with self._path.open("rb") as file:
            for line in file:
                try:
                    kind, key, _ = json.loads(line)
                except ValueError:
                    break
                if not line.endswith(b"\n"):
                    # The next line would be appended to this one.
                    break
                self._last[kind] = key
                size += len(line)
        return size

    @property
    def is_begun(self) -> bool:
        """Whether there is progress of an earlier transfer."""
        return bool(self._last)

    def last(self, kind: str) -> str | None:
        """Return the key of the last record of a kind that is in the target, or None."""
        return self._last.get(kind)

    def add(self, kind: str, lines: Iterable[Line]) -> None:
        """Add records that are in the target, in the order of their keys. Raises StoreError."""
        assert self._file is not None, "the ledger is open"
        try:
            for key, digest in lines:
                self._last[kind] = key
                self._file.write(json.dumps([kind, key, digest]).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def lines(self, kind: str) -> Iterator[Line]:
        """Read the records of a kind."""
        with self._path.open("rb") as file:
            for line in file:
                name, key, digest = json.loads(line)
                if name == kind:
                    yield key, digest

    def close(self, *, is_done: bool) -> None:
        """Close the file, and delete it if the transfer ``is_done``."""
        if self._file is not None:
            # After a full disk this flushes once more; add() has already raised the error.
            with suppress(OSError):
                self._file.close()
            if is_done:
                self._path.unlink(missing_ok=True)
                self._last.clear()
        self._file = None
        self._lock.release()
