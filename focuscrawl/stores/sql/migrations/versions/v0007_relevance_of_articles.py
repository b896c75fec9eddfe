"""A column for the relevance of articles and numbered articles to the topic of their crawl."""

from __future__ import annotations

from sqlalchemy import Column, Double

from focuscrawl.stores.schema_version import RELEVANCE
from focuscrawl.stores.sql.migrations.repeatable_steps import add_column

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns where they are missing."""
    for table in ("articles", "numbered_articles"):
        add_column(table, Column(RELEVANCE, Double))
