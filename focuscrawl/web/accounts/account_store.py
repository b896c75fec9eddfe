"""Users of the web views in the database. Each function needs a connection in a transaction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from unicodedata import normalize

from sqlalchemy import Connection, Row, delete, select, update

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts import login_limits, passwords
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.accounts.permissions import PERMISSIONS, Permission, Role, role_of
from focuscrawl.web.articles.reader_marks import renew_address, searches_of
from focuscrawl.web.database.web_database import hold_all
from focuscrawl.web.database.web_tables import feeds, sessions, users

_NAME = re.compile(r"[\w.@-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user as stored."""

    name: str
    password_hash: str
    role: Role
    is_disabled: bool
    created_at: datetime


def all_users(connection: Connection) -> list[User]:
    """Return all users by name."""
    rows = connection.execute(select(users).order_by(users.c.name))
    return [_user(row) for row in rows]


def user_named(connection: Connection, name: str) -> User | None:
    """Return the user of a name, None if there is none."""
    row = connection.execute(select(users).where(users.c.name == name)).one_or_none()
    return _user(row) if row else None


def _user(row: Row[Any]) -> User:
    return User(**{**row._mapping, "role": role_of(row.role)})


def has_users(connection: Connection) -> bool:
    """Return whether there is any user, disabled or not."""
    return connection.execute(select(users.c.name).limit(1)).first() is not None


def add_user(
    connection: Connection, author: Author, name: str, role: Role, password_hash: str
) -> None:
    """Add a user; raises ArgumentError for a name that is taken or not one."""
    if not _NAME.fullmatch(name):
        raise ArgumentError(
            f"{name!r} is no name of a user; it has 1 to 64 letters, digits and . _ @ -"
        )
    if (plain := normalize("NFKC", name)) != name:
        raise ArgumentError(f"{name!r} has characters of another width or form; write {plain!r}")
    hold_all(connection)
    for taken in connection.scalars(select(users.c.name)):
        # Nobody may pass for another by capitals or full-width letters.
        if _folded(taken) == _folded(name):
            raise ArgumentError(f"there is a user {taken!r} already; choose another name")
    if role is not Role.ADMINISTRATOR and not has_users(connection):
        raise ArgumentError("the first user has to be an administrator; add --role administrator")
    # Of an earlier user of this name, who was deleted by a program that leaves them.
    for table in users.metadata.sorted_tables:
        for key in table.foreign_keys:
            if key.column is users.c.name:
                connection.execute(delete(table).where(key.parent == name))
    connection.execute(
        users.insert().values(
            name=name, role=role, password_hash=password_hash, created_at=datetime.now(UTC)
        )
    )
    log_change(connection, author, "user.add", name, after={"role": role})


def _folded(name: str) -> str:
    return normalize("NFKC", name).casefold()


def set_role(connection: Connection, author: Author, name: str, role: Role) -> None:
    """Give a user another role, and end the user's sessions."""
    user = _existing(connection, name)
    if role is not Role.ADMINISTRATOR:
        _check_another_administrator(connection, user)
    connection.execute(update(users).where(users.c.name == name).values(role=role))
    end_sessions(connection, name)
    log_change(connection, author, "user.role", name, {"role": user.role}, {"role": role})


def set_disabled(connection: Connection, author: Author, name: str, is_disabled: bool) -> None:
    """Disable a user, or enable one again; a disabled user has no sessions."""
    user = _existing(connection, name)
    if is_disabled:
        _check_another_administrator(connection, user)
    connection.execute(update(users).where(users.c.name == name).values(is_disabled=is_disabled))
    end_sessions(connection, name)
    log_change(
        connection, author, "user.disable" if is_disabled else "user.enable", name,
        {"is_disabled": user.is_disabled}, {"is_disabled": is_disabled},
    )  # fmt: skip


def set_password(connection: Connection, author: Author, name: str, password: str) -> None:
    """Give a user another password, as :func:`set_hash`; hashing it takes its time."""
    passwords.check_password(password, name)
    set_hash(connection, author, name, passwords.hashed(password))


def set_hash(connection: Connection, author: Author, name: str, password_hash: str) -> None:
    """Give a user another password by its hash, and end the user's sessions and addresses of feeds.

    Failed logins are forgotten.
    """
    _existing(connection, name)
    update_hash(connection, name, password_hash)
    end_sessions(connection, name)
    end_feeds(connection, name)
    login_limits.forget_failures(connection, name)
    log_change(connection, author, "user.password", name)


def update_hash(connection: Connection, name: str, password_hash: str) -> None:
    """Store another hash of a user's password."""
    connection.execute(
        update(users).where(users.c.name == name).values(password_hash=password_hash)
    )


def end_sessions(connection: Connection, name: str) -> None:
    """End all sessions of a user."""
    connection.execute(delete(sessions).where(sessions.c.name == name))


def end_feeds(connection: Connection, name: str) -> None:
    """End the addresses of all feeds of a user; saved searches get new ones."""
    connection.execute(delete(feeds).where(feeds.c.name == name))
    for search in searches_of(connection, name):
        renew_address(connection, name, search.number)


def active_users(connection: Connection, permission: Permission) -> set[str]:
    """Return the names of the users who have a permission and are not disabled."""
    return {
        user.name
        for user in all_users(connection)
        if permission in PERMISSIONS[user.role] and not user.is_disabled
    }


def _existing(connection: Connection, name: str) -> User:
    hold_all(connection)
    user = user_named(connection, name)
    if user is None:
        raise ArgumentError(f"there is no user {name!r}; scrapy users list shows them")
    return user


def _check_another_administrator(connection: Connection, user: User) -> None:
    active = (users.c.role == Role.ADMINISTRATOR) & users.c.is_disabled.is_(False)
    found = connection.scalars(select(users.c.name).where(active))
    if user.role is Role.ADMINISTRATOR and set(found) <= {user.name}:
        raise ArgumentError(
            f"{user.name!r} is the last administrator; make somebody else one first"
        )
