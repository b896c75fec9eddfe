"""Histories in a MongoDB database: earlier versions of articles and records, verdicts on prices, runs of crawls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

from focuscrawl.items import CrawlRun, PriceDecision
from focuscrawl.stored_records import ArticleRevision, RecordRevision
from focuscrawl.stores.mongo.mongo_documents import row_of
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.mongo.mongo_reader import CHUNK, MongoReader
from focuscrawl.stores.records.article_revisions import stored_revision
from focuscrawl.stores.records.batch_changes import DECISIONS, RECORD_REVISIONS, REVISIONS, RUNS
from focuscrawl.stores.records.canonical_records import stored_decision
from focuscrawl.stores.records.record_revisions import stored_record_revision
from focuscrawl.stores.records.run_rows import run_row, stored_run
from focuscrawl.stores.store_protocol import RunTime


class MongoHistory(MongoReader):
    """The histories of a MongoDB database."""

    async def revisions(self, url_md5s: Sequence[str]) -> list[ArticleRevision]:
        """Return the earlier versions of articles, by article and time."""
        found = self._collection(REVISIONS.table).find({"article_md5": {"$in": list(url_md5s)}})
        found.sort([("article_md5", 1), ("replaced_at", 1), ("key", 1)])
        with translated(self._label):
            return [stored_revision(row_of(document)) async for document in found]

    async def revised(self) -> list[str]:
        """Return the MD5s of the articles with earlier versions."""
        with translated(self._label):
            return sorted(await self._collection(REVISIONS.table).distinct("article_md5"))

    async def record_revisions(self, record_key: str) -> list[RecordRevision]:
        """Return the earlier values of a template record, by time."""
        found = self._collection(RECORD_REVISIONS.table).find({"record_key": record_key})
        found.sort([("replaced_at", 1), ("key", 1)])
        with translated(self._label):
            return [stored_record_revision(row_of(document)) async for document in found]

    async def decisions(self) -> AsyncIterator[PriceDecision]:
        """Stream the verdicts on prices, by key."""
        found = self._collection(DECISIONS.table).find().sort("key", 1)
        async with aclosing(self._chunks(found, CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_decision(row_of(document))

    async def write_run(self, run: CrawlRun) -> None:
        """Write a run of a crawl, replacing what was written of it before."""
        with translated(self._label):
            await self._collection(RUNS.table).replace_one(
                {"key": run.key}, run_row(run), upsert=True
            )

    async def runs(
        self, crawl: str | None = None, limit: int = 100, by: RunTime = "began_at"
    ) -> list[CrawlRun]:
        """Return the newest runs of a crawl (of all if None), newest first."""
        found = self._collection(RUNS.table).find({} if crawl is None else {"crawl": crawl})
        found.sort([(by, -1), ("key", -1)]).limit(limit)
        with translated(self._label):
            return [stored_run(row_of(document)) async for document in found]

    async def run(self, key: str) -> CrawlRun | None:
        """Return a run, None if there is none with this key."""
        with translated(self._label):
            document = await self._collection(RUNS.table).find_one({"key": key})
        return stored_run(row_of(document)) if document else None
