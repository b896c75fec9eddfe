"""File of the records that an unavailable store could not be given; the next run loads it first."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.items import (
    Article,
    FoundValue,
    GoneArticle,
    GoneRecord,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    PageVerdict,
    PriceDecision,
    Quote,
    Record,
    RereadArticle,
    Seed,
    TemplateRecord,
    WithdrawnNumber,
)
from focuscrawl.stores.schema_version import RENAMED
from focuscrawl.system.durable_files import sync_folder

logger = logging.getLogger(__name__)

_LOCK_SECONDS = 120
_TAGS: dict[str, Callable[[str], Any]] = {
    "$date": date.fromisoformat,
    "$datetime": datetime.fromisoformat,
    "$decimal": Decimal,
}
_KINDS: dict[str, type[Record]] = {
    "article": Article,
    "reread": RereadArticle,
    "gone": GoneArticle,
    "page": Page,
    "numbered": NumberedArticle,
    "missing": MissingNumber,
    "withdrawn": WithdrawnNumber,
    "record": TemplateRecord,
    "gone_record": GoneRecord,
    "seed": Seed,
    "decision": PriceDecision,
    "item": OwnItem,
    "page_verdict": PageVerdict,
}
_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError)
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_line(record: Record) -> bytes:
    """Return a record as one line: JSON, a tab, the CRC-32 of the JSON as 8 hexadecimal digits.

    :func:`from_line` returns an equal record.
    """
    fields = {"kind": _NAMES[type(record)]} | asdict(record)
    if isinstance(record, NumberedArticle):
        # As text, since an object of a site may look like a tag.
        fields["extra"] = json.dumps(record.extra)
    # ASCII escapes, since lone surrogates cannot be encoded in UTF-8.
    text = json.dumps(fields, default=_tagged).encode("ascii")
    return b"%b\t%08x\n" % (text, zlib.crc32(text))


def _tagged(value: Any) -> dict[str, str]:
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    raise TypeError(f"a record cannot contain {value!r}")


def _untagged(value: dict[str, Any]) -> Any:
    if len(value) == 1:
        ((tag, text),) = value.items()
        if tag in _TAGS and isinstance(text, str):
            return _TAGS[tag](text)
    return value


def from_line(line: bytes) -> Record:
    """Return the record of a line; lines of older versions have no checksum.

    Raises ValueError, KeyError, TypeError, AttributeError or ArithmeticError for a damaged line.
    """
    text, tab, checksum = line.rstrip(b"\n").partition(b"\t")
    if tab and checksum != b"%08x" % zlib.crc32(text):
        raise ValueError("its checksum is wrong")
    fields = json.loads(text, object_hook=_untagged)
    kind = _KINDS[fields.pop("kind")]
    if issubclass(kind, Article) and fields["quotes"] is not None:
        fields["quotes"] = [
            Quote(**{RENAMED.get(name, name): value for name, value in quote.items()})
            for quote in fields["quotes"]
        ]
    if kind is TemplateRecord:
        fields["values"] = [FoundValue.from_json(value) for value in fields["values"]]
    if kind is NumberedArticle:
        fields["extra"] = json.loads(fields["extra"])
    return kind(**fields)


class Spill:
    """An append-only file of the records of one store, one per line.

    The file is named by a hash of the store's label. Several programs may share it: each
    operation locks it. One program at a time loads it (:meth:`loading`); the others may append
    meanwhile.
    """

    def __init__(self, folder: Path, label: str, suffix: str = ".jsonl") -> None:
        name = hashlib.md5(label.encode(), usedforsecurity=False).hexdigest()[:16]
        self.path = folder / f"{name}{suffix}"
        self._lock = FileLock(f"{self.path}.lock", timeout=_LOCK_SECONDS, thread_local=False)
        self._load_lock = FileLock(
            f"{self.path}.load.lock", timeout=_LOCK_SECONDS, thread_local=False
        )
        self._position = 0
        self.damaged = 0
        """Number of damaged lines moved to :attr:`damaged_path`."""
        self._damaged_lines: list[tuple[int, int]] = []

    @property
    def damaged_path(self) -> Path:
        """File of the damaged lines."""
        return self.path.with_suffix(".damaged")

    def append(self, records: Sequence[Record]) -> None:
        """Append records; on return they are on disk. Raises StoreError if none could be appended."""
        lines = b"".join(map(to_line, records))
        self._acquire(self._lock)
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
        """Read the records in the order in which they were appended, one at a time.

        A torn last line, left by a program that was killed while writing it, was never
        acknowledged: it is skipped with a warning. A damaged line is skipped with a warning, and
        :meth:`clear` moves it to :attr:`damaged_path`. Raises StoreError if the file cannot be read.
        """
        self._damaged_lines = []
        self._position = 0
        yield from self.load_more()

    def load_more(self) -> Iterator[Record]:
        """Read the records that were appended after :meth:`load` had reached the end."""
        for line in self._lines(self._position):
            if not line.endswith(b"\n"):
                logger.warning("%s: skipped its last line, which is torn", self.path)
                return
            position, self._position = self._position, self._position + len(line)
            try:
                yield from_line(line)
            except _DAMAGE as error:
                logger.warning(
                    "%s: skipped a damaged line at byte %d (%s)", self.path, position, error
                )
                self._damaged_lines.append((position, len(line)))

    def count(self) -> int:
        """Return the number of whole records."""
        return sum(line.endswith(b"\n") for line in self._lines())

    def clear(self) -> bool:
        """Delete all records, unless some were appended since they were loaded; return whether it did.

        Lines that :meth:`load` found damaged are moved away first.
        """
        self._acquire(self._lock)
        try:
            if any(line.endswith(b"\n") for line in self._lines(self._position)):
                return False
            self._move_damaged()
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)
            return True
        except OSError as error:
            raise self._unusable(error) from error
        finally:
            self._lock.release()

    @asynccontextmanager
    async def loading(self) -> AsyncIterator[None]:
        """Keep other programs from loading the file.

        Raises StoreUnavailableError if one of them takes too long.
        """
        await asyncio.to_thread(self._acquire, self._load_lock)
        try:
            yield
        finally:
            self._load_lock.release()

    def _lines(self, start: int = 0) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                yield from file
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unusable(error, "read") from error

    def _move_damaged(self) -> None:
        if not self._damaged_lines:
            return
        with self.path.open("rb") as source, self.damaged_path.open("ab", buffering=0) as file:
            for position, length in self._damaged_lines:
                source.seek(position)
                _write_whole(file, source.read(length))
        self.damaged += len(self._damaged_lines)
        self._damaged_lines = []

    def _acquire(self, lock: BaseFileLock) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout as error:
            raise StoreUnavailableError(
                f"{self.path} has been in use by another run for {_LOCK_SECONDS} s; "
                "wait for that run to end"
            ) from error
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError, done: str = "written") -> StoreError:
        reason = error.strerror or str(error)
        return StoreError(
            f"{self.path} cannot be {done} ({reason}); free some space there or set FOCUSCRAWL_DATA "
            "to another folder"
        )


def _cut_torn_line(file: Any, path: Path) -> int:
    """Remove a last line without line end, and return the remaining size."""
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
        logger.warning("%s: removed its last line, which is torn", path)
        file.truncate(whole)
    return whole


def _write_whole(file: Any, lines: bytes) -> None:
    rest = memoryview(lines)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())
