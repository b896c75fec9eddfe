"""Tables and indexes of a SQL database, created by one program at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.sql import search_indexes
from focuscrawl.stores.sql.sql_tables import metadata
from focuscrawl.system.sqlite_header import is_damaged

_FORMAT = 1
"""Of SQLite files, in ``user_version``; 0 are those of versions that wrote none."""
_LOCK_SECONDS = 60


def check_header(path: Path, name: str) -> None:
    """Raise StoreError for a file that is damaged or no database; the file stays as it is."""
    try:
        damaged = is_damaged(path)
    except OSError as error:
        raise StoreError(f"{name} cannot be read ({error.strerror}); look at its rights") from error
    if damaged:
        raise StoreError(
            f"{name} cannot be used: the file is damaged, or not a SQLite database; restore it from "
            "a copy, or move it away and crawl again"
        )


def create_missing(
    engine: Engine, name: str, patient: Callable[[], AbstractContextManager[Engine]]
) -> None:
    """Create the tables and indexes that a database has not; ``name`` is shown in errors.

    Programs that begin at once wait for each other. ``patient`` gives an engine whose statements may
    take as long as they do. Driver errors are the caller's to translate.
    """
    if engine.dialect.name == "sqlite":
        _check_format(engine, name)
    if _is_complete(engine):
        return
    with _alone(engine, name) as connection:
        metadata.create_all(connection)
        # On SQLite the index has a transaction of its own, which locks, too.
        if engine.dialect.name != "sqlite":
            _make_searchable(engine, patient)
    _make_searchable(engine, patient)


def _make_searchable(engine: Engine, patient: Callable[[], AbstractContextManager[Engine]]) -> None:
    if not search_indexes.is_there(engine):
        with patient() as patient_engine:
            search_indexes.create(patient_engine)


def _is_complete(engine: Engine) -> bool:
    known = set(inspect(engine).get_table_names())
    return known >= set(metadata.tables) and search_indexes.is_there(engine)


@contextmanager
def _alone(engine: Engine, name: str) -> Iterator[Connection]:
    """Yield a connection in a transaction while no other program creates anything."""
    if engine.dialect.name == "sqlite":
        with engine.execution_options(begin="IMMEDIATE").begin() as connection:
            yield connection
        return
    # A name of a lock is of the whole server, and has 64 characters at most.
    database = engine.url.database or ""
    lock = hashlib.md5(f"focuscrawl {database}".encode(), usedforsecurity=False).hexdigest()
    with engine.begin() as connection:
        taken = text("SELECT GET_LOCK(:name, :seconds)")
        if connection.execute(taken, {"name": lock, "seconds": _LOCK_SECONDS}).scalar_one() != 1:
            raise StoreUnavailableError(f"{name}: another program is creating its tables")
        try:
            yield connection
        finally:
            connection.execute(text("SELECT RELEASE_LOCK(:name)"), {"name": lock})


def _check_format(engine: Engine, name: str) -> None:
    with engine.connect() as connection:
        found: int = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        has_tables = bool(inspect(connection).get_table_names())
    if found > _FORMAT:
        raise StoreError(
            f"{name} has format {found}, this version reads {_FORMAT}; update focuscrawl, or name "
            "another file"
        )
    if not has_tables:
        with engine.execution_options(begin="IMMEDIATE").begin() as connection:
            connection.exec_driver_sql(f"PRAGMA user_version = {_FORMAT}")
