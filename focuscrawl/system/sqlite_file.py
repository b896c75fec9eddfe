"""SQLite files with tables of our own: open, create, check the version, report errors in a sentence."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.retry_with_backoff import retry

# Detection of damaged headers of SQLite files.

_MAGIC = b"SQLite format 3\0"
_BYTES = 100
_PAGE_SIZES = {1, *(2**power for power in range(9, 16))}
_WRITERS = {1, 2}
_FRACTIONS = b"\x40\x20\x20"
_SCHEMA_FORMATS = {0, 1, 2, 3, 4}
_ENCODINGS = {0, 1, 2, 3}
# Reserved for expansion, always zero.
_ZEROS = slice(72, 92)

# To close any descriptor of a file drops all POSIX locks that the process has on it (fcntl(2)), also
# those of SQLite's open connections: another process would then take their write-ahead log away. So
# descriptors stay open for as long as it matters.
_opened: OrderedDict[tuple[int, int], int] = OrderedDict()
_MOST_OPENED = 64
_lock = threading.Lock()


def is_damaged(path: Path) -> bool:
    """Return whether a nonempty file lacks a valid SQLite header. Raises ``OSError``."""
    try:
        header = _header(path)
    except FileNotFoundError:
        return False
    if not header:
        return False
    return not (
        len(header) == _BYTES
        and header.startswith(_MAGIC)
        and int.from_bytes(header[16:18], "big") in _PAGE_SIZES
        and {header[18], header[19]} <= _WRITERS
        and header[21:24] == _FRACTIONS
        and int.from_bytes(header[44:48], "big") in _SCHEMA_FORMATS
        and int.from_bytes(header[56:60], "big") in _ENCODINGS
        and not any(header[_ZEROS])
    )


def _header(path: Path) -> bytes:
    with _lock:
        found = path.stat()
        key = found.st_dev, found.st_ino
        if key not in _opened:
            _opened[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            _close_others()
        _opened.move_to_end(key)
        return os.pread(_opened[key], _BYTES, 0)


def _close_others() -> None:
    """Close the descriptors of files that are deleted, and the oldest ones of too many."""
    for key, file in list(_opened.items())[:-1]:
        if len(_opened) > _MOST_OPENED or not os.fstat(file).st_nlink:
            os.close(_opened.pop(key))


# A write transaction of SQLite as a context manager.


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit on success, roll back on an error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # On a full disk, SQLite has rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


BUSY_SECONDS = 10.0
"""Time that a statement waits for the lock of another program."""

# Primary result codes: https://www.sqlite.org/rescode.html
BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
REMEDIES = {
    sqlite3.SQLITE_PERM: "access is denied; check the permissions of the file and its folder",
    sqlite3.SQLITE_READONLY: "it is read-only; make the file and its folder writable",
    sqlite3.SQLITE_IOERR: (
        "its disk fails or refuses to write; check the disk and the limits of file sizes"
    ),
    sqlite3.SQLITE_FULL: "the disk is full; free some space",
    sqlite3.SQLITE_CANTOPEN: (
        "it cannot be opened; check the permissions of its folder and the limit of open files "
        "(ulimit -n)"
    ),
}
"""A sentence for the user, by primary result code, after "FILE cannot be used: "."""
_DAMAGE_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteFileKind:
    """One kind of file: its tables, its marks in the header, and the error that it raises.

    ``name`` ("a frontier file") and ``origin`` (what writes such files) are shown to the user.
    ``application_id`` and ``version`` are kept in the fields that SQLite reserves for them.
    ``pragmas`` are set on every connection, ``creation_pragmas`` before the tables are created.
    """

    name: str
    origin: str
    application_id: int
    version: int
    tables: str
    error: type[FocuscrawlError]
    pragmas: tuple[str, ...] = ()
    creation_pragmas: tuple[str, ...] = ()

    def connect(self, path: Path, *, create: bool) -> sqlite3.Connection:
        """Open a file in autocommit mode; with ``create``, make it where it is missing.

        Raises ``error`` for a file that is missing, damaged, of another kind or of another version.
        """
        with self.errors(path):
            self._check_header(path)
            if not create and not path.is_file():
                raise self.error(f"{path} does not exist; {self.origin}")
            connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            # A row that a fault of the disk has damaged must not end the run.
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")
            try:
                self._prepare(connection, path, create)
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def errors(self, path: Path) -> Iterator[None]:
        """Raise ``error``, with one sentence that names the remedy, for errors of SQLite."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise self.error(f"{path} {self._complaint(error)}") from error

    def _complaint(self, error: sqlite3.DatabaseError) -> str:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGE_CODES:
            return self._damage
        if code in BUSY_CODES:
            return "is locked by another program; wait until it has ended"
        remedy = REMEDIES.get(code, f"{error}; move it away and crawl again")
        return f"cannot be used: {remedy}"

    @property
    def _damage(self) -> str:
        return f"is damaged or not {self.name}; restore it from a copy, or move it away and crawl again"

    def _check_header(self, path: Path) -> None:
        try:
            damaged = is_damaged(path)
        except OSError as error:
            raise self.error(
                f"{path} cannot be read ({error.strerror}); check its permissions and the limit of "
                "open files"
            ) from error
        if damaged:
            raise self.error(f"{path} {self._damage}")

    def _prepare(self, connection: sqlite3.Connection, path: Path, create: bool) -> None:
        for pragma in self.pragmas:
            connection.execute(f"PRAGMA {pragma}")
        if create and _is_empty(connection):
            self._create_tables(connection)
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        if found != self.application_id:
            raise self.error(f"{path} is not {self.name}; name another file or move it away")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != self.version:
            raise self.error(
                f"{path} has format {version}, this version reads {self.version}; update focuscrawl, "
                "or move the file away and crawl again"
            )

    def _create_tables(self, connection: sqlite3.Connection) -> None:
        for pragma in self.creation_pragmas:
            connection.execute(f"PRAGMA {pragma}")
        switch_to_wal(connection)
        with transaction(connection):
            # Another program may have created them meanwhile.
            if not _is_empty(connection):
                return
            for statement in self.tables.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {self.application_id}")
            connection.execute(f"PRAGMA user_version = {self.version}")


def switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch a database to the write-ahead log, with retries while another program holds it.

    SQLite's own busy timeout does not hold for this switch, because it begins with a read lock.
    """
    switch = partial(connection.execute, "PRAGMA journal_mode = WAL")
    retry(switch, is_busy, BUSY_SECONDS, longest_pause=0.1)


def is_busy(error: BaseException | None) -> bool:
    """Whether SQLite refused something because another program holds the file."""
    # Errors that Python itself raises have no code.
    code = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, sqlite3.Error) and code & 0xFF == sqlite3.SQLITE_BUSY


def _is_empty(connection: sqlite3.Connection) -> bool:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not tables
