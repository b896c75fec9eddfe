"""A table for earlier values of template records, and a column for the confidence of quotes.

The table is created before any revision, as all tables are; MariaDB does so in two steps, so that a program
may have been killed before the index. The version keeps an older program from writing to the
database, which would replace values without a trace.
"""

from __future__ import annotations

from sqlalchemy import Column, Double

from focuscrawl.stores.sql.migrations.repeatable_steps import add_column, create_index

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the index and the column where they are missing."""
    add_column("quotes", Column("confidence", Double))
    create_index("revisions_by_record", "record_revisions", "record_key, replaced_at, key")
