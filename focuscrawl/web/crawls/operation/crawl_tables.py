"""Tables of the crawls that were started from the web, and of schedules."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Integer, String, Table, Text

from focuscrawl.stores.sql.sql_tables import JsonText, UtcDateTime
from focuscrawl.web.accounts.account_tables import NAME
from focuscrawl.web.crawls.operation.cron_times import LONGEST
from focuscrawl.web.database.web_database import metadata

processes = Table(
    "web_processes",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("spider", String(64), nullable=False),
    Column("arguments", JsonText, nullable=False),
    # The number of the process, and when it was started, since numbers are used again.
    Column("pid", Integer),
    Column("identity", String(128), nullable=False),
    Column("log", Text, nullable=False),
    Column("started_by", NAME, nullable=False),
    Column("started_at", UtcDateTime, nullable=False, index=True),
    Column("ended_at", UtcDateTime),
    Column("exit_code", Integer),
    Column("stops", Integer, nullable=False),
)

schedules = Table(
    "web_schedules",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("spider", String(64), nullable=False),
    Column("arguments", JsonText, nullable=False),
    Column("cron", String(LONGEST), nullable=False),
    Column("is_paused", Boolean, nullable=False),
    Column("made_by", NAME, nullable=False),
    # Runs that were due before are over, or were missed.
    Column("checked_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("note", Text, nullable=False),
)
