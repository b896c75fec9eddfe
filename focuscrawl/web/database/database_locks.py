"""Locks in the database of the web views, which hold for all servers that use it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_hex

from sqlalchemy import CHAR, Column, Connection, Table, delete
from sqlalchemy.exc import IntegrityError
from starlette.exceptions import HTTPException

from focuscrawl.stores.sql.sql_tables import UtcDateTime
from focuscrawl.web.database.web_database import WebDatabase, metadata

LONGEST = timedelta(minutes=2)
"""Time after which a lock ends by itself, as that of a server that was killed."""
locks = Table(
    "web_locks",
    metadata,
    Column("subject_hash", CHAR(64), primary_key=True),
    Column("owner", CHAR(32), nullable=False),
    Column("until", UtcDateTime, nullable=False),
)


@asynccontextmanager
async def locked(database: WebDatabase, subject: str) -> AsyncIterator[None]:
    """Hold the lock of a subject; raises 409 if somebody else holds it."""
    key, owner = sha256(subject.encode("utf-8", "replace")).hexdigest(), token_hex(16)
    if not await database.run(_take, key, owner):
        raise HTTPException(409)
    try:
        yield
    finally:
        await database.run(_release, key, owner)


def _take(connection: Connection, key: str, owner: str) -> bool:
    now = datetime.now(UTC)
    is_over = (locks.c.subject_hash == key) & (locks.c.until < now)
    connection.execute(delete(locks).where(is_over))
    row = {"subject_hash": key, "owner": owner, "until": now + LONGEST}
    try:
        connection.execute(locks.insert().values(row))
    except IntegrityError:
        return False
    return True


def _release(connection: Connection, key: str, owner: str) -> None:
    # Another one's by now, if it lasted too long.
    is_own = (locks.c.subject_hash == key) & (locks.c.owner == owner)
    connection.execute(delete(locks).where(is_own))
