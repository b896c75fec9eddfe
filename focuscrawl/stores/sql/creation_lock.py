"""A lock held while one program creates or upgrades the tables of a database; others wait."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.system.retry_with_backoff import retry
from focuscrawl.system.sqlite_file import is_busy

_log = logging.getLogger(__name__)
_SECONDS_A_TRY = 10


def alone(engine: Engine, name: str, seconds: float) -> AbstractContextManager[Connection]:
    """Return the context of a connection in a transaction while no other program has this lock.

    The lock goes with the program that holds it, however that ends. Raises StoreUnavailableError, or
    on SQLite the driver's error, if another program holds it for longer than ``seconds``.
    """
    lock = _sqlite_lock if engine.dialect.name == "sqlite" else _server_lock
    return lock(engine, name, seconds)


@contextmanager
def _sqlite_lock(engine: Engine, name: str, seconds: float) -> Iterator[Connection]:
    # Each try waits by itself, for SQLite's busy timeout.
    locking = engine.execution_options(begin="IMMEDIATE")
    with ExitStack() as stack:
        yield retry(
            lambda: stack.enter_context(locking.begin()),
            _is_held,
            seconds,
            longest_pause=0.1,
            on_first_failure=lambda _: _log_waiting(name),
        )


def _is_held(error: BaseException) -> bool:
    return isinstance(error, DBAPIError) and is_busy(error.orig)


@contextmanager
def _server_lock(engine: Engine, name: str, seconds: float) -> Iterator[Connection]:
    # The name of a lock is known to the whole server, and has at most 64 characters.
    database = engine.url.database or ""
    lock = hashlib.md5(f"focuscrawl {database}".encode(), usedforsecurity=False).hexdigest()
    with engine.connect() as connection:
        _take(connection, lock, name, seconds)
        connection.commit()
        try:
            # It ends before the lock does: the next program must see what this one has written.
            with connection.begin():
                yield connection
        finally:
            connection.execute(text("SELECT RELEASE_LOCK(:lock)"), {"lock": lock})


def _take(connection: Connection, lock: str, name: str, seconds: float) -> None:
    question = text("SELECT GET_LOCK(:lock, :seconds)")
    for _ in range(0, round(seconds), _SECONDS_A_TRY):
        values = {"lock": lock, "seconds": _SECONDS_A_TRY}
        if connection.execute(question, values).scalar_one() == 1:
            return
        _log_waiting(name)
    raise StoreUnavailableError(
        f"{name}: another program is still creating or upgrading its tables; try again later"
    )


def _log_waiting(name: str) -> None:
    _log.info("waiting for another program that creates or upgrades the tables of %s", name)
