"""Tables of users, their sessions, failed logins and known addresses, and the log of changes."""

from __future__ import annotations

from sqlalchemy import CHAR, Boolean, Column, ForeignKey, Index, Integer, String, Table, Text

from focuscrawl.stores.sql.sql_tables import JsonText, UtcDateTime
from focuscrawl.web.database.web_database import metadata

NAME = String(64)

users = Table(
    "web_users",
    metadata,
    Column("name", NAME, primary_key=True),
    Column("password_hash", String(255), nullable=False),
    Column("role", String(16), nullable=False),
    Column("is_disabled", Boolean, nullable=False, default=False),
    Column("created_at", UtcDateTime, nullable=False),
)

sessions = Table(
    "web_sessions",
    metadata,
    Column("secret_hash", CHAR(64), primary_key=True),
    Column("name", NAME, ForeignKey(users.c.name, ondelete="CASCADE"), nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
    Column("used_at", UtcDateTime, nullable=False),
    Index("web_sessions_by_name", "name"),
)

failed_logins = Table(
    "web_failed_logins",
    metadata,
    Column("number", Integer, primary_key=True),
    # Not a foreign key: names that do not exist count, too.
    Column("name", NAME, nullable=False),
    Column("address", String(64), nullable=False),
    Column("failed_at", UtcDateTime, nullable=False),
    Index("web_failed_logins_by_name", "name", "failed_at"),
    Index("web_failed_logins_by_address", "address", "failed_at"),
)

known_addresses = Table(
    "web_known_addresses",
    metadata,
    Column("name", NAME, ForeignKey(users.c.name, ondelete="CASCADE"), primary_key=True),
    Column("address", String(64), primary_key=True),
    Column("used_at", UtcDateTime, nullable=False),
)

changes = Table(
    "web_changes",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("name", NAME, nullable=False),
    Column("address", String(64), nullable=False),
    Column("action", String(64), nullable=False),
    Column("subject", Text, nullable=False),
    Column("before", JsonText, nullable=False),
    Column("after", JsonText, nullable=False),
)
