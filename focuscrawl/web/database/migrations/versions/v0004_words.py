"""Rules of alarms about words."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Integer, String, false

from focuscrawl.stores.sql.migrations.repeatable_steps import add_column

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add their columns, which are empty in other rules."""
    for name, size in {"words": 500, "site": 255, "kinds": 64}.items():
        column = Column(name, String(size), nullable=False, server_default="")
        add_column("web_alarm_rules", column)
    changed = Column("with_changed", Boolean, nullable=False, server_default=false())
    add_column("web_alarm_rules", changed)
    add_column("web_alarm_rules", Column("position", Integer, nullable=False, server_default="0"))
