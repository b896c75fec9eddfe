"""Limits of failed logins: by account and address, by address, by account, and of all.

Whoever fails on purpose blocks only the own address; the limit of a whole account is not for addresses
from which somebody has logged in to it before.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import ColumnElement, Connection, delete, func, select, true

from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.database.web_database import hold_all, hold_user
from focuscrawl.web.database.web_tables import failed_logins, known_addresses

_OF_ONE_HOST = 64
"""Bits of an IPv6 address that its owner cannot choose."""


def counted_address(address: str) -> str:
    """Return the address that limits count: of IPv6 the network, whose 2**64 addresses have one owner."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, _OF_ONE_HOST), strict=False))


SHORT, LONG, KNOWN = timedelta(minutes=15), timedelta(days=1), timedelta(days=90)
BY_BOTH, BY_ADDRESS, OF_ALL = 8, 30, 1000
"""Failures within the short time after which further attempts are refused."""
BY_NAME = 100
"""Failures of an account within the long time, from wherever they came."""
MOST_LOGGED = 200
"""Failures within the long time that the log of changes has, so that nobody fills the disk by them."""
_columns = failed_logins.c


def refused_until(connection: Connection, name: str, address: str) -> datetime | None:
    """Return when a password may be tried again; None for now, which counts as a failure until it is known to be right.

    Counted only afterwards, any number of passwords could be tried at once.
    """
    address, now = counted_address(address), datetime.now(UTC)
    hold_all(connection)
    connection.execute(delete(failed_logins).where(_columns.failed_at < now - LONG))
    if until := _until(connection, name, address):
        return until
    connection.execute(failed_logins.insert().values(name=name, address=address, failed_at=now))
    return None


def _until(connection: Connection, name: str, address: str) -> datetime | None:
    of_name, of_address = _columns.name == name, _columns.address == address
    limits = [(of_name & of_address, SHORT, BY_BOTH), (of_address, SHORT, BY_ADDRESS)]
    if not _is_known(connection, name, address):
        limits += [(of_name, LONG, BY_NAME), (true(), SHORT, OF_ALL)]
    found = [_end_of(connection, *limit) for limit in limits]
    return max((end for end in found if end), default=None)


def _end_of(connection: Connection, which: ColumnElement[bool], time: timedelta, most: int) -> datetime | None:  # fmt: skip
    """Return when there will be fewer failures than the most within a time, None if there are now."""
    since = _columns.failed_at > datetime.now(UTC) - time
    newest = select(_columns.failed_at).where(which, since).order_by(_columns.failed_at.desc())
    last = connection.execute(newest.offset(most - 1).limit(1)).scalar_one_or_none()
    return last + time if last else None


def _failures(connection: Connection, which: ColumnElement[bool], time: timedelta) -> int:
    since = _columns.failed_at > datetime.now(UTC) - time
    return connection.execute(select(func.count()).where(which, since)).scalar_one()


def _is_known(connection: Connection, name: str, address: str) -> bool:
    columns = known_addresses.c
    since = columns.used_at > datetime.now(UTC) - KNOWN
    query = select(columns.name).where(columns.name == name, columns.address == address, since)
    return connection.execute(query).first() is not None


def note_success(connection: Connection, name: str, address: str) -> None:
    """Forget the failures of an account at an address, which is known from now on."""
    address, now = counted_address(address), datetime.now(UTC)
    of_both = (_columns.name == name) & (_columns.address == address)
    hold_user(connection, name)
    connection.execute(delete(failed_logins).where(of_both))
    columns = known_addresses.c
    is_same = (columns.name == name) & (columns.address == address)
    is_old = columns.used_at < now - KNOWN
    connection.execute(delete(known_addresses).where(is_same | is_old))
    connection.execute(known_addresses.insert().values(name=name, address=address, used_at=now))


def log_failure(connection: Connection, author: Author, action: str, name: str) -> None:
    """Add a failure to the log of changes, unless it has many recent ones.

    ``name`` is that of a user or empty: people type passwords into the wrong field.
    """
    if _failures(connection, true(), LONG) <= MOST_LOGGED:
        log_change(connection, author, action, name)


def forget_failures(connection: Connection, name: str) -> None:
    """Forget all failed logins to an account."""
    connection.execute(delete(failed_logins).where(_columns.name == name))
