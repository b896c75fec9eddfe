"""Corrections of articles by editors, laid over what the crawl stored.

Each function needs a connection in a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, delete, func, select
from starlette.exceptions import HTTPException

from focuscrawl.web.accounts.change_log import Author, log_change
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


def corrections_of(connection: Connection, url_md5s: Sequence[str]) -> dict[str, Correction]:
    """Return the corrections of the given articles."""
    found = select(article_edits).where(article_edits.c.url_md5.in_(url_md5s))
    return {row.url_md5: _correction(row) for row in connection.execute(found)}


def hidden_among(connection: Connection, url_md5s: Sequence[str]) -> set[str]:
    """Return those of the given articles that are hidden."""
    column = article_edits.c.url_md5
    query = select(column).where(column.in_(url_md5s), article_edits.c.is_hidden.is_(True))
    return set(connection.scalars(query))


def tagged_by_editors(connection: Connection, tag: str) -> list[str]:
    """Return the MD5s of articles that editors gave a tag, among others perhaps."""
    needle = json.dumps(tag, ensure_ascii=False)
    query = select(article_edits.c.url_md5).where(func.instr(article_edits.c.tags, needle) > 0)
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
    is_same = article_edits.c.url_md5 == url_md5
    # Locked, for an editor at another server may be about to correct it.
    row = connection.execute(select(article_edits).where(is_same).with_for_update()).one_or_none()
    before = _correction(row) if row else NONE
    if before.state != shown:
        raise HTTPException(409)
    if before == new:
        return
    connection.execute(delete(article_edits).where(is_same))
    if new != NONE:
        who = {"url_md5": url_md5, "edited_by": author.name, "edited_at": datetime.now(UTC)}
        connection.execute(article_edits.insert().values(asdict(new) | who))
    action = "article.withdraw" if new == NONE else "article.correct"
    log_change(connection, author, action, url, asdict(before), asdict(new))


def _correction(row: Any) -> Correction:
    tags = None if row.tags is None else tuple(row.tags)
    return Correction(is_hidden=row.is_hidden, title=row.title, summary=row.summary, tags=tags)
