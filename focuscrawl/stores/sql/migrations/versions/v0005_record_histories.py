"""A table for earlier values of template records.

It is created before any revision, as all tables are; MariaDB does so in two steps, so that a program
may have been killed before the index. The version keeps an older program from writing to the
database, which would replace values without a trace.
"""

from __future__ import annotations

from focuscrawl.stores.sql.migrations.repeatable_steps import create_index

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the index where it is missing."""
    create_index("revisions_by_record", "record_revisions", "record_key, replaced_at, key")
