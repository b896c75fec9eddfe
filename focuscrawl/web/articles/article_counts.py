"""Counts of reads and likes of articles. Each function needs a connection in a transaction."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Literal

from sqlalchemy import Connection, delete, select, update

from focuscrawl.web.database.web_tables import counts, likes, read_marks

_PROGRAM = re.compile(
    r"bot\b|bots\b|crawl|spider|slurp|scrapy|curl|wget|python|httpclient|go-http|java/|preview",
    re.I,
)
_PREFETCH = ("sec-purpose", "purpose", "x-moz")


@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """How often an article was read and liked."""

    reads: int = 0
    likes: int = 0


def is_reader(headers: Mapping[str, str]) -> bool:
    """Return whether a request is one of a person: neither of a program nor made in advance."""
    agent = headers.get("user-agent", "")
    if not agent or _PROGRAM.search(agent):
        return False
    return not any("pre" in headers.get(name, "").lower() for name in _PREFETCH)


def read_mark(url_md5: str, reader: str, day: date, key: bytes) -> str:
    """Return the mark of a reader, an article and a day; ``key`` is the secret of the server."""
    told = f"{day} {url_md5} {reader}".encode("utf-8", "replace")
    return hmac.new(key, told, sha256).hexdigest()


def count_read(connection: Connection, url_md5: str, reader: str, key: bytes) -> None:
    """Count a read, once for a reader and a day; the marks of earlier days are deleted."""
    day = datetime.now(UTC).date()
    mark = read_mark(url_md5, reader, day, key)
    known = select(read_marks.c.mark).where(read_marks.c.mark == mark)
    if connection.execute(known).first() is None:
        connection.execute(delete(read_marks).where(read_marks.c.day < day))
        connection.execute(read_marks.insert().values(mark=mark, day=day))
        _add(connection, url_md5, "reads", 1)


def set_like(connection: Connection, name: str, url_md5: str, is_liked: bool) -> bool:
    """Like an article, or like it no longer; return whether that is a change."""
    own = (likes.c.name == name) & (likes.c.url_md5 == url_md5)
    has = connection.execute(select(likes.c.name).where(own)).first() is not None
    if has == is_liked:
        return False
    if is_liked:
        values = {"name": name, "url_md5": url_md5, "at": datetime.now(UTC)}
        connection.execute(likes.insert().values(values))
    else:
        connection.execute(delete(likes).where(own))
    _add(connection, url_md5, "likes", 1 if is_liked else -1)
    return True


def _add(connection: Connection, url_md5: str, column: str, number: int) -> None:
    change = update(counts).where(counts.c.url_md5 == url_md5)
    changed = connection.execute(change.values({column: counts.c[column] + number}))
    if not changed.rowcount:
        connection.execute(counts.insert().values({"url_md5": url_md5, column: number}))


def counts_of(connection: Connection, url_md5s: Sequence[str]) -> dict[str, ArticleCounts]:
    """Return the counts of articles; those never read or liked have none."""
    rows = connection.execute(select(counts).where(counts.c.url_md5.in_(url_md5s)))
    return {row.url_md5: ArticleCounts(row.reads, row.likes) for row in rows}


def most(connection: Connection, what: Literal["reads", "likes"], limit: int) -> list[str]:
    """Return the MD5s of the articles with most reads or likes."""
    order = counts.c[what].desc(), counts.c.url_md5.desc()
    query = select(counts.c.url_md5).where(counts.c[what] > 0).order_by(*order).limit(limit)
    return list(connection.scalars(query))
