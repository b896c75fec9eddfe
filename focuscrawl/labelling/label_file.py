"""The SQLite file of labelled links: its tables, and what is said of a file that is none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from focuscrawl.errors import LabelError
from focuscrawl.pages.link import Link
from focuscrawl.system.sqlite_transaction import transaction

_OURS = 0x464C4231
"""Marks a file as ours, in the field that SQLite keeps for it."""
_FORMAT = 1

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,  -- of the URL: the order inside a level is the same in every run
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,  -- links from a seed
    hop INTEGER NOT NULL,    -- redirects on that level
    state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    target TEXT,             -- where a redirect leads
    label INTEGER,           -- what the domain lists say
    relevant INTEGER         -- what the judge says, once it is fetched
);
CREATE INDEX pages_by_state ON pages (state, depth, hop, id);
CREATE TABLE texts (page INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE links (
    key BLOB NOT NULL UNIQUE,  -- of URL, anchor and context
    page INTEGER NOT NULL,     -- the target
    source INTEGER NOT NULL,
    anchor TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    title TEXT NOT NULL,
    heading TEXT NOT NULL,
    position TEXT NOT NULL,
    rel TEXT NOT NULL
);
CREATE INDEX links_by_page ON links (page);
"""


def page_id(url: str) -> int:
    """Return the 64-bit number of a URL."""
    digest = blake2b(_bytes(url), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def link_key(link: Link) -> bytes:
    """Return 16 bytes that stand for URL, anchor and context of a link."""
    parts = "\0".join((link.url, link.anchor, link.before, link.after))
    return blake2b(_bytes(parts), digest_size=16).digest()


def storable(text: str) -> str:
    """Return text that SQLite takes: halves of surrogate pairs, which are no characters, go."""
    return _bytes(text).decode()


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the file, and make it if it is not there and ``create`` says so.

    Raises :class:`LabelError` with one sentence for a file that is none of ours.
    """
    with sentences(path):
        if not create and not path.is_file():
            raise LabelError(f"{path} is not there; `scrapy crawl labels` writes such files")
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
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
        raise LabelError(
            f"cannot use {path} ({error}); look at the folder's rights, at free space, and whether "
            "another program holds the file"
        ) from error
    except sqlite3.DatabaseError as error:
        raise LabelError(
            f"{path} is damaged or no file of labels ({error}); move it away and crawl again"
        ) from error


def _prepare(connection: sqlite3.Connection, path: Path, create: bool) -> None:
    # A crash of the machine may cost the last pages, which are fetched again; the file stays whole.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -65536")
    # Links are scattered over the indexes by their keys: to write back seldom is to write less.
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and create:
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_OURS}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
        return
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (written,) = connection.execute("PRAGMA user_version").fetchone()
    if owner != _OURS:
        raise LabelError(f"{path} is no file of labels; give another path or move it away")
    if written != _FORMAT:
        raise LabelError(
            f"{path} has format {written}, this version reads {_FORMAT}; crawl again with this "
            "version, or use the one that wrote it"
        )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
