"""Tables for earlier versions of articles, verdicts on prices and runs of crawls; newest articles.

The tables are created before any revision, as all tables are. The version keeps an older program,
which would replace articles without their verdicts, from writing to the database. The newest
numbered articles, of all sites and of one, were found by reading all of them.
"""

from __future__ import annotations

from focuscrawl.stores.sql.migrations.repeatable_steps import create_index

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create both indexes."""
    create_index("numbered_by_date", "numbered_articles", "published, url_md5")
    create_index("numbered_by_site", "numbered_articles", "site, published, url_md5")
