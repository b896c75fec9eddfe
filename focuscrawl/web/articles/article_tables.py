"""Tables of reads, likes, reading lists, saved searches and corrections of articles."""

from __future__ import annotations

from sqlalchemy import (
    CHAR,
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from focuscrawl.stores.sql.sql_tables import JsonText, UtcDateTime
from focuscrawl.web.accounts.account_tables import NAME, users
from focuscrawl.web.database.web_database import metadata

_MD5 = CHAR(32)


def _owner() -> Column[str]:
    return Column("name", NAME, ForeignKey(users.c.name, ondelete="CASCADE"), primary_key=True)


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

likes = Table(
    "web_article_likes",
    metadata,
    _owner(),
    Column("url_md5", _MD5, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
)

kept_articles = Table(
    "web_kept_articles",
    metadata,
    _owner(),
    Column("url_md5", _MD5, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
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
