"""Histories in a SQL database: earlier versions of articles and records, verdicts on prices, runs of crawls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Literal

from sqlalchemy import Table, select

from focuscrawl.errors import StoreError
from focuscrawl.items import CrawlRun, PriceDecision
from focuscrawl.stored_records import ArticleRevision, RecordRevision
from focuscrawl.stores.records.article_revisions import stored_revision
from focuscrawl.stores.records.canonical_records import stored_decision
from focuscrawl.stores.records.record_revisions import stored_record_revision
from focuscrawl.stores.records.run_rows import run_row, stored_run
from focuscrawl.stores.sql import sql_connections, sql_reader
from focuscrawl.stores.sql.row_sizes import sent_size
from focuscrawl.stores.sql.sql_changes import upsert
from focuscrawl.stores.sql.sql_errors import BadDataError, too_large, translated
from focuscrawl.stores.sql.sql_reader import Rows, SQLReader
from focuscrawl.stores.sql.sql_tables import (
    article_revisions,
    crawl_runs,
    price_decisions,
    record_revisions,
)
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written


class SQLHistory(SQLReader):
    """The histories of a SQL database."""

    async def revisions(self, url_md5s: Sequence[str]) -> list[ArticleRevision]:
        """Return the earlier versions of articles, by article and time."""
        order = [article_revisions.c[name] for name in ("article_md5", "replaced_at", "key")]
        query = select(article_revisions).order_by(*order)
        found: Rows = []
        for start in range(0, len(url_md5s), sql_reader.KEYS):
            part = url_md5s[start : start + sql_reader.KEYS]
            found += await self._fetch(query.where(article_revisions.c.article_md5.in_(part)))
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
        query = select(price_decisions)
        async for rows in self._paged(query, [price_decisions.c.key], sql_reader.SMALL):
            for row in rows:
                yield stored_decision(row)

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
