"""The first schema, from before the database held a version; tables that it lacks are created before."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Change nothing."""
