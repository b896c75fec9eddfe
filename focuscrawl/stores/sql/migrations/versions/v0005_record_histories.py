"""A table for earlier values of template records, and a column for the confidence of quotes.

The table is created before any revision, as all tables are; MariaDB does so in two steps, so that a program
may have been killed before the index. The version keeps an older program from writing to the
database, which would replace values without a trace.
"""

from __future__ import annotations

from sqlalchemy import Column

from focuscrawl.stores.schema_version import CONFIDENCE
from focuscrawl.stores.sql.migrations.repeatable_steps import add_column, create_index
from focuscrawl.stores.sql.sql_tables import Price

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the index and the column where they are missing."""
    add_column("quotes", Column(CONFIDENCE, Price))
    create_index("revisions_by_record", "record_revisions", "record_key, replaced_at, key")
