"""Tables of alarm rules, of the alarms that they gave, and of the secrets of feeds."""

from __future__ import annotations

from sqlalchemy import (
    CHAR,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from focuscrawl.stores.sql.sql_tables import JsonText, UtcDateTime
from focuscrawl.web.accounts.account_tables import NAME, users
from focuscrawl.web.database.web_database import metadata

rules = Table(
    "web_alarm_rules",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("crawl", String(255), nullable=False),
    Column("commodity", String(255), nullable=False),
    Column("region", String(255), nullable=False),
    Column("entity", String(255), nullable=False),
    Column("amount", Double, nullable=False),
    Column("unit", String(16), nullable=False),
    Column("days", Integer, nullable=False),
    Column("by_mail", Boolean, nullable=False),
    Column("webhook", String(16), nullable=False),
    # Secret, since chat services put a token into it; empty for the one of the settings.
    Column("webhook_url", Text, nullable=False),
    Column("made_by", NAME, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
)

alarms = Table(
    "web_alarms",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("rule", Integer, nullable=False),
    # An event gives one alarm, however often it is looked at.
    Column("event", String(255), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("run", String(64), nullable=False),
    Column("values", JsonText, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("sent", JsonText, nullable=False),
    UniqueConstraint("rule", "event"),
)

feeds = Table(
    "web_alarm_feeds",
    metadata,
    Column("name", NAME, ForeignKey(users.c.name, ondelete="CASCADE"), primary_key=True),
    Column("secret_hash", CHAR(64), nullable=False, unique=True),
)
