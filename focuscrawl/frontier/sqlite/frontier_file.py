"""The SQLite file of a frontier: its tables, its lock, and what is said of a file that is none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from focuscrawl.errors import FrontierError
from focuscrawl.system.sqlite_header import is_damaged
from focuscrawl.system.sqlite_transaction import transaction

_OURS = 0x46434652
"""Marks a file as ours, in the field that SQLite keeps for it."""
_FORMAT = 1

# URLs are appended in order of arrival, so that their texts fill page after page; only the two
# narrow indexes are written at random places. The state is NULL in outcome, or how it ended. A
# leased URL stays in the queue: the lease is a row in a table of a few pages, and all that is left
# to undo of a dead run.
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    paused_until REAL,
    waiting INTEGER NOT NULL DEFAULT 0,  -- leased ones too
    done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE outcomes (
    id INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    urls INTEGER NOT NULL DEFAULT 0,
    UNIQUE (state, reason)
);
CREATE TABLE urls (
    seq INTEGER PRIMARY KEY,  -- order of arrival
    key INTEGER NOT NULL,
    host INTEGER NOT NULL,
    outcome INTEGER,          -- NULL: it waits, or is leased
    score REAL NOT NULL,
    best REAL,                -- of a single link, where that is not the score
    links INTEGER NOT NULL,
    due REAL,                 -- not to be leased before
    tries INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    url TEXT NOT NULL,
    payload TEXT NOT NULL,
    sources TEXT NOT NULL     -- [[seq of the page, score of the link], …]
);
CREATE UNIQUE INDEX urls_by_key ON urls (key);
CREATE INDEX queue ON urls (host, score DESC) WHERE outcome IS NULL AND due IS NULL;
CREATE INDEX delayed ON urls (due) WHERE due IS NOT NULL;
CREATE TABLE leases (seq INTEGER PRIMARY KEY, run INTEGER NOT NULL);
"""
_PAGE_BYTES = 2048
_LOG_BYTES = 32 << 20
_CACHE_KIB = 32 << 10


def locked(path: Path) -> FileLock:
    """Take the file for this run; the system gives it back however the run ends."""
    lock = FileLock(f"{path}.lock", thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise FrontierError(
            f"{path} is in use by a crawl that is running; wait for it to end or name another file"
        ) from None
    except OSError as error:
        raise FrontierError(
            f"cannot write {lock.lock_file} ({error.strerror}); name a file in a folder of yours"
        ) from None
    return lock


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the file, and make it if it is not there and ``create`` says so.

    Raises :class:`FrontierError` with one sentence for a file that is none of ours.
    """
    with sentences(path):
        if _is_damaged(path):
            raise FrontierError(
                f"{path} is damaged or no frontier; restore it from a copy, or move it away and crawl "
                "again"
            )
        if not create and not path.is_file():
            raise FrontierError(f"{path} is not there; a crawl with a frontier writes it")
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        # A row that a fault of the disk has damaged must not end the run.
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        try:
            _prepare(connection, path, create)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Say in one sentence what SQLite complains of."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise FrontierError(
            f"cannot use {path} ({error}); look at the folder's rights, at free space, and whether "
            "another program holds the file"
        ) from error
    except sqlite3.DatabaseError as error:
        raise FrontierError(
            f"{path} is damaged or no frontier ({error}); move it away and crawl again"
        ) from error


def _is_damaged(path: Path) -> bool:
    try:
        return is_damaged(path)
    except OSError as error:
        raise FrontierError(
            f"{path} cannot be read ({error.strerror}); look at its rights and the limit of open files"
        ) from error


def _prepare(connection: sqlite3.Connection, path: Path, create: bool) -> None:
    # A crash of the machine may cost the last transactions: pages that are fetched again. The file
    # stays whole, and a killed process loses nothing.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}")
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and create:
        _make_tables(connection)
        return
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (written,) = connection.execute("PRAGMA user_version").fetchone()
    if owner != _OURS:
        raise FrontierError(f"{path} is no frontier; name another file or move it away")
    if written != _FORMAT:
        raise FrontierError(
            f"{path} has format {written}, this version reads {_FORMAT}; crawl again into another "
            "file, or use the version that wrote it"
        )


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_OURS}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
