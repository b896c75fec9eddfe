"""Tables of the web views, all in one place, for a version of the schema is that of all of them."""

from __future__ import annotations

from sqlalchemy import (
    CHAR,
    Boolean,
    Column,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from focuscrawl.stores.sql.sql_tables import JsonText, UtcDateTime

metadata = MetaData()
NAME = String(64)
LONGEST_CRON = 100
"""Most characters of the times of a schedule."""

schema_version = Table("web_schema", metadata, Column("version_num", String(32), primary_key=True))

locks = Table(
    "web_locks",
    metadata,
    Column("subject_hash", CHAR(64), primary_key=True),
    Column("owner", CHAR(32), nullable=False),
    Column("until", UtcDateTime, nullable=False),
)

# Users, their sessions, failed logins and known addresses, and the log of changes.

users = Table(
    "web_users",
    metadata,
    Column("name", NAME, primary_key=True),
    Column("password_hash", String(255), nullable=False),
    Column("role", String(16), nullable=False),
    Column("is_disabled", Boolean, nullable=False, default=False),
    Column("created_at", UtcDateTime, nullable=False),
)


def _owner() -> Column[str]:
    return Column("name", NAME, ForeignKey(users.c.name, ondelete="CASCADE"), primary_key=True)


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
    _owner(),
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

# Rows of the table of the morning that users have pinned, and views of prices that they have saved.

price_pins = Table(
    "web_price_pins", metadata, _owner(), Column("entity", String(200), primary_key=True)
)

price_views = Table(
    "web_price_views",
    metadata,
    _owner(),
    Column("title", String(100), primary_key=True),
    Column("address", Text, nullable=False),
)

# Rules of alarms, the alarms that they gave, and the secrets of feeds.

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
    # Of a rule about words, which has looked at the arrivals up to a position.
    Column("words", String(500), nullable=False, server_default=""),
    Column("site", String(255), nullable=False, server_default=""),
    Column("kinds", String(64), nullable=False, server_default=""),
    Column("with_changed", Boolean, nullable=False, server_default=false()),
    Column("position", Integer, nullable=False, server_default="0"),
)

# The records in the order in which they were first found in the store: keys of a kind, 16 bytes each.
# Times do not tell what is new, for a record may be written long after it was fetched.
arrivals = Table(
    "web_alarm_arrivals",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("keys", LargeBinary(2**24 - 1), nullable=False),
)

# What rules about words have found: each once.
hits = Table(
    "web_alarm_hits",
    metadata,
    Column("rule", Integer, primary_key=True, autoincrement=False),
    Column("mark", String(64), primary_key=True),
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
    _owner(),
    Column("secret_hash", CHAR(64), nullable=False, unique=True),
)

# Crawls that were started from the web, and schedules.

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
    Column("cron", String(LONGEST_CRON), nullable=False),
    Column("is_paused", Boolean, nullable=False),
    Column("made_by", NAME, nullable=False),
    # Runs that were due before are over, or were missed.
    Column("checked_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("note", Text, nullable=False),
)

# Reads, likes, reading lists, saved searches and corrections of articles.

_MD5 = CHAR(32)


counts = Table(
    "web_article_counts",
    metadata,
    Column("url_md5", _MD5, primary_key=True),
    Column("reads", Integer, nullable=False, default=0),
    Column("likes", Integer, nullable=False, default=0),
    Index("web_counts_by_reads", "reads", "url_md5"),
    Index("web_counts_by_likes", "likes", "url_md5"),
)

# A mark is a keyed hash of article, reader and day: nobody can be told from it.
read_marks = Table(
    "web_article_read_marks",
    metadata,
    Column("mark", CHAR(64), primary_key=True),
    Column("day", Date, nullable=False),
    Index("web_read_marks_by_day", "day"),
)


def _is_forgotten() -> Column[bool]:
    # Suggestions no longer draw on it.
    return Column("is_forgotten", Boolean, nullable=False, default=False, server_default=false())


likes = Table(
    "web_article_likes",
    metadata,
    _owner(),
    Column("url_md5", _MD5, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    _is_forgotten(),
    Index("web_likes_by_time", "at"),
)

kept_articles = Table(
    "web_kept_articles",
    metadata,
    _owner(),
    Column("url_md5", _MD5, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    _is_forgotten(),
)

# By users: what they have read, and when they looked at the search last and in the visit before.
read_texts = Table("web_read_texts", metadata, _owner(), Column("key", _MD5, primary_key=True))
visits = Table(
    "web_visits",
    metadata,
    _owner(),
    Column("before", UtcDateTime),
    Column("seen_at", UtcDateTime, nullable=False),
)

saved_searches = Table(
    "web_saved_searches",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", NAME, ForeignKey(users.c.name, ondelete="CASCADE"), nullable=False),
    # Not hashed: its user has to see the address again.
    Column("token", String(64), nullable=False, unique=True),
    Column("query", JsonText, nullable=False),
    Column("saved_at", UtcDateTime, nullable=False),
    Index("web_saved_searches_by_name", "name"),
)

article_edits = Table(
    "web_article_edits",
    metadata,
    Column("url_md5", _MD5, primary_key=True),
    Column("is_hidden", Boolean, nullable=False),
    Column("title", Text),
    Column("summary", Text),
    Column("tags", JsonText, nullable=False),
    Column("edited_by", NAME, nullable=False),
    Column("edited_at", UtcDateTime, nullable=False),
)
