"""SQLite file of labelled links: its tables and its keys."""

from __future__ import annotations

from hashlib import blake2b

from focuscrawl.errors import LabelError
from focuscrawl.pages.link import Link
from focuscrawl.system.sqlite_file import SqliteFileKind

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,  -- hash of the URL: the order within a level is the same in every run
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,  -- links from a seed
    hop INTEGER NOT NULL,    -- redirects on that level
    state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    target TEXT,             -- where a redirect leads
    label INTEGER,           -- by the domain lists
    relevant INTEGER         -- by the judge, once it is fetched
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

LABEL_FILE = SqliteFileKind(
    name="a label file",
    origin="`scrapy crawl labels` writes such files",
    application_id=0x464C4231,
    version=1,
    tables=_TABLES,
    error=LabelError,
    pragmas=(
        # A crash of the machine may lose the last pages, which are fetched again; the file stays
        # consistent.
        "synchronous = NORMAL",
        "cache_size = -65536",
        # The keys scatter links over the indexes: rare checkpoints write fewer pages.
        "wal_autocheckpoint = 4000",
    ),
)


def page_id(url: str) -> int:
    """Return a 64-bit hash of a URL."""
    digest = blake2b(_bytes(url), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def link_key(link: Link) -> bytes:
    """Return the 16-byte key of a link: a hash of its URL, anchor and context."""
    parts = "\0".join((link.url, link.anchor, link.before, link.after))
    return blake2b(_bytes(parts), digest_size=16).digest()


def storable(text: str) -> str:
    """Return text that SQLite can store, without unpaired surrogates."""
    return _bytes(text).decode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
