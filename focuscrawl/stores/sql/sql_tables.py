"""Tables of the SQL stores, the same on SQLite and MySQL."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, get_type_hints

from sqlalchemy import (
    CHAR,
    REAL,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Dialect,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    String,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from focuscrawl.items import Quote
from focuscrawl.stores.records.canonical_records import tidy
from focuscrawl.stores.records.numbered_rows import TERMS
from focuscrawl.stores.schema_version import ADDED, RELEVANCE, SCHEMA_TABLE
from focuscrawl.system.remembered_values import RememberedValues

metadata = MetaData()

_LONG_TEXT = Text().with_variant(mysql.LONGTEXT(), "mysql")
_MD5 = CHAR(32).with_variant(mysql.CHAR(32, charset="ascii", collation="ascii_bin"), "mysql")
_MILLISECONDS = DateTime().with_variant(mysql.DATETIME(fsp=3), "mysql")
# Chinese names must compare byte by byte: general collations treat some of them as equal.
MYSQL_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_bin",
    "mysql_row_format": "DYNAMIC",
}


class JsonText(TypeDecorator[Any]):
    """A list or an object, stored as readable JSON."""

    impl = _LONG_TEXT
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Return the JSON of a value."""
        return json.dumps(value, ensure_ascii=False)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the value of a JSON text."""
        return json.loads(value)


class UtcDateTime(TypeDecorator[datetime]):
    """A time with time zone, stored in UTC to the millisecond."""

    impl = _MILLISECONDS
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time in UTC, without time zone."""
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time with the time zone UTC."""
        return value and value.replace(tzinfo=UTC)


class Price(TypeDecorator[Decimal]):
    """A decimal of at most 15 significant digits: DECIMAL(18,6), on SQLite a REAL.

    The shortest text of a 64-bit float preserves any 15 digits, so the values read are equal to
    those written, and AVG() works in both.
    """

    impl = Numeric(18, 6)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return REAL for SQLite, which has no decimals."""
        sqlite = dialect.name == "sqlite"
        return dialect.type_descriptor(REAL() if sqlite else Numeric(18, 6))

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        """Return a float for SQLite, otherwise the decimal."""
        return float(value) if value is not None and dialect.name == "sqlite" else value

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return a function for the decimal of a value, without trailing zeros."""
        return _prices.__getitem__


def _price_of(value: float | Decimal | None) -> Decimal | None:
    # Zero has two floats, which are equal but not in text.
    return None if value is None else tidy(Decimal(str(value or 0)))


_prices = RememberedValues(_price_of, 10_000)


articles = Table(
    "articles",
    metadata,
    Column("url_md5", _MD5, primary_key=True),
    Column("url", Text, nullable=False),
    Column("site", String(255), nullable=False),
    Column("title", Text, nullable=False),
    Column("published", Date),
    Column("stamp", Text, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("page_urls", JsonText, nullable=False),
    Column("missing_urls", JsonText, nullable=False),
    Column("is_complete", Boolean, nullable=False),
    Column("text", _LONG_TEXT, nullable=False),
    Column("content_md5", _MD5, nullable=False),
    Column("record_md5", _MD5, nullable=False),
    Column("validators", JsonText, nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
    Column("gone_at", UtcDateTime),
    Column(RELEVANCE, Double),
    Index("articles_by_site", "site", "published"),
    Index("articles_by_date", "published", "url_md5"),
    Index("articles_unfinished", "site", "is_complete", "published", "url_md5"),
    **MYSQL_OPTIONS,
)

_QUOTE_TYPES: dict[Any, Any] = {
    str: Text,
    bool: Boolean,
    int: Integer,
    Decimal: Price,
    Decimal | None: Price,
    date | None: Date,
}


def _quote_columns() -> list[Column[Any]]:
    """Return a column for each field of a quote, so that none is missed."""
    return [
        Column(
            name,
            String(ADDED[name]) if name in ADDED else _QUOTE_TYPES[kind],
            nullable=kind in (Decimal | None, date | None),
            server_default="" if name in ADDED else None,
        )
        for name, kind in get_type_hints(Quote).items()
    ]


quotes = Table(
    "quotes",
    metadata,
    Column("article_md5", _MD5, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    *_quote_columns(),
    Index("quotes_by_date", "date", "article_md5", "seq"),
    Index("quotes_by_entity", "entity", mysql_length={"entity": 64}),
    **MYSQL_OPTIONS,
)

article_revisions = Table(
    "article_revisions",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("article_md5", _MD5, nullable=False),
    Column("title", Text, nullable=False),
    Column("published", Date),
    Column("replaced_at", UtcDateTime, nullable=False),
    Column("packed", LargeBinary().with_variant(mysql.MEDIUMBLOB(), "mysql"), nullable=False),
    Index("revisions_by_article", "article_md5", "replaced_at", "key"),
    **MYSQL_OPTIONS,
)

pages = Table(
    "pages",
    metadata,
    Column("key", _MD5, primary_key=True),
    # The text of any site: a title or a link too long for MySQL's TEXT must not stop a crawl.
    Column("url", _LONG_TEXT, nullable=False),
    Column("site", String(255), nullable=False),
    Column("topic", String(255), nullable=False),
    Column("title", _LONG_TEXT, nullable=False),
    Column("text", _LONG_TEXT, nullable=False),
    Column("score", Double, nullable=False),
    Column("relevance", Double, nullable=False),
    Column("is_relevant", Boolean, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("via", _LONG_TEXT, nullable=False),
    Column("content_md5", _MD5, nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
    Index("pages_by_worth", "is_relevant", "relevance", "score", "key", "topic"),
    Index("pages_by_topic", "topic", "is_relevant", "relevance", "score", "key"),
    **MYSQL_OPTIONS,
)

# A pattern of URLs. Its index with number and key stays below 3072 bytes, the maximum of MySQL.
_SERIES = String(700)

numbered_articles = Table(
    "numbered_articles",
    metadata,
    Column("url_md5", _MD5, primary_key=True),
    Column("url", _LONG_TEXT, nullable=False),
    Column("site", String(255), nullable=False),
    Column("series", _SERIES, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("title", _LONG_TEXT, nullable=False),
    Column("description", _LONG_TEXT, nullable=False),
    Column("tags", JsonText, nullable=False),
    Column("author", _LONG_TEXT, nullable=False),
    Column("published", Date),
    Column("body_html", _LONG_TEXT, nullable=False),
    Column("body_text", _LONG_TEXT, nullable=False),
    Column("extra", JsonText, nullable=False),
    *(Column(f"terms_{name}", _LONG_TEXT, nullable=False) for name in TERMS),
    Column("content_md5", _MD5, nullable=False),
    Column("record_md5", _MD5, nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
    Column(RELEVANCE, Double),
    Index("numbered_by_series", "series", "number", "url_md5"),
    Index("numbered_by_date", "published", "url_md5"),
    Index("numbered_by_site", "site", "published", "url_md5"),
    **MYSQL_OPTIONS,
)

missing_numbers = Table(
    "missing_numbers",
    metadata,
    Column("url_md5", _MD5, primary_key=True),
    Column("url", _LONG_TEXT, nullable=False),
    Column("site", String(255), nullable=False),
    Column("series", _SERIES, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("reason", _LONG_TEXT, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("tried_at", UtcDateTime, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    Column("found_at", UtcDateTime),
    Column("first_seen", UtcDateTime, nullable=False),
    Index("missing_by_series", "series", "number", "url_md5"),
    **MYSQL_OPTIONS,
)

# The name of a crawl. Its index with window and key stays below the maximum of MySQL.
_CRAWL = String(255)

template_records = Table(
    "template_records",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("crawl", _CRAWL, nullable=False),
    Column("template", String(255), nullable=False),
    Column("url", _LONG_TEXT, nullable=False),
    Column("site", String(255), nullable=False),
    Column("seed", _LONG_TEXT, nullable=False),
    Column("title", _LONG_TEXT, nullable=False),
    Column("window", Integer, nullable=False),
    Column("fields", JsonText, nullable=False),
    Column("region_md5", _MD5, nullable=False),
    Column("record_md5", _MD5, nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
    Column("gone_at", UtcDateTime),
    Index("records_by_crawl", "crawl", "key"),
    **MYSQL_OPTIONS,
)

record_revisions = Table(
    "record_revisions",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("record_key", _MD5, nullable=False),
    Column("window", Integer, nullable=False),
    Column("next_window", Integer, nullable=False),
    Column("replaced_at", UtcDateTime, nullable=False),
    Column("gone_at", UtcDateTime),
    Column("fields", JsonText, nullable=False),
    Index("revisions_by_record", "record_key", "replaced_at", "key"),
    **MYSQL_OPTIONS,
)

seeds = Table(
    "seeds",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("crawl", _CRAWL, nullable=False),
    Column("url", _LONG_TEXT, nullable=False),
    Column("title", _LONG_TEXT, nullable=False),
    Column("engine", String(255), nullable=False),
    Column("query", _LONG_TEXT, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("window", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("listed_at", UtcDateTime, nullable=False),
    Index("seeds_by_crawl", "crawl", "query", "rank", "key", mysql_length={"query": 255}),
    **MYSQL_OPTIONS,
)

price_decisions = Table(
    "price_decisions",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("article_md5", _MD5, nullable=False),
    Column("url", Text, nullable=False),
    Column("commodity", Text, nullable=False),
    Column("entity", Text, nullable=False),
    Column("price_low", Price, nullable=False),
    Column("price_high", Price, nullable=False),
    Column("unit", Text, nullable=False),
    Column("span", Text, nullable=False),
    Column("reader_flag", Text, nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("note", Text, nullable=False),
    Column("decided_by", String(255), nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Index("decisions_by_article", "article_md5"),
    **MYSQL_OPTIONS,
)

page_verdicts = Table(
    "page_verdicts",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("topic", String(255), nullable=False),
    Column("url", _LONG_TEXT, nullable=False),
    Column("judge", String(255), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("is_relevant", Boolean, nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Index("page_verdicts_by_topic", "topic", "key"),
    **MYSQL_OPTIONS,
)

items = Table(
    "items",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("crawl", _CRAWL, nullable=False),
    Column("class_name", String(255), nullable=False),
    Column("item_key", _LONG_TEXT, nullable=False),
    Column("url", _LONG_TEXT, nullable=False),
    # As text: MySQL and MongoDB would change numbers, names or the order of the fields.
    Column("item", _LONG_TEXT, nullable=False),
    Column("content_md5", _MD5, nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
    Index("items_by_crawl", "crawl", "key"),
    **MYSQL_OPTIONS,
)

crawl_runs = Table(
    "crawl_runs",
    metadata,
    Column("key", _MD5, primary_key=True),
    Column("crawl", _CRAWL, nullable=False),
    Column("spider", String(255), nullable=False),
    Column("machine", String(255), nullable=False),
    Column("began_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("reason", Text, nullable=False),
    Column("exit_code", Integer),
    Column("details", _LONG_TEXT, nullable=False),
    Index("runs_by_time", "began_at", "key"),
    Index("runs_by_crawl", "crawl", "began_at", "key"),
    **MYSQL_OPTIONS,
)

crawl_state = Table(
    "crawl_state",
    metadata,
    Column("key", String(255), primary_key=True),
    Column("value", JsonText, nullable=False),
    **MYSQL_OPTIONS,
)

# Alembic's layout under a name of its own: a server's database may also hold the tables of another
# program that uses Alembic.
schema_version = Table(
    SCHEMA_TABLE,
    metadata,
    Column("version_num", String(32), primary_key=True),
    **MYSQL_OPTIONS,
)
