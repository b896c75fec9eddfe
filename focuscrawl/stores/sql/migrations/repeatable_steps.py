"""Steps of revisions that may be repeated: MariaDB commits each statement that changes a table.

A program that is killed in the middle of a revision runs it again from its beginning.
"""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, inspect


def create_index(name: str, table: str, columns: str) -> None:
    """Create an index over comma-separated columns, unless the table has one of this name."""
    known = {index["name"] for index in inspect(op.get_bind()).get_indexes(table)}
    if name not in known:
        op.create_index(name, table, columns.split(", "))


def rename_column(table: str, old: str, new: str) -> None:
    """Rename a column, unless the table has none of the old name."""
    if old in columns_of(table):
        quote = op.get_bind().dialect.identifier_preparer.quote
        # Alembic's own way copies the table on SQLite, which has had this statement since 3.25.
        op.execute(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(old)} TO {quote(new)}")


def add_column(table: str, column: Column[Any]) -> None:
    """Add a column, unless the table has one of this name."""
    if column.name not in columns_of(table):
        op.add_column(table, column)


def columns_of(table: str) -> set[str]:
    """Return the names of the columns of a table."""
    return {column["name"] for column in inspect(op.get_bind()).get_columns(table)}
