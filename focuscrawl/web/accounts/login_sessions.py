"""Sessions of logged-in users: a random secret in a cookie, its hash in the database."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from sqlalchemy import Connection, delete, or_, select, update

from focuscrawl.web.accounts.account_tables import sessions, users
from focuscrawl.web.accounts.permissions import PERMISSIONS, Visitor, role_of

IDLE, LONGEST = timedelta(hours=12), timedelta(days=7)
"""Time without a request after which a session ends, and the time after which any does."""
_SECRET_BYTES = 32
# The time of use is written this seldom, so that reading a page writes nothing.
_WRITE_EVERY = timedelta(minutes=5)


def secret_hash(secret: str, key: bytes) -> str:
    """Return the hash under which a session is stored; ``key`` is the secret of the server."""
    return hmac.new(key, secret.encode("utf-8", "replace"), sha256).hexdigest()


def begin_session(connection: Connection, name: str, key: bytes) -> str:
    """Begin a session of a user and return its secret; sessions that have expired are deleted."""
    now = datetime.now(UTC)
    over = or_(sessions.c.used_at < now - IDLE, sessions.c.began_at < now - LONGEST)
    connection.execute(delete(sessions).where(over))
    secret = token_urlsafe(_SECRET_BYTES)
    values = {"secret_hash": secret_hash(secret, key), "name": name}
    connection.execute(sessions.insert().values(**values, began_at=now, used_at=now))
    return secret


def end_session(connection: Connection, stored: str) -> None:
    """End a session by the hash of its secret."""
    connection.execute(delete(sessions).where(sessions.c.secret_hash == stored))


def visitor_of(connection: Connection, stored: str) -> Visitor | None:
    """Return the user of a session by the hash of its secret, None if the session has expired."""
    query = (
        select(sessions.c.name, sessions.c.began_at, sessions.c.used_at, users.c.role)
        .join(users, users.c.name == sessions.c.name)
        .where(sessions.c.secret_hash == stored, users.c.is_disabled.is_(False))
    )
    row = connection.execute(query).one_or_none()
    now = datetime.now(UTC)
    # One of the future began before the clock was set back, and would last for as long.
    if row is None or abs(now - row.used_at) > IDLE or now - row.began_at > LONGEST:
        return None
    if now - row.used_at > _WRITE_EVERY:
        used = update(sessions).where(sessions.c.secret_hash == stored).values(used_at=now)
        connection.execute(used)
    return Visitor(row.name, PERMISSIONS[role_of(row.role)], stored)
