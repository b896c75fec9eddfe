"""SQLite files with tables of our own: open, create, check the version, report errors in a sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.retry_with_backoff import retry
from focuscrawl.system.sqlite_header import is_damaged
from focuscrawl.system.sqlite_transaction import transaction

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
