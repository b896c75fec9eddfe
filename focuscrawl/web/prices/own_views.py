"""Pinned rows and saved views of users. Each function needs a connection in a transaction."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, Table, delete, func, select

from focuscrawl.errors import ArgumentError
from focuscrawl.web.database.web_database import hold_user
from focuscrawl.web.database.web_tables import price_pins, price_views

MOST = 100
"""Pins and views of a user, at most."""


class OwnViews(NamedTuple):
    """The names of a user's pinned rows, and the addresses of the saved views by their titles."""

    pins: frozenset[str] = frozenset()
    views: tuple[tuple[str, str], ...] = ()


def own_views(connection: Connection, name: str) -> OwnViews:
    """Return what a user has pinned and saved."""
    pins = select(price_pins.c.entity).where(price_pins.c.name == name)
    views = select(price_views.c.title, price_views.c.address).where(price_views.c.name == name)
    rows = connection.execute(views.order_by(price_views.c.title))
    return OwnViews(frozenset(connection.scalars(pins)), tuple((r.title, r.address) for r in rows))


def set_pin(connection: Connection, name: str, entity: str, is_pinned: bool) -> None:
    """Pin a row, or pin it no more; raises ArgumentError for one too many."""
    key = {"name": name, "entity": entity}
    _replace(connection, price_pins, key, key if is_pinned else None)


def set_view(connection: Connection, name: str, title: str, address: str) -> None:
    """Save a view under a title, in place of one of the same title; without an address delete it.

    Raises ArgumentError for one too many.
    """
    key = {"name": name, "title": title}
    _replace(connection, price_views, key, key | {"address": address} if address else None)


def _replace(
    connection: Connection, table: Table, key: dict[str, str], row: dict[str, str] | None
) -> None:
    own = table.c.name == key["name"]
    hold_user(connection, key["name"])
    connection.execute(delete(table).filter_by(**key))
    if row:
        count = connection.execute(select(func.count()).select_from(table).where(own)).scalar_one()
        if count >= MOST:
            raise ArgumentError(f"there are {MOST} already; remove one of them")
        connection.execute(table.insert().values(row))
