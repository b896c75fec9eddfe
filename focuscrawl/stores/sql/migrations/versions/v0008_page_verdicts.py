"""A table for the verdicts of people on pages.

The table is created before any revision, as all tables are; MariaDB does so in two steps, so that a program
may have been killed before the index.
"""

from __future__ import annotations

from focuscrawl.stores.sql.migrations.repeatable_steps import create_index

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the index where it is missing."""
    create_index("page_verdicts_by_topic", "page_verdicts", "topic, key")
