"""Steps of revisions that may be repeated: MariaDB commits each statement that changes a table.

A program that is killed in the middle of a revision runs it again from its beginning.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import inspect


def create_index(name: str, table: str, columns: str) -> None:
    """Create an index over comma-separated columns, unless the table has one of this name."""
    known = {index["name"] for index in inspect(op.get_bind()).get_indexes(table)}
    if name not in known:
        op.create_index(name, table, columns.split(", "))
