"""Locations and types of entities in quotes, and column names that no SQL reserves.

``condition`` and ``change`` had to be quoted on MySQL, ``end`` on SQLite. The new columns are empty in
old rows until ``scrapy reread`` fills them.
"""

from __future__ import annotations

from sqlalchemy import Column, String

from focuscrawl.stores.schema_version import ADDED, RENAMED
from focuscrawl.stores.sql.migrations.repeatable_steps import add_column, rename_column

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Rename and add the columns."""
    for old, new in RENAMED.items():
        rename_column("quotes", old, new)
    for name, length in ADDED.items():
        add_column("quotes", Column(name, String(length), nullable=False, server_default=""))
