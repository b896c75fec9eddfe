"""Tables and indexes of a SQL database, created or upgraded by one program at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect

from focuscrawl.errors import StoreError
from focuscrawl.stores.records.batch_changes import ITEMS
from focuscrawl.stores.schema_version import SCHEMA_VERSION, UPGRADE_SECONDS
from focuscrawl.stores.sql import price_views, search_indexes
from focuscrawl.stores.sql.creation_lock import alone
from focuscrawl.stores.sql.sql_errors import translated
from focuscrawl.stores.sql.sql_tables import metadata
from focuscrawl.stores.sql.sql_upgrade import (
    check_columns,
    check_first_schema,
    has_tables,
    read_version,
    upgrade,
    write_version,
)
from focuscrawl.stores.sql.sqlite_copy import copy_named, discard_copy, keep_copy
from focuscrawl.system.sqlite_header import is_damaged

_log = logging.getLogger(__name__)
_CREATION_SECONDS = 60


def check_header(path: Path, name: str) -> None:
    """Raise StoreError for a file that is damaged or no database; the file stays as it is."""
    if path.is_dir():
        raise StoreError(f"{name} is a folder; name a file")
    try:
        damaged = is_damaged(path)
    except OSError as error:
        raise StoreError(
            f"{name} cannot be read ({error.strerror}); check its permissions"
        ) from error
    if damaged:
        raise StoreError(
            f"{name} cannot be used: the file is damaged, or not a SQLite database; restore it from "
            "a copy, or move it away and crawl again"
        )


def create_or_upgrade(
    engine: Engine, name: str, patient: Callable[[], AbstractContextManager[Engine]]
) -> None:
    """Create the tables and indexes that a database lacks, and upgrade one of an older version.

    Programs that begin at once wait for each other. ``patient`` gives an engine whose statements have
    no time limit; ``name`` is shown in errors. Raises StoreError for a newer version. Driver errors
    are the caller's to translate.
    """
    with engine.connect() as connection:
        is_current = read_version(connection, name) == SCHEMA_VERSION
        is_upgrade = not is_current and has_tables(connection)
    if not is_current or not _is_complete(engine):
        with patient() as patient_engine:
            seconds = UPGRADE_SECONDS if is_upgrade else _CREATION_SECONDS
            with alone(patient_engine, name, seconds) as held:
                _create_or_upgrade(held, name)
                # On SQLite the index has a transaction of its own, which locks, too.
                if engine.dialect.name != "sqlite":
                    _make_searchable(patient_engine)
            _make_searchable(patient_engine)
    if engine.dialect.name == "sqlite":
        discard_copy(_file(engine))


def _create_or_upgrade(connection: Connection, name: str) -> None:
    # Another program may have been quicker.
    version = read_version(connection, name)
    if version < SCHEMA_VERSION:
        # A common name, which other programs give to tables of theirs.
        check_columns(connection, name, {ITEMS.table: metadata.tables[ITEMS.table].c.keys()})
    if version == SCHEMA_VERSION or not has_tables(connection):
        metadata.create_all(connection)
        if version != SCHEMA_VERSION:
            write_version(connection, SCHEMA_VERSION)
        price_views.create(connection, name)
        return
    if not version:
        # Before a copy is made, and before a server commits tables that it creates.
        check_first_schema(connection, name)
    _log.info("upgrading %s from schema version %d to %d", name, version or 1, SCHEMA_VERSION)
    with _copy_kept(connection, name):
        metadata.create_all(connection)
        upgrade(connection, version)
        price_views.create(connection, name)


@contextmanager
def _copy_kept(connection: Connection, name: str) -> Iterator[None]:
    if connection.dialect.name != "sqlite":
        yield
        return
    file = _file(connection.engine)
    keep_copy(file, name)
    with copy_named(file), translated(name):
        yield
        # Here, since the commit may fail as well: a full disk is often noticed only then.
        connection.exec_driver_sql("COMMIT")


def _file(engine: Engine) -> Path:
    return Path(engine.url.database or "")


def _make_searchable(engine: Engine) -> None:
    if not search_indexes.is_there(engine):
        search_indexes.create(engine)


def _is_complete(engine: Engine) -> bool:
    known = set(inspect(engine).get_table_names())
    with engine.connect() as connection:
        has_views = price_views.are_there(connection)
    return known >= set(metadata.tables) and has_views and search_indexes.is_there(engine)
