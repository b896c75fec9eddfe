"""Crawls without the jobs of a Scrapyd, which the web views start no more.

Whether a job still runs only its Scrapyd knows, so those that had not ended count as ended,
at the one time that is known of them.
"""

from __future__ import annotations

from alembic import op

from focuscrawl.stores.sql.migrations.repeatable_steps import columns_of

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """End the jobs, and drop their column."""
    if "job" in columns_of("web_processes"):
        op.execute(
            "UPDATE web_processes SET ended_at = started_at WHERE job <> '' AND ended_at IS NULL"
        )
        op.drop_column("web_processes", "job")
