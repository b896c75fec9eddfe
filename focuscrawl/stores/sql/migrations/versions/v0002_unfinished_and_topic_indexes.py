"""Indexes for the incomplete articles of a site and for the pages of a topic.

Every run of a price spider begins with the incomplete articles of its site, and read all rows of
the site to find them; the pages of one topic were picked out of those of all topics.
"""

from __future__ import annotations

from focuscrawl.stores.sql.migrations.repeatable_steps import create_index

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create both indexes."""
    create_index("articles_unfinished", "articles", "site, is_complete, published, url_md5")
    create_index("pages_by_topic", "pages", "topic, is_relevant, relevance, score, key")
