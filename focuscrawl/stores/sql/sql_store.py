"""Records in SQLite or MySQL (MariaDB), through SQLAlchemy Core."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from datetime import date
from functools import partial
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, Table, false, func, select, true
from sqlalchemy.dialects import mysql, sqlite
from sqlalchemy.engine import URL

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    CrawlRun,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    PageVerdict,
    PriceDecision,
    Record,
    Seed,
    TemplateRecord,
)
from focuscrawl.stored_records import (
    ArticleRevision,
    ArticleSummary,
    KnownArticle,
    RecordRevision,
    StoredQuote,
)
from focuscrawl.stores.database_copies import LONG_TEXTS, Line, line_of, line_of_row
from focuscrawl.stores.records.batch_changes import (
    ARTICLES,
    DECISIONS,
    NUMBERED,
    RECORDS,
    BatchPlan,
    Prepared,
    RecordKind,
    Row,
    by_kind,
    plan,
    settle,
    state_key,
)
from focuscrawl.stores.records.canonical_records import (
    QUOTE_FIELDS,
    known_article,
    prepare_all,
    quote_of,
    stored_article,
    stored_decision,
    stored_page,
    stored_summary,
    stored_verdict,
)
from focuscrawl.stores.records.earlier_versions import (
    prepare_revision,
    record_revisions_of,
    revised_keys,
    stored_record_revision,
    stored_revision,
    surplus,
)
from focuscrawl.stores.records.numbered_rows import LONG_COLUMNS, stored_missing, stored_numbered
from focuscrawl.stores.records.own_items import stored_item
from focuscrawl.stores.records.price_verdicts import apply_verdicts, identity_of, marked_quotes
from focuscrawl.stores.records.run_rows import run_row, stored_run
from focuscrawl.stores.records.template_rows import stored_record, stored_seed
from focuscrawl.stores.records.window_changes import WindowChanges
from focuscrawl.stores.sql import search_indexes, sql_connections, sql_reader
from focuscrawl.stores.sql.row_sizes import sent_size
from focuscrawl.stores.sql.sql_errors import BadDataError, is_conflict, too_large, translated
from focuscrawl.stores.sql.sql_listing import SQLListing
from focuscrawl.stores.sql.sql_lookup import SQLLookup
from focuscrawl.stores.sql.sql_prices import SQLPrices
from focuscrawl.stores.sql.sql_reader import SQLReader
from focuscrawl.stores.sql.sql_search import SQLSearch
from focuscrawl.stores.sql.sql_tables import (
    article_revisions,
    articles,
    crawl_runs,
    crawl_state,
    items,
    metadata,
    missing_numbers,
    numbered_articles,
    page_verdicts,
    pages,
    price_decisions,
    quotes,
    record_revisions,
    seeds,
    template_records,
)
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.system.retry_with_backoff import retry

# Changes of a batch: stored rows are read, then upserted, and parts replaced.


def held_rows(connection: Connection, kind: RecordKind, keys: set[str]) -> dict[str, Row]:
    """Return the columns of the stored records that a plan depends on, by key.

    On a server they are locked, in the same order for all writers, so that none of them can block
    each other, and what a plan is made of cannot change until it is carried out.
    """
    columns = metadata.tables[kind.table].c
    key = columns[kind.key]
    query = select(*(columns[name] for name in kind.held)).where(key.in_(keys)).order_by(key)
    rows = connection.execute(query.with_for_update()).mappings()
    return {row[kind.key]: dict(row) for row in rows}


def carry_out(
    connection: Connection, kind: RecordKind, todo: BatchPlan, held: Mapping[str, Row]
) -> None:
    """Write the changes of a plan; ``held`` has the records that are stored.

    The driver's error says if another writer has inserted one of the others meanwhile.
    """
    # In the same order for all writers, and without a query for parts that cannot exist: otherwise
    # two writers on MySQL might block each other.
    table = metadata.tables[kind.table]
    entries = [todo.replaced[key] for key in sorted(todo.replaced)]
    new = [entry.row for entry in entries if entry.key not in held]
    old = [entry.row for entry in entries if entry.key in held]
    if new:
        connection.execute(table.insert(), new)
    if old:
        upsert(connection, table, old, keep="first_seen")
    if entries:
        if kind is ARTICLES:
            apply_verdicts(entries, _decisions_on(connection, entries))
        _replace_parts(connection, kind, entries, held)
    if todo.erased:
        connection.execute(table.delete().where(table.c[kind.key].in_(sorted(todo.erased))))
    for key, columns in sorted(todo.columns.items()):
        connection.execute(table.update().where(table.c[kind.key] == key).values(columns))


def mark_quotes(connection: Connection, entries: Sequence[Prepared]) -> None:
    """Set the flags of the stored quotes that decisions are about."""
    quotes = metadata.tables["quotes"]
    for entry in entries:
        where, columns = marked_quotes(entry)
        same = [quotes.c[name] == value for name, value in where.items()]
        connection.execute(quotes.update().where(*same).values(columns))


def _decisions_on(connection: Connection, entries: Sequence[Prepared]) -> list[Row]:
    decisions = metadata.tables[DECISIONS.table]
    keys = [entry.key for entry in entries]
    query = select(decisions).where(decisions.c.article_md5.in_(keys))
    return [dict(row) for row in connection.execute(query).mappings()]


def copy_rows(kind: RecordKind, connection: Connection, entries: Sequence[Prepared]) -> None:
    """Write records with all columns, replacing stored ones."""
    upsert(connection, metadata.tables[kind.table], [entry.row for entry in entries])
    # Of all entries: in a retry after a lost connection, parts may exist that did not before.
    _replace_parts(connection, kind, entries, {entry.key for entry in entries})


def _replace_parts(
    connection: Connection, kind: RecordKind, entries: Sequence[Prepared], held: Collection[str]
) -> None:
    if not kind.parts:
        return
    parts = metadata.tables[kind.parts]
    old = [entry.key for entry in entries if entry.key in held]
    if old:
        connection.execute(parts.delete().where(parts.c[kind.owner].in_(old)))
    rows = [row for entry in entries for row in entry.parts]
    if rows:
        connection.execute(parts.insert(), rows)


def upsert(
    connection: Connection, table: Table, rows: list[Row], keep: str = "", *, is_sum: bool = False
) -> None:
    """Insert rows, or replace those with the same key, or add to them, except for the column ``keep``."""
    names = [column.name for column in table.c if not column.primary_key and column.name != keep]

    def new(given: Any) -> dict[str, Any]:
        return {name: table.c[name] + given[name] if is_sum else given[name] for name in names}

    if connection.dialect.name == "mysql":
        statement = mysql.insert(table)
        connection.execute(statement.on_duplicate_key_update(new(statement.inserted)), rows)
    else:
        insert = sqlite.insert(table)
        key, given = list(table.primary_key), new(insert.excluded)
        connection.execute(insert.on_conflict_do_update(index_elements=key, set_=given), rows)


def keep_revisions(
    connection: Connection, kind: RecordKind, todo: BatchPlan, held: Mapping[str, Row]
) -> None:
    """Keep what a plan replaces: versions of articles, values of template records."""
    if kind is ARTICLES:
        _keep_articles(connection, todo, held)
    if kind is RECORDS:
        _keep_values(connection, todo, held)


def _keep_articles(connection: Connection, todo: BatchPlan, held: Mapping[str, Row]) -> None:
    keys = revised_keys(todo, held)
    if not keys:
        return
    belonging: dict[str, list[Row]] = defaultdict(list)
    order = quotes.c.article_md5, quotes.c.seq
    of_keys = quotes.c.article_md5.in_(keys)
    for row in connection.execute(select(quotes).where(of_keys).order_by(*order)).mappings():
        belonging[row["article_md5"]].append(dict(row))
    found = connection.execute(select(articles).where(articles.c.url_md5.in_(keys))).mappings()
    versions = [
        prepare_revision(dict(row), belonging[row["url_md5"]], todo.replaced[row["url_md5"]].row)
        for row in found
    ]
    rows = [version.row for version in versions if version]
    if rows:
        upsert(connection, article_revisions, rows)


def _keep_values(connection: Connection, todo: BatchPlan, held: Mapping[str, Row]) -> None:
    columns = record_revisions.c
    if todo.erased:
        of_erased = columns.record_key.in_(sorted(todo.erased))
        connection.execute(record_revisions.delete().where(of_erased))
    rows = [revision.row for revision in record_revisions_of(todo, held)]
    if not rows:
        return
    upsert(connection, record_revisions, rows)
    of_records = columns.record_key.in_([row["record_key"] for row in rows])
    newest_first = columns.replaced_at.desc(), columns.key.desc()
    query = select(columns.key, columns.record_key).where(of_records).order_by(*newest_first)
    if keys := surplus(dict(row) for row in connection.execute(query).mappings()):
        connection.execute(record_revisions.delete().where(columns.key.in_(keys)))


class SQLHistory(SQLReader):
    """The histories of a SQL database: earlier versions, verdicts on prices, runs of crawls."""

    async def revisions(self, url_md5s: Sequence[str]) -> list[ArticleRevision]:
        """Return the earlier versions of articles, by article and time."""
        order = [article_revisions.c[name] for name in ("article_md5", "replaced_at", "key")]
        query = select(article_revisions).order_by(*order)
        found = await self._fetch_by(query, article_revisions.c.article_md5, url_md5s)
        return [stored_revision(row) for row in found]

    async def revised(self) -> list[str]:
        """Return the MD5s of the articles with earlier versions."""
        column = article_revisions.c.article_md5
        rows = await self._fetch(select(column).distinct().order_by(column))
        return [row["article_md5"] for row in rows]

    async def record_revisions(self, record_key: str) -> list[RecordRevision]:
        """Return the earlier values of a template record, by time."""
        columns = record_revisions.c
        query = select(record_revisions).where(columns.record_key == record_key)
        rows = await self._fetch(query.order_by(columns.replaced_at, columns.key))
        return [stored_record_revision(row) for row in rows]

    async def decisions(self) -> AsyncIterator[PriceDecision]:
        """Stream the verdicts on prices, by key."""
        async for row in self._small(select(price_decisions), [price_decisions.c.key]):
            yield stored_decision(row)

    async def page_verdicts(self, topic: str | None = None) -> AsyncIterator[PageVerdict]:
        """Stream the verdicts of people on the pages of a topic (of all if None), by key."""
        query = select(page_verdicts)
        if topic is not None:
            query = query.where(page_verdicts.c.topic == topic)
        async for row in self._small(query, [page_verdicts.c.key]):
            yield stored_verdict(row)

    async def write_run(self, run: CrawlRun) -> None:
        """Write a run of a crawl, replacing what was written of it before."""
        await self._in_thread(self._put, crawl_runs, run_row(run))

    def _put(self, table: Table, row: dict[str, object]) -> None:
        limit = self._packet
        try:
            if limit and sent_size(row, limit) > limit:
                # The server would end the connection, as if it had gone away.
                raise BadDataError(too_large(self._label, limit))
            with translated(self._label), sql_connections.writing(self._db) as connection:
                upsert(connection, table, [row])
        except BadDataError as error:
            reason = StoreError(f"{self._label} refuses {table.name} {row['key']!r}: {error}")
            raise RefusedRecordsError({0: reason}, Written()) from error

    async def runs(
        self,
        crawl: str | None = None,
        limit: int = 100,
        by: Literal["began_at", "updated_at"] = "began_at",
    ) -> list[CrawlRun]:
        """Return the newest runs of a crawl (of all if None), by their beginning or last sign of life."""
        order = crawl_runs.c[by].desc(), crawl_runs.c.key.desc()
        # Sorted by themselves: the details are long.
        keys = select(crawl_runs.c.key).order_by(*order).limit(limit)
        if crawl is not None:
            keys = keys.where(crawl_runs.c.crawl == crawl)
        newest = keys.subquery()
        query = select(crawl_runs).join(newest, newest.c.key == crawl_runs.c.key).order_by(*order)
        return [stored_run(row) for row in await self._fetch(query)]

    async def run(self, key: str) -> CrawlRun | None:
        """Return a run, None if there is none with this key."""
        rows = await self._fetch(select(crawl_runs).where(crawl_runs.c.key == key))
        return stored_run(rows[0]) if rows else None


_CONFLICT_SECONDS = 5
_QUOTES = select(*(quotes.c[name] for name in ("article_md5", "seq", *QUOTE_FIELDS)))
_KNOWN = select(
    *(
        articles.c[name]
        for name in (
            "url url_md5 title content_md5 record_md5 published stamp is_complete gone_at page_urls "
            "validators first_seen"
        ).split()
    )
)


class SQLStore(SQLSearch, SQLHistory, SQLLookup, SQLListing, SQLPrices):
    """A :class:`~focuscrawl.stores.database_urls.Database` in SQLite or MySQL."""

    def __init__(self, url: URL) -> None:
        super().__init__(url)
        self._has_postponed = False

    async def exists(self) -> bool:
        """Return whether the database exists, without creating it."""
        return await self._in_thread(sql_connections.exists, self._url, self._label)

    async def open(self) -> None:
        """Connect; create the database's folder, the database and the tables if they are missing."""
        await self._in_thread(self._open)

    def _open(self) -> None:
        engine = sql_connections.connect(self._url, self._label)
        if self._engine is not None:
            self._engine.dispose()
        self._engine = engine
        self._packet = sql_connections.packet_size(engine, self._label)

    def follow_file(self) -> None:
        """Go on with the file that takes the place of an open SQLite database's, as in a restore."""
        if self._db.dialect.name == "sqlite":
            sql_connections.follow_file(self._db)

    async def close(self) -> None:
        """Close the connections and end the thread."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.submit(self._dispose)
            await asyncio.to_thread(worker.shutdown)

    def _dispose(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    async def write(self, records: Sequence[Record]) -> Written:
        """Upsert the records in one transaction; a repeat changes nothing."""
        return await self._in_thread(self._write, list(records))

    def _write(self, records: Sequence[Record]) -> Written:
        results = [self._checked(entry) for entry in prepare_all(records)]
        good = [entry for entry in results if isinstance(entry, Prepared)]
        stored = iter(self._store(good, _write_all) if good else ())
        return settle([e if isinstance(e, StoreError) else next(stored) for e in results])

    def _checked(self, entry: Prepared | StoreError) -> Prepared | StoreError:
        if isinstance(entry, Prepared) and self._packet:
            limit = self._packet
            if max(sent_size(row, limit) for row in (entry.row, *entry.parts)) > limit:
                return StoreError(f"{entry.url}: {too_large(self._label, limit)}")
        return entry

    def _store(
        self, batch: Sequence[Prepared], write: Callable[[Connection, Sequence[Prepared]], None]
    ) -> Sequence[Prepared | StoreError]:
        """Write a batch; if its values are refused, write each record in its own transaction."""

        def write_batch() -> None:
            with translated(self._label), sql_connections.writing(self._db) as connection:
                write(connection, batch)

        try:
            retry(write_batch, is_conflict, _CONFLICT_SECONDS, longest_pause=0.2)
            return batch
        except BadDataError as error:
            if len(batch) > 1:
                return [result for entry in batch for result in self._store([entry], write)]
            name = batch[0].url or batch[0].key
            return [StoreError(f"{name} is refused by {self._label}: {error}")]

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return the stored ones of the given articles, by MD5."""
        rows = await self._fetch_by(_KNOWN, articles.c.url_md5, url_md5s)
        return {row["url_md5"]: known_article(row) for row in rows}

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""
        return await self._listed(site, None, articles.c.is_complete == false())

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after a day."""
        return await self._listed(site, since)

    async def _listed(
        self, site: str, since: date | None, *where: ColumnElement[bool]
    ) -> list[KnownArticle]:
        query = _KNOWN.where(articles.c.site == site, articles.c.gone_at.is_(None), *where)
        rows = self._dated_last(query, articles.c.published, articles.primary_key, since)
        return [known_article(row) async for row in rows]

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Store a JSON object under ``key``."""
        await self._in_thread(self._put, crawl_state, {"key": state_key(key), "value": value})

    async def articles(self) -> AsyncIterator[Article]:
        """Stream all articles with text and quotes, ordered by URL MD5."""
        async for rows in self._paged(select(articles), [articles.c.url_md5], sql_reader.TEXTS):
            belonging = await self._quotes_of([row.url_md5 for row in rows])
            for row in rows:
                yield stored_article(row._mapping, belonging[row.url_md5])

    async def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone, undated ones first."""
        confirmed = await self._confirmed()
        key = quotes.primary_key
        async for rows in self._dated_pages(_QUOTES, quotes.c.date, key, since):
            standing = await self._standing({row[0] for row in rows})
            for row in rows:
                # Values in their order: to look up each by its name takes twice as long.
                md5, seq, *values = row
                if article := standing.get(md5):
                    url, title, site = article
                    yield StoredQuote(
                        quote=quote_of(values),
                        article_url=url,
                        article_title=title,
                        site=site,
                        seq=seq,
                        is_confirmed=bool(confirmed) and identity_of(row._mapping) in confirmed,
                    )

    async def _standing(self, url_md5s: Collection[str]) -> dict[str, tuple[str, str, str]]:
        """Return URL, title and site of the given articles that are not gone, by MD5.

        Where SQLite has statistics, it would read all articles for each page of a join with quotes.
        """
        names = "url_md5 url title site".split()
        query = select(*(articles.c[name] for name in names)).where(articles.c.gone_at.is_(None))
        rows = await self._fetch_by(query, articles.c.url_md5, sorted(url_md5s))
        return {row["url_md5"]: (row["url"], row["title"], row["site"]) for row in rows}

    async def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream all articles without text, ordered by published date, URL MD5."""
        columns = [column for column in articles.c if column.name != "text"]
        query = select(*columns, (articles.c.text != "").label("has_text"))
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
        """Stream the numbers of the stored articles of a series, ascending."""
        order = [numbered_articles.c.number, numbered_articles.c.url_md5]
        query = select(*order).where(_in_series(numbered_articles, series))
        async for row in self._small(query, order):
            yield row["number"]

    async def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream the numbers of a series that have no article so far, ascending."""
        order = [missing_numbers.c.number, missing_numbers.c.url_md5]
        query = select(missing_numbers).where(
            _in_series(missing_numbers, series), missing_numbers.c.found_at.is_(None)
        )
        async for row in self._small(query, order):
            yield stored_missing(row)

    async def template_records(
        self, crawl: str | None = None, *, gone: bool = False
    ) -> AsyncIterator[TemplateRecord]:
        """Stream the template records of a crawl, by crawl and key."""
        order = [template_records.c.crawl, template_records.c.key]
        of_crawl = true() if crawl is None else template_records.c.crawl == crawl
        is_gone = template_records.c.gone_at.is_not(None)
        query = select(template_records).where(of_crawl, is_gone if gone else ~is_gone)
        changes = WindowChanges(self.get_state)
        async for row in self._small(query, order):
            yield stored_record(row, await changes.of(row))

    async def seeds(self, crawl: str) -> AsyncIterator[Seed]:
        """Stream the seeds of a crawl by query and rank."""
        order = [seeds.c[name] for name in ("query", "rank", "key")]
        async for row in self._small(select(seeds).where(seeds.c.crawl == crawl), order):
            yield stored_seed(row)

    async def items(self) -> AsyncIterator[OwnItem]:
        """Stream the items of spiders of one's own, by crawl and key."""
        order = [items.c.crawl, items.c.key]
        async for row in self._keyed(select(*order), order, select(items)):
            yield stored_item(row)

    async def copies(
        self, kind: RecordKind, after: str | None = None
    ) -> AsyncGenerator[list[Prepared], None]:
        """Stream the records of a kind with keys after ``after``, by key, unchanged."""
        whole = select(metadata.tables[kind.table])
        async with aclosing(self._keys_after(kind, after, whole)) as groups:
            async for keys in groups:
                yield await self._copies_of(kind, keys, whole)

    async def digests(
        self, kind: RecordKind, after: str | None = None
    ) -> AsyncGenerator[list[Line], None]:
        """Stream the keys and MD5s of the records of a kind."""
        whole = self._without_texts(kind)
        async with aclosing(self._keys_after(kind, after, whole)) as groups:
            async for keys in groups:
                yield await self._digests_of(kind, keys, whole)

    async def digests_of(self, kind: RecordKind, keys: Sequence[str]) -> list[Line]:
        """Return the keys and MD5s of the stored ones of the given records."""
        return await self._digests_of(kind, keys, self._without_texts(kind))

    async def _keys_after(
        self, kind: RecordKind, after: str | None, whole: Select[Any]
    ) -> AsyncGenerator[list[str], None]:
        key = metadata.tables[kind.table].c[kind.key]
        query = select(key).where(true() if after is None else key > after)
        async for keys in self._keys(query, [key], whole, sql_reader.KEYS):
            yield keys

    def _without_texts(self, kind: RecordKind) -> Select[Any]:
        """Select a kind's columns without terms; on MySQL, with MD5s in place of long texts.

        SQLite has no MD5 function, and its texts are read from the local disk anyway.
        """
        columns = [c for c in metadata.tables[kind.table].c if not c.name.startswith("terms_")]
        if self._db.dialect.name == "sqlite":
            return select(*columns)
        return select(*(func.md5(c).label(c.name) if c.name in LONG_TEXTS else c for c in columns))

    async def _digests_of(
        self, kind: RecordKind, keys: Sequence[str], whole: Select[Any]
    ) -> list[Line]:
        entries = await self._copies_of(kind, keys, whole)
        if self._db.dialect.name == "sqlite":
            return await asyncio.to_thread(lambda: list(map(line_of, entries)))
        return [line_of_row(entry.key, entry.row, entry.parts) for entry in entries]

    async def _copies_of(
        self, kind: RecordKind, keys: Sequence[str], whole: Select[Any]
    ) -> list[Prepared]:
        found = await self._rows_of(whole, metadata.tables[kind.table].c[kind.key], keys)
        entries = [Prepared(kind, r[kind.key], r.get("url", ""), dict(r)) for r in found]
        if kind.parts and entries:
            parts = metadata.tables[kind.parts]
            belonging = {entry.key: entry.parts for entry in entries}
            query = select(parts).where(parts.c[kind.owner].in_(list(belonging)))
            for row in await self._fetch(query.order_by(*parts.primary_key)):
                belonging[row[kind.owner]].append(dict(row))
        return entries

    async def copy(
        self, kind: RecordKind, entries: Sequence[Prepared], held: Collection[str]
    ) -> None:
        """Write records of another database unchanged; ``held`` has the keys of those replaced."""
        await self._in_thread(self._copy, kind, entries)

    def _copy(self, kind: RecordKind, entries: Sequence[Prepared]) -> None:
        results = [self._checked(entry) for entry in entries]
        good = [entry for entry in results if isinstance(entry, Prepared)]
        copied = iter(self._store(good, partial(copy_rows, kind)) if good else ())
        settle([e if isinstance(e, StoreError) else next(copied) for e in results])

    async def begin_many(self, kind: RecordKind) -> None:
        """Postpone work that is faster once for many records than for each."""
        if kind is NUMBERED:
            self._has_postponed = await self._in_thread(self._postpone)

    def _postpone(self) -> bool:
        with translated(self._label), self._db.begin() as connection:
            return search_indexes.postpone(connection)

    async def end_many(self, kind: RecordKind) -> None:
        """Do the postponed work."""
        if kind is NUMBERED and self._has_postponed:
            await self._in_thread(self._create_postponed)
            self._has_postponed = False

    def _create_postponed(self) -> None:
        patient = sql_connections.patient(self._db, self._url)
        with translated(self._label), patient as engine, engine.begin() as connection:
            search_indexes.create_postponed(connection)

    async def count(self, kind: RecordKind) -> int:
        """Return the number of stored records of a kind."""
        query = select(func.count().label("count")).select_from(metadata.tables[kind.table])
        count: int = (await self._fetch(query))[0]["count"]
        return count


def _in_series(table: Table, series: str | None) -> ColumnElement[bool]:
    return true() if series is None else table.c.series == series


def _write_all(connection: Connection, batch: Sequence[Prepared]) -> None:
    for kind, entries in by_kind(batch):
        held = held_rows(connection, kind, {entry.key for entry in entries})
        todo = plan(entries, held)
        keep_revisions(connection, kind, todo, held)
        carry_out(connection, kind, todo, held)
        if kind is DECISIONS:
            mark_quotes(connection, entries)
