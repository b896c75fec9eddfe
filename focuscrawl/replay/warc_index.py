"""Index of a WARC file: offsets of the responses by URL."""

from __future__ import annotations

import base64
import hashlib
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import ArchiveError
from focuscrawl.replay.warc_records import (
    DAMAGE,
    Member,
    Record,
    members,
    parse_message,
    parse_record,
)

FORMAT = 1
_HEAD_BYTES = 1 << 16
Spelling = Callable[[str], str]
"""A function that returns the canonical form of a URL; raises ValueError for an invalid one."""

_TABLES = """
CREATE TABLE facts (format INTEGER, size INTEGER, modified INTEGER, torn INTEGER);
CREATE TABLE answers (
    offset INTEGER PRIMARY KEY,  -- so the order is that of recording
    length INTEGER NOT NULL,     -- both in bytes of the WARC file
    url TEXT NOT NULL,
    spelling TEXT,               -- canonical form, where it is another than url
    request TEXT,                -- see request_key(); NULL for the regular GET
    status INTEGER NOT NULL,
    digest TEXT NOT NULL,
    original INTEGER             -- offset of the record that holds a duplicate's body
);
CREATE TEMP TABLE ids (id TEXT, concurrent TEXT, offset INTEGER);
CREATE TEMP TABLE requests (id TEXT, concurrent TEXT, request TEXT);
"""

_FINISH = """
CREATE INDEX temp.ids_by_id ON ids (id);
CREATE INDEX temp.ids_by_concurrent ON ids (concurrent);
UPDATE answers SET request = found.request FROM (
    SELECT offset, request FROM requests JOIN ids ON ids.id = requests.concurrent
    UNION SELECT offset, request FROM requests JOIN ids ON ids.concurrent = requests.id
) AS found WHERE found.offset = answers.offset;
CREATE INDEX answers_by_url ON answers (url);
CREATE INDEX answers_by_spelling ON answers (spelling) WHERE spelling IS NOT NULL;
"""


class RecordPlace(NamedTuple):
    """Location of a response in a WARC file; a duplicate has the offset of the record with its body."""

    offset: int
    url: str
    status: int
    original: int | None


class Index:
    """The open index of one WARC file."""

    def __init__(self, warc: Path, connection: sqlite3.Connection) -> None:
        self.warc = warc
        self._connection = connection
        (self.torn,) = connection.execute("SELECT torn != 0 FROM facts").fetchone()
        (self.count,) = connection.execute("SELECT count(*) FROM answers").fetchone()

    def find(self, url: str, request: str | None, *, canonical: bool = False) -> list[RecordPlace]:
        """Return the responses to a request of a URL in the order of recording.

        With ``canonical``, ``url`` is a canonical form that all of its spellings match.
        """
        other = "OR spelling = :url" if canonical else ""
        rows = self._connection.execute(
            "SELECT offset, url, status, original FROM answers"  # noqa: S608
            f" WHERE (url = :url {other}) AND request IS :request ORDER BY offset",
            {"url": url, "request": request},
        )
        return [RecordPlace(*row) for row in rows]

    def urls(self) -> Iterator[str]:
        """Yield the URLs of all responses, with repeats."""
        for (url,) in self._connection.execute("SELECT url FROM answers"):
            yield url

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def request_key(method: str, body: bytes) -> str | None:
    """Return the key of a request among those of its URL: None for GET, else method and body digest."""
    return None if method == "GET" else f"{method} {payload_digest(body)}"


def payload_digest(payload: bytes) -> str:
    """Return the digest of a payload in the form used by WARC files."""
    digest = hashlib.sha1(payload, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


def index_path(warc: Path, cache: Path) -> Path:
    """Return the path of a file's index: in its folder, or in ``cache`` if that folder is read-only."""
    folder = warc.parent
    # The mode is checked, too, since root may write even to folders without write permission.
    if os.access(folder, os.W_OK) and folder.stat().st_mode & 0o222:
        return folder / f"{warc.name}.index"
    name = hashlib.md5(str(warc.resolve()).encode(), usedforsecurity=False).hexdigest()[:8]
    return cache / "replay" / f"{warc.name}-{name}.index"


def open_index(warc: Path, cache: Path, spelling: Spelling, *, rebuild: bool = False) -> Index:
    """Open the index of a WARC file; build it if it is missing or belongs to another version of the file.

    Raises :class:`ArchiveError` if the file cannot be read or is not a WARC file, or if the index
    cannot be written.
    """
    try:
        file = warc.stat()
        if not warc.is_file() and not warc.is_dir():
            raise ArchiveError(f"cannot read the recording {warc}: it is not a regular file")
        facts = (FORMAT, file.st_size, file.st_mtime_ns)
        with warc.open("rb"):
            pass
    except OSError as error:
        raise ArchiveError(f"cannot read the recording {warc}: {error.strerror}") from None
    path = index_path(warc, cache)
    index = None if rebuild else _open_if_current(warc, path, facts)
    if index is None:
        _build(warc, path, facts, spelling)
        index = _open_if_current(warc, path, facts)
    if index is None:
        raise ArchiveError(f"cannot read the index {path}: give FOCUSCRAWL_DATA another folder")
    return index


def _open_if_current(warc: Path, path: Path, facts: tuple[int, ...]) -> Index | None:
    if not path.is_file():
        return None
    # A finished index is immutable, so that it needs no locks and its folder may be read-only.
    # Scrapy's shell reads in another thread than the one that opens, but never in two at once.
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise ArchiveError(
            f"cannot open the index {path} ({error}): check its permissions and the limit of open files"
        ) from error
    try:
        found = connection.execute("SELECT format, size, modified FROM facts").fetchall()
        if found == [facts]:
            return Index(warc, connection)
    except sqlite3.DatabaseError:
        pass
    connection.close()
    return None


def _build(warc: Path, path: Path, facts: tuple[int, ...], spelling: Spelling) -> None:
    """Write the index atomically; two processes may do so at the same time."""
    part = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(part)) as connection:
            connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            connection.executescript(_TABLES)
            torn = _fill(connection, warc, spelling)
            connection.execute("INSERT INTO facts VALUES (?, ?, ?, ?)", (*facts, torn))
            connection.commit()
        part.replace(path)
    except (OSError, sqlite3.OperationalError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArchiveError(
            f"cannot write the index {path} ({reason}): give FOCUSCRAWL_DATA another folder"
        ) from None
    finally:
        with suppress(OSError):
            part.unlink()


def _fill(connection: sqlite3.Connection, warc: Path, spelling: Spelling) -> bool:
    """Insert all responses; return whether the last record is incomplete."""
    entries = _Entries(connection, spelling)
    count, torn = 0, False
    with warc.open("rb") as file:
        try:
            for count, (member, record) in enumerate(_records(members(file)), 1):  # noqa: B007
                entries.add(member, record)
        except EOFError:
            torn = True
        except DAMAGE:
            raise _damaged(warc, count) from None
    if not entries.count:
        raise ArchiveError(f"{warc} has no recorded response; record again or give another file")
    connection.executescript(_FINISH)
    return torn


def _records(found: Iterable[Member]) -> Iterator[tuple[Member, Record]]:
    for member in found:
        try:
            yield member, parse_record(member.content, is_whole=member.is_whole)
        except EOFError:
            raise ValueError("a record ends before its length") from None


def _damaged(warc: Path, count: int) -> ArchiveError:
    if count:
        return ArchiveError(f"{warc} is damaged after {count} records; copy it again")
    return ArchiveError(
        f"{warc} is not a WARC file with one gzip member per record; give another file, or create one"
        " with `warcio recompress OLD NEW`"
    )


class _Entries:
    """Inserts records in file order; a duplicate refers to an earlier body."""

    def __init__(self, connection: sqlite3.Connection, spelling: Spelling) -> None:
        self.count = 0
        self._connection = connection
        self._spelling = spelling
        self._bodies: dict[str, tuple[int, int]] = {}

    def add(self, member: Member, record: Record) -> None:
        if not record.url.startswith(("http://", "https://")):
            return
        if record.kind == "request":
            self._add_request(record)
        elif record.kind in ("response", "revisit"):
            self._add_answer(member, record)

    def _add_request(self, record: Record) -> None:
        message = parse_message(record.block)
        key = request_key(message.first_line.partition(b" ")[0].decode("latin-1"), message.body)
        if key is not None:
            ids = record.fields.get("warc-record-id"), record.fields.get("warc-concurrent-to")
            self._connection.execute("INSERT INTO requests VALUES (?, ?, ?)", (*ids, key))

    def _add_answer(self, member: Member, record: Record) -> None:
        # For a record that is too large, the head is enough to index it.
        message = parse_message(record.block if member.is_whole else record.block[:_HEAD_BYTES])
        digest = record.fields.get("warc-payload-digest") or payload_digest(message.body)
        status, original = message.status, None
        if record.kind == "revisit" and status != HTTPStatus.NOT_MODIFIED:
            original, first_status = self._bodies.get(digest, (None, 0))
            # A duplicate may lack the head as well.
            status = (status or first_status) if original is not None else 0
        if not status:
            return
        if record.kind == "response":
            self._bodies.setdefault(digest, (member.offset, status))
        place = (member.offset, member.length, record.url, self._other_spelling(record.url))
        self._connection.execute(
            "INSERT INTO answers VALUES (?, ?, ?, ?, NULL, ?, ?, ?)",
            (*place, status, digest, original),
        )
        ids = record.fields.get("warc-record-id"), record.fields.get("warc-concurrent-to")
        self._connection.execute("INSERT INTO ids VALUES (?, ?, ?)", (*ids, member.offset))
        self.count += 1

    def _other_spelling(self, url: str) -> str | None:
        try:
            canonical = self._spelling(url)
        except ValueError:
            return None
        return canonical if canonical != url else None
