"""Likes and reading lists of which suggestions may be told to forget a part, and likes by time."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, false

from focuscrawl.stores.sql.migrations.repeatable_steps import add_column, create_index

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns, which say that nothing is forgotten, and the index."""
    for table in ("web_article_likes", "web_kept_articles"):
        add_column(table, Column("is_forgotten", Boolean, nullable=False, server_default=false()))
    create_index("web_likes_by_time", "web_article_likes", "at")
