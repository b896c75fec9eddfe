"""Earlier versions in a MongoDB database, kept before what replaces them is written."""

from __future__ import annotations

from collections.abc import Mapping

from pymongo import ReplaceOne
from pymongo.asynchronous.client_session import AsyncClientSession

from focuscrawl.stores.mongo.mongo_documents import document_of, row_of
from focuscrawl.stores.mongo.mongo_lookup import MongoLookup
from focuscrawl.stores.records.article_revisions import prepare_revision, revised_keys
from focuscrawl.stores.records.batch_changes import (
    ARTICLES,
    RECORD_REVISIONS,
    RECORDS,
    REVISIONS,
    Kind,
    Plan,
    Prepared,
    Row,
)
from focuscrawl.stores.records.record_revisions import record_revisions_of, surplus


class MongoRevisions(MongoLookup):
    """A MongoDB database that keeps what a plan replaces: versions of articles, values of records."""

    async def _keep_revisions(
        self, kind: Kind, todo: Plan, held: Mapping[str, Row], session: AsyncClientSession | None
    ) -> None:
        if kind is ARTICLES:
            await self._keep_articles(todo, held, session)
        if kind is RECORDS:
            await self._keep_values(todo, held, session)

    async def _keep_articles(
        self, todo: Plan, held: Mapping[str, Row], session: AsyncClientSession | None
    ) -> None:
        keys = revised_keys(todo, held)
        if not keys:
            return
        quotes = await self._quotes_of(keys)
        found = self._collection("articles").find({"url_md5": {"$in": keys}}, session=session)
        versions: list[Prepared] = []
        async for document in found:
            row = row_of(await self._whole(document))
            key = row["url_md5"]
            if version := prepare_revision(row, quotes[key], todo.replaced[key].row):
                versions.append(version)
        await self._put(REVISIONS, versions, session)

    async def _keep_values(
        self, todo: Plan, held: Mapping[str, Row], session: AsyncClientSession | None
    ) -> None:
        collection = self._collection(RECORD_REVISIONS.table)
        if todo.erased:
            of_erased = {"record_key": {"$in": sorted(todo.erased)}}
            await collection.delete_many(of_erased, session=session)
        revisions = record_revisions_of(todo, {key: row_of(row) for key, row in held.items()})
        if not revisions:
            return
        await self._put(RECORD_REVISIONS, revisions, session)
        of_records = {"record_key": {"$in": [entry.row["record_key"] for entry in revisions]}}
        found = collection.find(of_records, ["key", "record_key"], session=session)
        newest_first = found.sort([("replaced_at", -1), ("key", -1)])
        if keys := surplus([row async for row in newest_first]):
            await collection.delete_many({"key": {"$in": keys}}, session=session)

    async def _put(
        self, kind: Kind, entries: list[Prepared], session: AsyncClientSession | None
    ) -> None:
        changes = [
            ReplaceOne({kind.key: entry.key}, document_of(entry.row), upsert=True)
            for entry in entries
        ]
        if changes:
            await self._collection(kind.table).bulk_write(changes, session=session)
