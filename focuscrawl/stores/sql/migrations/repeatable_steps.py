"""Steps of revisions that may be repeated: MariaDB commits each statement that changes a table.

A program that is killed in the middle of a revision runs it again from its beginning.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import inspect

from focuscrawl.stores.sql.sql_errors import foreign_table

LABEL = "label"
"""The option of the migration context that holds the name of the database for errors."""


def create_index(name: str, table: str, columns: str) -> None:
    """Create an index over comma-separated columns, unless the table has one of this name."""
    known = {index["name"] for index in inspect(op.get_bind()).get_indexes(table)}
    if name not in known:
        op.create_index(name, table, columns.split(", "))


def require_columns(table: str, columns: str) -> None:
    """Raise StoreError for a table without one of the columns, which are comma-separated."""
    found = {column["name"] for column in inspect(op.get_bind()).get_columns(table)}
    missing = sorted(set(columns.split(", ")) - found)
    if missing:
        raise foreign_table(op.get_context().opts[LABEL], table, missing[0])
