"""Reads, likes, reading lists and saved searches. Each function needs a connection in a transaction."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from focuscrawl.errors import ArgumentError
from focuscrawl.stores.sql.sql_store import upsert
from focuscrawl.web.database.web_database import hold_user
from focuscrawl.web.database.web_tables import (
    counts,
    kept_articles,
    likes,
    read_marks,
    saved_searches,
    users,
)

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
    try:
        connection.execute(read_marks.insert().values(mark=mark, day=day))
    except IntegrityError:
        return
    connection.execute(delete(read_marks).where(read_marks.c.day < day))
    _add(connection, url_md5, reads=1)


def set_like(connection: Connection, name: str, url_md5: str, is_liked: bool) -> bool:
    """Like an article, or like it no longer; return whether that is a change."""
    hold_user(connection, name)
    own = (likes.c.name == name) & (likes.c.url_md5 == url_md5)
    has = connection.execute(select(likes.c.name).where(own)).first() is not None
    if has == is_liked:
        return False
    if is_liked:
        values = {"name": name, "url_md5": url_md5, "at": datetime.now(UTC)}
        connection.execute(likes.insert().values(values))
    else:
        connection.execute(delete(likes).where(own))
    _add(connection, url_md5, likes=1 if is_liked else -1)
    return True


def _add(connection: Connection, url_md5: str, *, reads: int = 0, likes: int = 0) -> None:
    upsert(connection, counts, [{"url_md5": url_md5, "reads": reads, "likes": likes}], is_sum=True)


def counts_of(connection: Connection, url_md5s: Sequence[str]) -> dict[str, ArticleCounts]:
    """Return the counts of articles; those never read or liked have none."""
    rows = connection.execute(select(counts).where(counts.c.url_md5.in_(url_md5s)))
    return {row.url_md5: ArticleCounts(row.reads, row.likes) for row in rows}


def most(connection: Connection, what: Literal["reads", "likes"], limit: int) -> list[str]:
    """Return the MD5s of the articles with most reads or likes."""
    order = counts.c[what].desc(), counts.c.url_md5.desc()
    query = select(counts.c.url_md5).where(counts.c[what] > 0).order_by(*order).limit(limit)
    return list(connection.scalars(query))


# Saved searches of users, each a feed at a secret address.

_MOST_SEARCHES = 50
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search that a user has saved; whoever knows ``token`` may read it as a feed."""

    number: int
    name: str
    token: str
    query: dict[str, str]
    saved_at: datetime


def save_search(connection: Connection, name: str, query: dict[str, str]) -> None:
    """Save a search, unless the user has the same one; raises ArgumentError for one too many."""
    hold_user(connection, name)
    own = searches_of(connection, name)
    if any(search.query == query for search in own):
        return
    if len(own) >= _MOST_SEARCHES:
        raise ArgumentError(
            f"there are {_MOST_SEARCHES} saved searches already; delete one of them"
        )
    values = {"name": name, "token": _token(), "query": query, "saved_at": datetime.now(UTC)}
    connection.execute(saved_searches.insert().values(values))


def searches_of(connection: Connection, name: str) -> list[SavedSearch]:
    """Return the searches of a user, the last one first."""
    query = select(saved_searches).where(saved_searches.c.name == name)
    rows = connection.execute(query.order_by(saved_searches.c.number.desc()))
    return [SavedSearch(**row._mapping) for row in rows]


def search_at(connection: Connection, token: str) -> SavedSearch | None:
    """Return the search of a secret address, None if there is none or its user is disabled."""
    query = select(saved_searches).join(users, users.c.name == saved_searches.c.name)
    query = query.where(saved_searches.c.token == token, users.c.is_disabled.is_(False))
    for row in connection.execute(query):
        # Some databases take upper and lower case for equal.
        if row.token == token:
            return SavedSearch(**row._mapping)
    return None


def renew_address(connection: Connection, name: str, number: int) -> None:
    """Give a search of a user another secret address; the old one ends."""
    connection.execute(update(saved_searches).where(_own(name, number)).values(token=_token()))


def delete_search(connection: Connection, name: str, number: int) -> None:
    """Delete a search of a user, and with it the feed."""
    connection.execute(delete(saved_searches).where(_own(name, number)))


def has_search(connection: Connection, name: str, number: int) -> bool:
    """Return whether a search is one of a user's."""
    count = select(func.count()).select_from(saved_searches).where(_own(name, number))
    return bool(connection.execute(count).scalar_one())


def _own(name: str, number: int) -> ColumnElement[bool]:
    return (saved_searches.c.number == number) & (saved_searches.c.name == name)


def _token() -> str:
    return token_urlsafe(_SECRET_BYTES)


MOST = 500
"""Maximum number of articles that a list of a user's shows, the last ones first."""


@dataclass(frozen=True, slots=True)
class Own:
    """Whether a user likes an article, and has it on the reading list."""

    is_liked: bool = False
    is_kept: bool = False


def own_marks(connection: Connection, name: str, url_md5: str) -> Own:
    """Return what a user has marked an article with."""
    has = [
        connection.execute(
            select(table.c.name).where(table.c.name == name, table.c.url_md5 == url_md5)
        ).first()
        is not None
        for table in (likes, kept_articles)
    ]
    return Own(*has)


def set_kept(connection: Connection, name: str, url_md5: str, is_kept: bool) -> None:
    """Add an article to the reading list, or remove it."""
    hold_user(connection, name)
    own = (kept_articles.c.name == name) & (kept_articles.c.url_md5 == url_md5)
    if not is_kept:
        connection.execute(delete(kept_articles).where(own))
    elif connection.execute(select(kept_articles.c.name).where(own)).first() is None:
        values = {"name": name, "url_md5": url_md5, "at": datetime.now(UTC)}
        connection.execute(kept_articles.insert().values(values))


def own_lists(connection: Connection, name: str) -> tuple[list[str], list[str]]:
    """Return the MD5s of a user's reading list and of the articles that the user likes, last first."""
    return _last(connection, kept_articles, name), _last(connection, likes, name)


@dataclass(frozen=True, slots=True)
class Taste:
    """What suggestions draw on: likes and other marks since the last reset, and all of the user's."""

    liked: tuple[str, ...]
    marked: tuple[str, ...]
    own: frozenset[str]

    @property
    def state(self) -> str:
        """A hash that changes with each mark."""
        return sha256(repr((self.liked, self.marked, sorted(self.own))).encode()).hexdigest()


_DRAWN_ON = 100


def taste_of(connection: Connection, name: str) -> Taste:
    """Return what suggestions for a user draw on: the last 100 marks of either kind."""
    liked, kept = (
        [*connection.execute(_newest_of(table, name, table.c.is_forgotten))]
        for table in (likes, kept_articles)
    )
    fresh = [[key for key, is_old in rows if not is_old][:_DRAWN_ON] for rows in (liked, kept)]
    own = frozenset(key for key, _ in (*liked, *kept))
    return Taste(tuple(fresh[0]), tuple(dict.fromkeys(fresh[0] + fresh[1])), own)


def forget_taste(connection: Connection, name: str) -> None:
    """Let suggestions for a user draw on later marks only; likes and the reading list stay."""
    for table in (likes, kept_articles):
        connection.execute(update(table).where(table.c.name == name).values(is_forgotten=True))


def newest_likes(connection: Connection, limit: int) -> list[tuple[str, str]]:
    """Return the last likes of all users, as pairs of a user and the MD5 of an article."""
    query = select(likes.c.name, likes.c.url_md5).order_by(likes.c.at.desc()).limit(limit)
    return [(row.name, row.url_md5) for row in connection.execute(query)]


def _last(connection: Connection, table: Table, name: str) -> list[str]:
    return list(connection.scalars(_newest_of(table, name)))


def _newest_of(table: Table, name: str, *columns: ColumnElement[Any]) -> Select[Any]:
    order = table.c.at.desc(), table.c.url_md5
    query = select(table.c.url_md5, *columns).where(table.c.name == name)
    return query.order_by(*order).limit(MOST)
