"""Texts that a user has read, and when the user was here before."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, select, true, update
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.errors import StoreError
from focuscrawl.web.articles.reader_marks import count_read, is_reader
from focuscrawl.web.database.web_database import hold_user
from focuscrawl.web.database.web_tables import read_texts, visits
from focuscrawl.web.web_site import site_of

_log = logging.getLogger(__name__)
_PAUSE = timedelta(minutes=30)
"""Time without a look at the search, after which another visit begins."""


def last_visit(connection: Connection, name: str) -> int | None:
    """Note that a user is here; return when the visit before ended, in milliseconds since 1970, if known."""
    now, own = datetime.now(UTC), visits.c.name == name
    hold_user(connection, name)
    row = connection.execute(select(visits).where(own)).one_or_none()
    if row is None:
        connection.execute(visits.insert().values(name=name, seen_at=now))
        return None
    before: datetime | None = row.seen_at if now - row.seen_at > _PAUSE else row.before
    connection.execute(update(visits).where(own).values(before=before, seen_at=now))
    return round(before.timestamp() * 1000) if before else None


def read_among(connection: Connection, name: str, keys: Sequence[str] | None) -> set[str]:
    """Return those of the given texts, or of all, that a user has read."""
    own = read_texts.c.name == name, true() if keys is None else read_texts.c.key.in_(keys)
    return set(connection.scalars(select(read_texts.c.key).where(*own)))


def mark_read(connection: Connection, name: str, key: str) -> None:
    """Note that a user has read a text."""
    hold_user(connection, name)
    if not read_among(connection, name, [key]):
        connection.execute(read_texts.insert().values(name=name, key=key))


def marked_read(
    request: Request, response: Response, key: str, *, is_counted: bool = False
) -> Response:
    """Return a response after which a text is read: by the user, and by one more person if reads are counted."""
    if request.method == "GET" and is_reader(request.headers):
        response.background = BackgroundTask(_mark, request, key, is_counted)
    return response


async def _mark(request: Request, key: str, is_counted: bool) -> None:
    site, name = site_of(request), request.state.visitor.name
    address = request.client.host if request.client else ""
    reader = f"user {name}" if name else f"{address} {request.headers.get('user-agent', '')}"
    try:
        if name:
            await site.database.run(mark_read, name, key)
        if is_counted:
            await site.database.run(count_read, key, reader, site.key)
    except StoreError as error:
        # Whoever reads has the page already.
        _log.warning("a read was not counted: %s", error)
