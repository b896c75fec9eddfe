"""Tables for earlier versions of articles, verdicts on prices and runs of crawls.

They are created before any revision, as all tables are. The version keeps an older program, which
would replace articles without their verdicts, from writing to the database.
"""

from __future__ import annotations

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Do nothing more."""
