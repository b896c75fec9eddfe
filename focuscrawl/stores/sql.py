"""Records in SQLite or MySQL (MariaDB), through SQLAlchemy Core."""

from __future__ import annotations

import asyncio
import operator
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Select, Table, and_, literal, select, true
from sqlalchemy.dialects import mysql, sqlite
from sqlalchemy.engine import URL

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    ArticleSummary,
    KnownArticle,
    MissingNumber,
    NumberedArticle,
    Page,
    Quote,
    Record,
    StoredQuote,
)
from focuscrawl.stores import sql_engine
from focuscrawl.stores.base import Written
from focuscrawl.stores.canonical import (
    known_article,
    prepare_all,
    stored_article,
    stored_page,
    stored_quote,
    stored_summary,
)
from focuscrawl.stores.numbered import LONG_COLUMNS, stored_missing, stored_numbered
from focuscrawl.stores.plans import Kind, Plan, Prepared, Row, by_kind, plan, settle
from focuscrawl.stores.sql_errors import BadDataError, too_large, translated
from focuscrawl.stores.sql_sizes import groups, sent_size, size_of
from focuscrawl.stores.tables import (
    articles,
    crawl_state,
    metadata,
    missing_numbers,
    numbered_articles,
    pages,
    quotes,
)

_T = TypeVar("_T")
_Rows = list[Mapping[str, Any]]

_KNOWN = select(
    *(
        articles.c[name]
        for name in (
            "url url_md5 title content_md5 published stamp is_complete gone_at page_urls validators "
            "first_seen"
        ).split()
    )
)
# How many rows are read at a time: whole texts are large, summaries and quotes small.
_TEXTS, _SMALL, _KEYS = 32, 2000, 500


class SQLStore:
    """A :class:`~focuscrawl.stores.base.Store` in a SQL database.

    All blocking work runs in one thread of its own, in the order in which it was asked for.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._label = sql_engine.label(url)
        self._engine: Engine | None = None
        self._worker: ThreadPoolExecutor | None = None
        self._packet: int | None = None

    @property
    def label(self) -> str:
        """The URL without password."""
        return self._label

    async def open(self) -> None:
        """Connect; create the database's folder, the database and the tables if missing."""
        await self._in_thread(self._open)

    def _open(self) -> None:
        engine = sql_engine.connect(self._url, self._label)
        if self._engine is not None:
            self._engine.dispose()
        self._engine = engine
        self._packet = sql_engine.packet_size(engine, self._label)

    async def close(self) -> None:
        """Let go of the connections and the thread."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.submit(self._dispose)
            await asyncio.to_thread(worker.shutdown)

    def _dispose(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    async def _in_thread(self, work: Callable[..., _T], *values: Any) -> _T:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="sql-store")
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *values)

    @property
    def _db(self) -> Engine:
        if self._engine is None:
            raise StoreError(f"{self._label} is not open; call open() first")
        return self._engine

    async def write(self, records: Sequence[Record]) -> Written:
        """Upsert the records in one transaction; a repeat changes nothing."""
        return await self._in_thread(self._write, list(records))

    def _write(self, records: Sequence[Record]) -> Written:
        results = [self._checked(entry) for entry in prepare_all(records)]
        good = [entry for entry in results if isinstance(entry, Prepared)]
        stored = iter(self._store(good) if good else ())
        return settle([e if isinstance(e, StoreError) else next(stored) for e in results])

    def _checked(self, entry: Prepared | StoreError) -> Prepared | StoreError:
        if isinstance(entry, Prepared) and self._packet:
            limit = self._packet
            if max(sent_size(row, limit) for row in (entry.row, *entry.parts)) > limit:
                return StoreError(f"{entry.url}: {too_large(self._label, limit)}")
        return entry

    def _store(self, batch: Sequence[Prepared]) -> Sequence[Prepared | StoreError]:
        """Store a batch; if its values are refused, each record in a transaction of its own."""
        try:
            self._transact(batch)
            return batch
        except BadDataError as error:
            if len(batch) > 1:
                return [result for entry in batch for result in self._store([entry])]
            return [StoreError(f"{batch[0].url} is refused by {self._label}: {error}")]

    def _transact(self, batch: Sequence[Prepared]) -> None:
        with translated(self._label), sql_engine.writing(self._db) as connection:
            for kind, entries in by_kind(batch):
                held = _held(connection, kind, {entry.key for entry in entries})
                _carry_out(connection, kind, plan(entries, held), held)

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return what is held of the given articles, keyed by MD5."""
        found: dict[str, KnownArticle] = {}
        for start in range(0, len(url_md5s), _KEYS):
            part = url_md5s[start : start + _KEYS]
            rows = await self._fetch(_KNOWN.where(articles.c.url_md5.in_(part)))
            found |= {row["url_md5"]: known_article(row) for row in rows}
        return found

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""
        return await self._listed(site, None, articles.c.is_complete.is_(False))

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after a day."""
        return await self._listed(site, since)

    async def _listed(
        self, site: str, since: date | None, *where: ColumnElement[bool]
    ) -> list[KnownArticle]:
        query = _KNOWN.where(articles.c.site == site, articles.c.gone_at.is_(None), *where)
        rows = self._dated_last(query, articles.c.published, articles.primary_key, since)
        return [known_article(row) async for row in rows]

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object kept under ``key``, or None."""
        rows = await self._fetch(select(crawl_state).where(crawl_state.c.key == key))
        return rows[0]["value"] if rows else None

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Keep a JSON object under ``key``."""
        await self._in_thread(self._set_state, key, value)

    def _set_state(self, key: str, value: dict[str, Any]) -> None:
        try:
            with translated(self._label), sql_engine.writing(self._db) as connection:
                _upsert(connection, crawl_state, [{"key": key, "value": value}])
        except BadDataError as error:
            raise StoreError(f"{self._label} refuses the state {key!r}: {error}") from error

    async def articles(self) -> AsyncIterator[Article]:
        """Stream all articles with text and quotes, ordered by URL MD5."""
        async for rows in self._paged(select(articles), [articles.c.url_md5], _TEXTS):
            belonging = await self._quotes_of([row["url_md5"] for row in rows])
            for row in rows:
                yield stored_article(row, belonging[row["url_md5"]])

    async def _quotes_of(self, url_md5s: list[str]) -> dict[str, list[Quote]]:
        query = select(quotes).where(quotes.c.article_md5.in_(url_md5s))
        belonging = defaultdict(list)
        for row in await self._fetch(query.order_by(quotes.c.article_md5, quotes.c.seq)):
            belonging[row["article_md5"]].append(stored_quote(row))
        return belonging

    async def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone, undated ones first."""
        standing = articles.c.url_md5 == quotes.c.article_md5, articles.c.gone_at.is_(None)
        names = {"article_url": articles.c.url, "article_title": articles.c.title}
        extra = [column.label(name) for name, column in names.items()]
        query = select(quotes, *extra, articles.c.site).join(articles, and_(*standing))
        async for row in self._dated_last(query, quotes.c.date, quotes.primary_key, since):
            yield StoredQuote(
                quote=stored_quote(row),
                article_url=row["article_url"],
                article_title=row["article_title"],
                site=row["site"],
            )

    async def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream all articles without text, ordered by published date, URL MD5."""
        query = select(*(column for column in articles.c if column.name != "text"))
        published = articles.c.published
        async for row in self._dated_last(query, published, articles.primary_key, None):
            yield stored_summary(row)

    async def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream the pages of a topic, relevant and best ones first."""
        worth = [pages.c.is_relevant, pages.c.relevance, pages.c.score, pages.c.key]
        query = select(*worth).where(true() if topic is None else pages.c.topic == topic)
        async for row in self._keyed(query, worth, select(pages), is_descending=True):
            yield stored_page(row)

    async def numbered(
        self, series: str | None = None, *, bodies: bool = True
    ) -> AsyncIterator[NumberedArticle]:
        """Stream the numbered articles of a series, by number."""
        order = [numbered_articles.c[name] for name in ("series", "number", "url_md5")]
        left_out = () if bodies else LONG_COLUMNS
        shown = [column for column in numbered_articles.c if column.name not in left_out]
        whole = select(*(column for column in shown if not column.name.startswith("terms_")))
        query = select(*order).where(_in_series(numbered_articles, series))
        async for row in self._keyed(query, order, whole):
            yield stored_numbered(row)

    async def numbers(self, series: str) -> AsyncIterator[int]:
        """Stream the numbers of a series whose articles are held, ascending."""
        order = [numbered_articles.c.number, numbered_articles.c.url_md5]
        query = select(*order).where(_in_series(numbered_articles, series))
        async for rows in self._paged(query, order, _SMALL):
            for row in rows:
                yield row["number"]

    async def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream the numbers of a series that have no article so far, ascending."""
        order = [missing_numbers.c.number, missing_numbers.c.url_md5]
        query = select(missing_numbers).where(
            _in_series(missing_numbers, series), missing_numbers.c.found_at.is_(None)
        )
        async for rows in self._paged(query, order, _SMALL):
            for row in rows:
                yield stored_missing(row)

    async def _keyed(
        self,
        query: Select[Any],
        order: Sequence[ColumnElement[Any]],
        whole: Select[Any],
        *,
        is_descending: bool = False,
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Read the rows of ``whole`` in the order of ``query``, whose last column is their key.

        First what the index holds: MySQL would sort all the rows, with their texts, each time.
        """
        key = order[-1]
        sized = size_of(whole.selected_columns, self._db.dialect.name)
        async for listed in self._paged(query, order, _SMALL, is_descending=is_descending):
            for start in range(0, len(listed), _KEYS):
                keys = [row[str(key.key)] for row in listed[start : start + _KEYS]]
                sizes = await self._fetch(select(key, sized.label("size")).where(key.in_(keys)))
                size = {row[str(key.key)]: row["size"] for row in sizes}
                for group in groups(keys, size, _TEXTS):
                    rows = await self._fetch(whole.where(key.in_(group)))
                    for row in sorted(rows, key=lambda row: group.index(row[str(key.key)])):
                        yield row

    async def _dated_last(
        self, query: Select[Any], day: ColumnElement[Any], key: Any, since: date | None
    ) -> AsyncIterator[Mapping[str, Any]]:
        if since is None:
            async for rows in self._paged(query.where(day.is_(None)), [*key], _SMALL):
                for row in rows:
                    yield row
        dated = day.is_not(None) if since is None else day >= since
        async for rows in self._paged(query.where(dated), [day, *key], _SMALL):
            for row in rows:
                yield row

    async def _paged(
        self,
        query: Select[Any],
        keys: Sequence[ColumnElement[Any]],
        size: int,
        *,
        is_descending: bool = False,
    ) -> AsyncIterator[_Rows]:
        """Read a query part by part, each by the keys of the last row before it.

        No cursor stays open in between, so that a slow reader holds no lock or connection.
        """
        order = [key.desc() for key in keys] if is_descending else keys
        part = query.order_by(*order).limit(size)
        ranges: list[ColumnElement[bool]] = [true()]
        while ranges:
            rows = await self._fetch(part.where(ranges.pop(0)))
            if rows:
                yield rows
            if len(rows) == size:
                last = [rows[-1][str(key.key)] for key in keys]
                ranges = _ranges_after(keys, last, is_descending)

    async def _fetch(self, query: Select[Any]) -> _Rows:
        return await self._in_thread(self._fetch_now, query)

    def _fetch_now(self, query: Select[Any]) -> _Rows:
        try:
            with translated(self._label), self._db.connect() as connection:
                return list(connection.execute(query).mappings())  # type: ignore[arg-type]
        except BadDataError as error:
            raise StoreError(f"{self._label} cannot be read: {error}") from error


def _in_series(table: Table, series: str | None) -> ColumnElement[bool]:
    return true() if series is None else table.c.series == series


def _ranges_after(
    keys: Sequence[ColumnElement[Any]], last: Sequence[Any], is_descending: bool
) -> list[ColumnElement[bool]]:
    """Return conditions that hold for the rows after the one with the key values ``last``.

    They are in the order of the rows. Each is one range of an index over the keys, which MySQL
    and SQLite do not see in a condition that says all of it.
    """
    beyond = operator.lt if is_descending else operator.gt
    # Literals, for a bare True has no order to SQLAlchemy.
    values = [literal(value, key.type) for key, value in zip(keys, last, strict=True)]
    equal = [key == value for key, value in zip(keys, values, strict=True)]
    return [
        and_(*equal[:place], beyond(keys[place], values[place]))
        for place in reversed(range(len(keys)))
    ]


def _held(connection: Connection, kind: Kind, keys: set[str]) -> dict[str, Row]:
    columns = metadata.tables[kind.table].c
    query = select(*(columns[name] for name in kind.held)).where(columns[kind.key].in_(keys))
    return {row[kind.key]: dict(row) for row in connection.execute(query).mappings()}


def _carry_out(connection: Connection, kind: Kind, todo: Plan, held: Mapping[str, Row]) -> None:
    # In one order for all writers, and without a look for parts that cannot be there: either
    # would let two writers on MySQL wait for one another.
    table = metadata.tables[kind.table]
    entries = [todo.replaced[key] for key in sorted(todo.replaced)]
    if entries:
        _upsert(connection, table, [entry.row for entry in entries], keep="first_seen")
    if entries and kind.parts:
        parts = metadata.tables[kind.parts]
        old = [entry.key for entry in entries if entry.key in held]
        if old:
            connection.execute(parts.delete().where(parts.c[kind.owner].in_(old)))
        rows = [row for entry in entries for row in entry.parts]
        if rows:
            connection.execute(parts.insert(), rows)
    for key, columns in sorted(todo.columns.items()):
        connection.execute(table.update().where(table.c[kind.key] == key).values(columns))


def _upsert(
    connection: Connection, table: Table, rows: list[dict[str, Any]], keep: str = ""
) -> None:
    """Insert rows, or replace those with the same key but for the column ``keep``."""
    names = [column.name for column in table.c if not column.primary_key and column.name != keep]
    if connection.dialect.name == "mysql":
        statement = mysql.insert(table)
        replaced = {name: statement.inserted[name] for name in names}
        connection.execute(statement.on_duplicate_key_update(replaced), rows)
    else:
        insert = sqlite.insert(table)
        given = {name: insert.excluded[name] for name in names}
        key = list(table.primary_key)
        connection.execute(insert.on_conflict_do_update(index_elements=key, set_=given), rows)
