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
    """Lines of key and MD5 by kind, one for each record that is in the target.

    There is one file for each pair of databases; while one transfer has it open, another between
    the same two is refused.
    """

    def __init__(self, folder: Path, source: str, target: str) -> None:
        name = hashlib.md5(f"{source} {target}".encode(), usedforsecurity=False).hexdigest()
        self._path = folder / f"{name[:16]}.jsonl"
        self._lock = FileLock(f"{self._path}.lock", timeout=0, thread_local=False)
        self._file: IO[bytes] | None = None
        self._last: dict[str, str] = {}

    def open(self) -> None:
        """Lock the file, and read how far an earlier transfer came. Raises FocuscrawlError."""
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
            f"{self._path} cannot be written ({error.strerror}); make room there or name "
            "another data folder"
        )

    def _whole(self) -> int:
        """Note the last key of each kind, and return the size without a torn last line."""
        size = 0
        with self._path.open("rb") as file:
            for line in file:
                try:
                    kind, key, _ = json.loads(line)
                except ValueError:
                    break
                if not line.endswith(b"\n"):
                    # Else the next line would go on in this one.
                    break
                self._last[kind] = key
                size += len(line)
        return size

    @property
    def is_begun(self) -> bool:
        """Whether an earlier transfer has left anything."""
        return bool(self._last)

    def last(self, kind: str) -> str | None:
        """Return the key of a kind's last record that is in the target, None if there is none."""
        return self._last.get(kind)

    def add(self, kind: str, lines: Iterable[Line]) -> None:
        """Note records that are in the target, in the order of their keys. Raises StoreError."""
        assert self._file is not None, "the ledger is open"
        try:
            for key, digest in lines:
                self._last[kind] = key
                self._file.write(json.dumps([kind, key, digest]).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def lines(self, kind: str) -> Iterator[Line]:
        """Read what is noted of a kind."""
        with self._path.open("rb") as file:
            for line in file:
                name, key, digest = json.loads(line)
                if name == kind:
                    yield key, digest

    def close(self, *, is_done: bool) -> None:
        """Let go of the file; one that is done with is removed."""
        if self._file is not None:
            # What a full disk did not take is tried once more, and add() has said that.
            with suppress(OSError):
                self._file.close()
            if is_done:
                self._path.unlink(missing_ok=True)
                self._last.clear()
        self._file = None
        self._lock.release()
