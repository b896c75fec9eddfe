"""Log of changes that users make: who, when, from where, what, before and after. Nothing is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select

from focuscrawl.web.database.web_tables import changes


@dataclass(frozen=True, slots=True)
class Author:
    """The user who changes something, and the network address of the request."""

    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: ``action`` such as ``price.refuse`` on ``subject``; JSON values before and after."""

    number: int
    at: datetime
    name: str
    address: str
    action: str
    subject: str
    before: Any
    after: Any


def log_change(
    connection: Connection,
    author: Author,
    action: str,
    subject: str,
    before: object = None,
    after: object = None,
) -> None:
    """Add a change to the log, in the transaction that makes it."""
    connection.execute(
        changes.insert().values(
            at=datetime.now(UTC),
            name=author.name,
            address=author.address,
            action=action,
            subject=subject,
            before=before,
            after=after,
        )
    )


def newest_changes(
    connection: Connection, limit: int, before: int | None = None, subject: str = ""
) -> list[Change]:
    """Return the newest changes, those with smaller numbers than ``before`` only, newest first."""
    query = select(changes).order_by(changes.c.number.desc()).limit(limit)
    if before is not None:
        query = query.where(changes.c.number < before)
    if subject:
        query = query.where(changes.c.subject == subject)
    return [Change(**row._mapping) for row in connection.execute(query)]
