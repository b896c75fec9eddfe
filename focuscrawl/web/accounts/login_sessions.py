"""Sessions of logged-in users: a random secret in a cookie, its hash in the database."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from sqlalchemy import Connection, delete, or_, select, update
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from focuscrawl.errors import StoreError
from focuscrawl.web.accounts.account_store import has_users
from focuscrawl.web.accounts.permissions import ALONE, PERMISSIONS, STRANGER, Visitor, role_of
from focuscrawl.web.database.web_tables import sessions, users
from focuscrawl.web.error_pages import log_problem, store_away
from focuscrawl.web.web_site import WebSite

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


# Middleware that finds the visitor of each request.


def cookie_name(site: WebSite) -> str:
    """Return the name of the session's cookie; browsers guard the prefix where there is TLS."""
    return "__Host-session" if site.is_secure else "session"


class SessionLookup:
    """Sets ``visitor`` and ``has_users`` of a request's state; one that is not alone always has users."""

    def __init__(self, application: ASGIApp, site: WebSite) -> None:
        self._application = application
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            # Pages of errors need both, also where the database does not answer.
            state = scope.setdefault("state", {})
            state |= {"visitor": STRANGER, "has_users": True}
            if not scope["path"].startswith("/static/"):
                secret = HTTPConnection(scope).cookies.get(cookie_name(self._site), "")
                stored = secret_hash(secret, self._site.key) if secret else ""
                try:
                    found = await self._site.database.run(_visitor, stored, self._site)
                except StoreError as error:
                    response = await store_away(Request(scope, receive), error)
                    await response(scope, receive, send)
                    return
                state["visitor"], state["has_users"] = found
        await self._application(scope, receive, send)


def _visitor(connection: Connection, stored: str, site: WebSite) -> tuple[Visitor, bool]:
    found = visitor_of(connection, stored) if stored else None
    if found or has_users(connection):
        return found or STRANGER, True
    if site.is_alone:
        return ALONE, False
    log_problem(f"{site.database.label} has no users, so that nobody can log in; restore them")
    return STRANGER, True
