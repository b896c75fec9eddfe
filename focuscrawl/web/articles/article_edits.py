"""Corrections of articles by editors, laid over what the crawl stored.

Each function needs a connection in a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, delete, select
from starlette.exceptions import HTTPException

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_results import ListedArticle
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.database.web_database import hold_all
from focuscrawl.web.database.web_tables import article_edits


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What an editor says of an article; None leaves what the crawl stored."""

    is_hidden: bool = False
    title: str | None = None
    summary: str | None = None
    tags: tuple[str, ...] | None = None

    @property
    def state(self) -> str:
        """A short hash, by which forms tell whether somebody else was quicker."""
        return sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]


NONE = Correction()
"""Nothing is corrected."""
MOST_TAGS = 30
"""Maximum number of tags that editors give an article."""


def corrections_of(connection: Connection, url_md5s: Sequence[str]) -> dict[str, Correction]:
    """Return the corrections of the given articles."""
    found = select(article_edits).where(article_edits.c.url_md5.in_(url_md5s))
    return {row.url_md5: _correction(row) for row in connection.execute(found)}


def hidden_among(connection: Connection, url_md5s: Sequence[str]) -> set[str]:
    """Return those of the given articles that are hidden."""
    column = article_edits.c.url_md5
    query = select(column).where(column.in_(url_md5s), article_edits.c.is_hidden.is_(True))
    return set(connection.scalars(query))


def all_hidden(connection: Connection) -> list[str]:
    """Return the MD5s of all hidden articles."""
    query = select(article_edits.c.url_md5).where(article_edits.c.is_hidden.is_(True))
    return list(connection.scalars(query))


def worded_by_editors(connection: Connection) -> dict[str, Correction]:
    """Return the corrections with a title, a summary or tags, by the MD5 of the article."""
    return {
        row.url_md5: correction
        for row in connection.execute(select(article_edits))
        if (correction := _correction(row)) != Correction(is_hidden=correction.is_hidden)
    }


def correct(
    connection: Connection, author: Author, url_md5: str, url: str, shown: str, new: Correction
) -> None:
    """Replace the correction of an article; raises 409 if it is not the one that the form showed.

    :data:`NONE` withdraws it. The log has it before and after.
    """
    hold_all(connection)
    before = _standing(connection, url_md5)
    if before.state != shown:
        raise HTTPException(409)
    _replace(connection, author, url_md5, url, before, new)


def retag(
    connection: Connection,
    author: Author,
    articles: Sequence[ListedArticle],
    added: Sequence[str],
    removed: Sequence[str],
) -> None:
    """Add tags to articles and remove others, all or none; what else is corrected of them stays.

    Raises ArgumentError for an article that would have too many.
    """
    hold_all(connection)
    for article in articles:
        before, stored = _standing(connection, article.url_md5), tuple(dict.fromkeys(article.tags))
        tags = stored if before.tags is None else before.tags
        new = tuple(dict.fromkeys(tag for tag in (*tags, *added) if tag not in removed))
        if len(new) > max(MOST_TAGS, len(tags)):
            name = article.title or article.url
            raise ArgumentError(f"{name!r} would have {len(new)} tags; the most are {MOST_TAGS}")
        changed = replace(before, tags=None if new == stored else new)
        _replace(connection, author, article.url_md5, article.url, before, changed)


def _standing(connection: Connection, url_md5: str) -> Correction:
    return corrections_of(connection, [url_md5]).get(url_md5, NONE)


def _replace(
    connection: Connection,
    author: Author,
    url_md5: str,
    url: str,
    before: Correction,
    new: Correction,
) -> None:
    if before == new:
        return
    connection.execute(delete(article_edits).where(article_edits.c.url_md5 == url_md5))
    if new != NONE:
        who = {"url_md5": url_md5, "edited_by": author.name, "edited_at": datetime.now(UTC)}
        connection.execute(article_edits.insert().values(asdict(new) | who))
    action = "article.withdraw" if new == NONE else "article.correct"
    log_change(connection, author, action, url, asdict(before), asdict(new))


def _correction(row: Any) -> Correction:
    tags = None if row.tags is None else tuple(row.tags)
    return Correction(is_hidden=row.is_hidden, title=row.title, summary=row.summary, tags=tags)
