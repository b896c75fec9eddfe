"""Middleware that finds the visitor of each request."""

from __future__ import annotations

from sqlalchemy import Connection
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from focuscrawl.errors import StoreError
from focuscrawl.web.accounts.account_store import has_users
from focuscrawl.web.accounts.login_sessions import secret_hash, visitor_of
from focuscrawl.web.accounts.permissions import ALONE, STRANGER, Visitor
from focuscrawl.web.error_pages import log_problem, store_away
from focuscrawl.web.web_site import WebSite


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
                    response = await store_away(Request(scope), error)
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
