"""SQLite file of a frontier: its tables and its lock."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from focuscrawl.errors import FrontierError, FrontierInUseError
from focuscrawl.system.sqlite_file import SqliteFileKind

# URLs are appended in order of arrival, so that their texts fill page after page; only the two
# narrow indexes are written at random places. ``outcome`` is NULL until a URL has ended. A leased
# URL stays in the queue: its lease is a row in a table of a few pages, and only that row has to be
# removed after a run that died.
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    paused_until REAL,
    waiting INTEGER NOT NULL DEFAULT 0,  -- including leased ones
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
    outcome INTEGER,          -- NULL: waiting or leased
    score REAL NOT NULL,
    best REAL,                -- score of the best single link, if it differs from score
    links INTEGER NOT NULL,
    due REAL,                 -- earliest time of the next lease
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

FRONTIER_FILE = SqliteFileKind(
    name="a frontier file",
    origin="a crawl with a frontier writes such files",
    application_id=0x46434652,
    version=1,
    tables=_TABLES,
    error=FrontierError,
    pragmas=(
        # A crash of the machine may cost the last transactions: pages that are fetched again. The
        # file stays consistent, and a killed process loses nothing.
        "synchronous = NORMAL",
        f"cache_size = -{_CACHE_KIB}",
        f"wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}",
        f"journal_size_limit = {_LOG_BYTES}",
    ),
    creation_pragmas=(f"page_size = {_PAGE_BYTES}",),
)


def locked(path: Path) -> FileLock:
    """Lock the file for this run; the operating system releases the lock however the run ends.

    Raises :class:`FrontierError` for a file that is locked by another run or cannot be written.
    """
    lock = FileLock(f"{path}.lock", thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise FrontierInUseError(
            f"{path} is in use by a running crawl; wait until it has ended, or name another file"
        ) from None
    except OSError as error:
        raise FrontierError(
            f"cannot write {lock.lock_file} ({error.strerror}); name a file in a writable folder"
        ) from None
    return lock
