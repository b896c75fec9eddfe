"""Limits of failed logins, by account and by network address."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Column, Connection, delete, func, select

from focuscrawl.web.accounts.account_tables import failed_logins

_WINDOW = timedelta(minutes=15)
_BY_NAME, _BY_ADDRESS = 8, 30


def may_try(connection: Connection, name: str, address: str) -> bool:
    """Return whether a password may be tried, and count it as a failure until it is known to be right.

    It may not if too many logins to an account, or from an address, have failed of late. Counted
    only afterwards, any number of passwords could be tried at once.
    """
    columns = failed_logins.c
    if (
        _failures(connection, columns.name, name) >= _BY_NAME
        or _failures(connection, columns.address, address) >= _BY_ADDRESS
    ):
        return False
    now = datetime.now(UTC)
    connection.execute(delete(failed_logins).where(failed_logins.c.failed_at < now - _WINDOW))
    connection.execute(failed_logins.insert().values(name=name, address=address, failed_at=now))
    return True


def forget_failures(connection: Connection, name: str) -> None:
    """Forget the failed logins to an account, after one that did not fail."""
    connection.execute(delete(failed_logins).where(failed_logins.c.name == name))


def _failures(connection: Connection, column: Column[str], value: str) -> int:
    since = failed_logins.c.failed_at > datetime.now(UTC) - _WINDOW
    query = select(func.count()).where(column == value, since)
    return connection.execute(query).scalar_one()
