"""Likes, reading lists and saved searches of users. Each function needs a connection in a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_urlsafe
from typing import Any

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

from focuscrawl.errors import ArgumentError
from focuscrawl.web.database.web_tables import kept_articles, likes, saved_searches, users

# Saved searches of users, each a feed at a secret address.

_MOST = 50
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
    own = searches_of(connection, name)
    if any(search.query == query for search in own):
        return
    if len(own) >= _MOST:
        raise ArgumentError(f"there are {_MOST} saved searches already; delete one of them")
    values = {"name": name, "token": _token(), "query": query, "saved_at": datetime.now(UTC)}
    connection.execute(saved_searches.insert().values(values))


def searches_of(connection: Connection, name: str) -> list[SavedSearch]:
    """Return the searches of a user, the last one first."""
    query = _stored().where(saved_searches.c.name == name)
    rows = connection.execute(query.order_by(saved_searches.c.number.desc()))
    return [SavedSearch(**row._mapping) for row in rows]


def search_at(connection: Connection, token: str) -> SavedSearch | None:
    """Return the search of a secret address, None if there is none or its user is disabled."""
    query = _stored().join(users, users.c.name == saved_searches.c.name)
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


def _stored() -> Select[Any]:
    return select(saved_searches)


def _token() -> str:
    return token_urlsafe(_SECRET_BYTES)


MOST = 500
"""Maximum number of articles that a list shows, the last ones first."""


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
    """Put an article on the reading list, or take it away."""
    own = (kept_articles.c.name == name) & (kept_articles.c.url_md5 == url_md5)
    if not is_kept:
        connection.execute(delete(kept_articles).where(own))
    elif connection.execute(select(kept_articles.c.name).where(own)).first() is None:
        values = {"name": name, "url_md5": url_md5, "at": datetime.now(UTC)}
        connection.execute(kept_articles.insert().values(values))


def own_lists(connection: Connection, name: str) -> tuple[list[str], list[str]]:
    """Return the MD5s of a user's reading list and of the articles that the user likes, last first."""
    return _last(connection, kept_articles, name), _last(connection, likes, name)


def _last(connection: Connection, table: Table, name: str) -> list[str]:
    order = table.c.at.desc(), table.c.url_md5
    query = select(table.c.url_md5).where(table.c.name == name).order_by(*order).limit(MOST)
    return list(connection.scalars(query))
