"""A table for items of spiders of one's own.

The table is created before any revision, as all tables are; MariaDB does so in two steps, so that a program
may have been killed before the index. A table of the same name may be another program's.
"""

from __future__ import annotations

from focuscrawl.stores.sql.migrations.repeatable_steps import create_index

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the index where it is missing."""
    create_index("items_by_crawl", "items", "crawl, key")
