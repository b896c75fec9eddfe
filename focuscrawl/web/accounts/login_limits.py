"""Limits of failed logins: by account and address, by address, by account, and of all.

Whoever fails on purpose blocks only the own address; the limit of a whole account is not for addresses
from which somebody has logged in to it before.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import ColumnElement, Connection, delete, func, select, true

from focuscrawl.web.accounts.change_log import Author, log_change
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


def may_try(connection: Connection, name: str, address: str) -> bool:
    """Return whether a password may be tried, and count it as a failure until it is known to be right.

    Counted only afterwards, any number of passwords could be tried at once.
    """
    address, now = counted_address(address), datetime.now(UTC)
    connection.execute(delete(failed_logins).where(_columns.failed_at < now - LONG))
    if _is_refused(connection, name, address):
        return False
    connection.execute(failed_logins.insert().values(name=name, address=address, failed_at=now))
    return True


def _is_refused(connection: Connection, name: str, address: str) -> bool:
    of_name, of_address = _columns.name == name, _columns.address == address
    if _failures(connection, of_name & of_address, SHORT) >= BY_BOTH:
        return True
    if _failures(connection, of_address, SHORT) >= BY_ADDRESS:
        return True
    if _is_known(connection, name, address):
        return False
    is_guessed = _failures(connection, of_name, LONG) >= BY_NAME
    return is_guessed or _failures(connection, true(), SHORT) >= OF_ALL


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
