"""Error messages for the errors of SQLite and MySQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, StatementError

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.database_advice import disk_full, no_answer
from focuscrawl.system.sqlite_file import BUSY_CODES, REMEDIES


class BadDataError(Exception):
    """A statement failed because of its values: other records may still be stored."""


class DuplicateError(BadDataError):
    """A record was inserted by another program after this one had looked for it."""


class DeadlockError(StoreUnavailableError):
    """The server has undone this program's transaction in favour of another program's."""


def is_conflict(error: BaseException) -> bool:
    """Return whether a transaction may succeed if it is repeated at once."""
    return isinstance(error, (DuplicateError, DeadlockError))


_SQLITE_BAD_DATA = {sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH}
_SQLITE_REMEDIES = REMEDIES | {
    sqlite3.SQLITE_CORRUPT: (
        "the file is damaged; restore it from a copy, or move it away and crawl again"
    ),
    sqlite3.SQLITE_NOTADB: (
        "the file is damaged, or not a SQLite database; restore it from a copy, or move it away"
    ),
}

# https://mariadb.com/kb/en/mariadb-error-codes/ and the client's 2xxx codes
_MYSQL_UNAVAILABLE = {1040, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1203, 1206}
_MYSQL_UNAVAILABLE |= {1226, 1927, 2002, 2003, 2006, 2013, 2014, 2055, 3024, 4031}
_MYSQL_LOCKED = 1205
_MYSQL_DEADLOCK, _MYSQL_DUPLICATE = 1213, 1062
_MYSQL_RIGHTS = "grant it ALL on this database"
_MYSQL_FULL = {1021, 1114}
_MYSQL_REMEDIES = {
    1044: f"the user has no privileges on the database; {_MYSQL_RIGHTS}",
    1045: "wrong user name or password; correct it in the store's URL",
    1049: "there is no such database; create it or name another",
    1142: f"the user lacks a privilege on a table; {_MYSQL_RIGHTS}",
    1143: f"the user lacks a privilege on a column; {_MYSQL_RIGHTS}",
    1227: f"the user lacks a privilege; {_MYSQL_RIGHTS}",
    1290: "the server is read-only; name one that accepts writes",
    1698: "this user cannot log in with a password; name another user",
    1836: "the server is read-only; name one that accepts writes",
}
_MYSQL_TOO_LARGE = 1153


def too_large(label: str, limit: int | None = None) -> StoreError:
    """Return the error for a record that is larger than a MySQL packet may be."""
    size = f" ({limit / 1e6:{'.0f' if limit >= 1e7 else '.2g'}} MB)" if limit else ""
    return StoreError(
        f"the record is larger than max_allowed_packet of {label}{size}; raise that on the server"
    )


def foreign_table(label: str, table: str, column: str) -> StoreError:
    """Return the error for a database in which another program has a table of the same name."""
    return StoreError(
        f"{label} has a table {table!r} of another program (without the column {column!r}); name "
        "another database"
    )


@contextmanager
def translated(label: str) -> Iterator[None]:
    """Translate the driver's errors into messages that name the store and the remedy.

    Raises StoreUnavailableError, StoreError, or BadDataError if the values are at fault.
    """
    try:
        yield
    except DBAPIError as error:
        raise _translate(error, label) from error
    except StatementError as error:
        raise BadDataError(str(error.orig)) from error
    except (OverflowError, UnicodeError) as error:
        raise BadDataError(str(error)) from error
    except RuntimeError as error:
        raise StoreError(f"{label} cannot be used: {_one_line(error)}") from error


def _translate(error: DBAPIError, label: str) -> Exception:
    origin = error.orig
    if "Could not decode to UTF-8" in str(origin):
        return StoreError(f"{label} cannot be used: {_SQLITE_REMEDIES[sqlite3.SQLITE_CORRUPT]}")
    sqlite_code = getattr(origin, "sqlite_errorcode", None)
    if sqlite_code is not None:
        return _translate_sqlite(sqlite_code & 0xFF, _one_line(origin), label)
    code = origin.args[0] if origin is not None and origin.args else None
    if code == _MYSQL_TOO_LARGE:
        # Fewer records at a time may fit.
        return BadDataError(str(too_large(label)))
    if code in _MYSQL_FULL:
        return disk_full(label)
    if code == _MYSQL_LOCKED:
        return StoreUnavailableError(
            f"{label}: another program keeps a transaction open on its tables (SHOW PROCESSLIST names "
            "it); end it, or try again later"
        )
    if code == _MYSQL_DEADLOCK:
        return DeadlockError(f"{label} is busy with another writer: {_one_line(origin)}")
    if code == _MYSQL_DUPLICATE:
        return DuplicateError(_one_line(origin))
    if error.connection_invalidated or code in _MYSQL_UNAVAILABLE:
        # A code of the driver and its words.
        words = origin.args[-1] if origin is not None and origin.args else origin
        return no_answer(label, _one_line(words))
    if code in _MYSQL_REMEDIES:
        return StoreError(f"{label} refuses: {_MYSQL_REMEDIES[code]}")
    return BadDataError(_one_line(origin))


def _translate_sqlite(code: int, message: str, label: str) -> Exception:
    if code in BUSY_CODES:
        return StoreUnavailableError(f"{label} is locked by another program ({message})")
    if code in _SQLITE_REMEDIES:
        return StoreError(f"{label} cannot be used: {_SQLITE_REMEDIES[code]}")
    if code in _SQLITE_BAD_DATA:
        return BadDataError(message)
    return StoreError(f"{label} cannot be used: {message}")


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
