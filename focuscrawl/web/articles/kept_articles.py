"""Likes and reading lists of users. Each function needs a connection in a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Table, delete, select

from focuscrawl.web.articles.article_tables import kept_articles, likes

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
