"""The schema version of a SQL database, and its upgrade by Alembic's revisions.

Set up in code, for an installed package has no ``alembic.ini``; Alembic is loaded only to upgrade.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Table, inspect, select

from focuscrawl.stores.schema_version import SCHEMA_VERSION, checked_version
from focuscrawl.stores.sql.migrations.versions.v0001_first_schema import COLUMNS
from focuscrawl.stores.sql.sql_errors import foreign_table
from focuscrawl.stores.sql.sql_tables import metadata, schema_version


class Schema(NamedTuple):
    """A schema: its newest version, the table that holds that of a database, the folder of revisions."""

    version: int
    version_table: Table
    revisions: Path


STORES = Schema(SCHEMA_VERSION, schema_version, Path(__file__).with_name("migrations"))
"""The tables of the stores."""


def read_version(connection: Connection, name: str, schema: Schema = STORES) -> int:
    """Return the version of a database, 0 for one without any; ``name`` is shown in errors.

    Raises StoreError for a newer version than this program's.
    """
    table = schema.version_table
    if schema is STORES and connection.dialect.name == "sqlite":
        checked_version(connection.exec_driver_sql("PRAGMA user_version").scalar_one(), name)
    if not inspect(connection).has_table(table.name):
        return 0
    rows = connection.scalars(select(table.c.version_num)).all()
    return checked_version(max(rows, default="0"), name, schema.version, table.name)


def write_version(connection: Connection, version: int, schema: Schema = STORES) -> None:
    """Write the version of a database whose tables are there."""
    connection.execute(schema.version_table.delete())
    connection.execute(schema.version_table.insert().values(version_num=f"{version:04}"))
    if schema is STORES and connection.dialect.name == "sqlite":
        # The only mark that versions before Alembic look at; they refuse a newer one by it.
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")


def check_first_schema(connection: Connection, name: str) -> None:
    """Raise StoreError if a database without a version has tables of another program."""
    tables = {table: columns.split(", ") for table, columns in COLUMNS.items()}
    check_columns(connection, name, tables)


def check_columns(connection: Connection, name: str, tables: Mapping[str, Iterable[str]]) -> None:
    """Raise StoreError for a table without one of its columns; tables that do not exist are skipped."""
    inspector = inspect(connection)
    known = {*inspector.get_table_names(), *inspector.get_view_names()}
    for table in sorted({*tables} & known):
        found = {column["name"] for column in inspector.get_columns(table)}
        if missing := sorted({*tables[table]} - found):
            raise foreign_table(name, table, missing[0])


def upgrade(connection: Connection, version: int, schema: Schema = STORES) -> None:
    """Upgrade a database from ``version`` (0 for the first schema without a mark) to the newest.

    All tables must be there. Each revision is marked when it is done, and may be repeated.
    """
    # While it is loaded, too, it logs what no user needs to know.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(schema.revisions))
    older = f"{version:04}" if version else "base"
    revisions = [*script.iterate_revisions("head", older)]
    with Operations.context(MigrationContext.configure(connection)):
        for revision in reversed(revisions):
            revision.module.upgrade()
            write_version(connection, int(revision.revision), schema)


def has_tables(connection: Connection) -> bool:
    """Return whether a database has any table of the stores."""
    return not metadata.tables.keys().isdisjoint(inspect(connection).get_table_names())
