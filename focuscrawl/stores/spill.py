"""Records that a store could not take yet, in a file that the next run loads first."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from focuscrawl.durable_files import sync_folder
from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    FoundValue,
    GoneArticle,
    GoneRecord,
    MissingNumber,
    NumberedArticle,
    Page,
    Quote,
    Record,
    Seed,
    TemplateRecord,
)

logger = logging.getLogger(__name__)

_LOCK_SECONDS = 120
_TAGS: dict[str, Callable[[str], Any]] = {
    "$date": date.fromisoformat,
    "$datetime": datetime.fromisoformat,
    "$decimal": Decimal,
}
_KINDS: dict[str, type[Record]] = {
    "article": Article,
    "gone": GoneArticle,
    "page": Page,
    "numbered": NumberedArticle,
    "missing": MissingNumber,
    "record": TemplateRecord,
    "gone_record": GoneRecord,
    "seed": Seed,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_line(record: Record) -> bytes:
    """Return a record as one line of JSON; :func:`from_line` gives back an equal one."""
    fields = {"kind": _NAMES[type(record)]} | asdict(record)
    if isinstance(record, NumberedArticle):
        # As text, for an object of some site may look like a tag.
        fields["extra"] = json.dumps(record.extra)
    # ASCII escapes, for the web's lone surrogates have no UTF-8.
    return json.dumps(fields, default=_tagged).encode("ascii") + b"\n"


def _tagged(value: Any) -> dict[str, str]:
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    raise TypeError(f"a record cannot hold {value!r}")


def _untagged(value: dict[str, Any]) -> Any:
    if len(value) == 1:
        ((tag, text),) = value.items()
        if tag in _TAGS and isinstance(text, str):
            return _TAGS[tag](text)
    return value


def from_line(line: bytes) -> Record:
    """Return the record of a line of JSON. Raises ValueError, KeyError or TypeError."""
    fields = json.loads(line, object_hook=_untagged)
    kind = _KINDS[fields.pop("kind")]
    if kind is Article:
        fields["quotes"] = [Quote(**quote) for quote in fields["quotes"]]
    if kind is TemplateRecord:
        fields["values"] = [FoundValue(**value) for value in fields["values"]]
    if kind is NumberedArticle:
        fields["extra"] = json.loads(fields["extra"])
    return kind(**fields)


class Spill:
    """An append-only file of records, one JSON object a line, of one store.

    The file is named by a hash of the store's label. Several programs may share it: each
    operation holds a lock, and :meth:`held` keeps it for longer.
    """

    def __init__(self, folder: Path, label: str, suffix: str = ".jsonl") -> None:
        name = hashlib.md5(label.encode(), usedforsecurity=False).hexdigest()[:16]
        self.path = folder / f"{name}{suffix}"
        self._lock = FileLock(f"{self.path}.lock", timeout=_LOCK_SECONDS, thread_local=False)

    def append(self, records: Sequence[Record]) -> None:
        """Add records; they are on disk on return. Raises StoreError, and adds none, if it cannot."""
        lines = b"".join(map(to_line, records))
        self._acquire()
        try:
            with self.path.open("ab+", buffering=0) as file:
                size = _cut_torn_line(file, self.path)
                try:
                    _write_whole(file, lines)
                except OSError:
                    file.truncate(size)
                    raise
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._unusable(error) from error
        finally:
            self._lock.release()

    def load(self) -> Iterator[Record]:
        """Read the records in the order in which they were added, one at a time.

        A torn last line, left by a program that was killed while adding it, was promised to no
        one: it is left out with a warning. Raises StoreError for damage anywhere else.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    logger.warning("%s: left out its last line, which is torn", self.path)
                    return
                try:
                    record = from_line(line)
                except (ValueError, KeyError, TypeError, ArithmeticError) as error:
                    raise StoreError(
                        f"line {number} of {self.path} is damaged ({error}); "
                        "move the line elsewhere and run again"
                    ) from error
                yield record

    def count(self) -> int:
        """Return how many whole records are kept."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            return sum(line.endswith(b"\n") for line in file)

    def clear(self) -> None:
        """Forget all records, for good."""
        self._acquire()
        try:
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._unusable(error) from error
        finally:
            self._lock.release()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Keep other programs from the file meanwhile."""
        await asyncio.to_thread(self._acquire)
        try:
            yield
        finally:
            self._lock.release()

    def _acquire(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except Timeout as error:
            raise StoreError(
                f"{self.path} has been in use by another run for {_LOCK_SECONDS} s; "
                "wait for that run to end"
            ) from error
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StoreError:
        reason = error.strerror or str(error)
        return StoreError(
            f"{self.path} cannot be written ({reason}); make room there or name another data folder"
        )


def _cut_torn_line(file: Any, path: Path) -> int:
    """Cut off a last line without end, and return the size of what is left."""
    size: int = file.seek(0, os.SEEK_END)
    whole = size
    while whole:
        start = max(whole - 65536, 0)
        file.seek(start)
        end = file.read(whole - start).rfind(b"\n")
        if end >= 0:
            whole = start + end + 1
            break
        whole = start
    if whole < size:
        logger.warning("%s: cut off its last line, which is torn", path)
        file.truncate(whole)
    return whole


def _write_whole(file: Any, lines: bytes) -> None:
    rest = memoryview(lines)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())
