"""Reader of a MongoDB database through pymongo's asyncio client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from pymongo import AsyncMongoClient
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.errors import StoreError
from focuscrawl.stores.database_copies import Line, line_of
from focuscrawl.stores.mongo.mongo_documents import NO_TERMS, copied, plain_row
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.mongo.mongo_files import FILES, LargeTexts
from focuscrawl.stores.mongo.mongo_setup import set_up
from focuscrawl.stores.records.batch_changes import Prepared, RecordKind, Row

_SELECTION_MS = 5000
_ANSWER_MS = 120_000
CHUNK = 500
"""Number of small documents read at a time."""
# Characters of documents copied at a time; a single larger document is copied alone.
_AT_ONCE = 8 * 2**20


class MongoReader:
    """A MongoDB database: the connection, and streams of its records."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._label = _label(url)
        self._database: AsyncDatabase[Row] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_transactions = False

    @property
    def label(self) -> str:
        """The URL without password and options."""
        return self._label

    async def exists(self) -> bool:
        """Return whether the database exists, without creating it."""
        name = _database_name(self._label)
        with translated(self._label):
            async with self._connect() as client:
                return bool(await client.get_database(name).list_collection_names())

    async def open(self) -> None:
        """Connect from the running event loop, and create the indexes."""
        name = _database_name(self._label)
        if self._database is None or self._loop is not asyncio.get_running_loop():
            with translated(self._label):
                self._database = self._connect().get_database(name)
            self._loop = asyncio.get_running_loop()
        with translated(self._label):
            self._has_transactions = await set_up(self._database, self._label)

    def _connect(self) -> AsyncMongoClient[Row]:
        options: dict[str, Any] = {
            "connectTimeoutMS": _SELECTION_MS,
            "serverSelectionTimeoutMS": _SELECTION_MS,
            "socketTimeoutMS": _ANSWER_MS,
        }
        given = self._url.lower()
        left = {name: value for name, value in options.items() if f"{name.lower()}=" not in given}
        # Other programs may store times beyond Python's datetime; these are read as numbers.
        left["datetime_conversion"] = "DATETIME_AUTO"
        return AsyncMongoClient(self._url, tz_aware=True, w="majority", journal=True, **left)

    async def close(self) -> None:
        """Close the connections."""
        database, self._database = self._database, None
        if database is not None:
            await database.client.close()

    @property
    def _db(self) -> AsyncDatabase[Row]:
        if self._database is None:
            raise StoreError(f"{self._label} is not open; call open() first")
        return self._database

    def _collection(self, name: str) -> AsyncCollection[Row]:
        return self._db[name]

    async def copies(
        self, kind: RecordKind, after: str | None = None
    ) -> AsyncGenerator[list[Prepared], None]:
        """Stream the records of a kind with keys after ``after``, by key, unchanged."""
        async with aclosing(self._batches(kind, after, terms=True)) as batches:
            async for batch in batches:
                yield await self._copies(kind, batch, terms=True)

    async def digests(
        self, kind: RecordKind, after: str | None = None
    ) -> AsyncGenerator[list[Line], None]:
        """Stream the keys and MD5s of the records of a kind."""
        async with aclosing(self._batches(kind, after, terms=False)) as batches:
            async for batch in batches:
                yield await self._digests(kind, batch)

    async def digests_of(self, kind: RecordKind, keys: Sequence[str]) -> list[Line]:
        """Return the keys and MD5s of the stored ones of the given records."""
        found = self._collection(kind.table).find({kind.key: {"$in": list(keys)}}, NO_TERMS)
        async with aclosing(self._each(found)) as documents:
            return await self._digests(kind, [document async for document in documents])

    async def _batches(
        self, kind: RecordKind, after: str | None, *, terms: bool
    ) -> AsyncGenerator[list[Row], None]:
        where: Row = {} if after is None else {kind.key: {"$gt": after}}
        found = self._collection(kind.table).find(where, None if terms else NO_TERMS)
        found.sort(kind.key, 1).batch_size(CHUNK)
        batch: list[Row] = []
        size = 0
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                batch.append(document)
                size += sum(len(value) for value in document.values() if isinstance(value, str))
                if size > _AT_ONCE or len(batch) == CHUNK:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch

    async def _digests(self, kind: RecordKind, documents: Sequence[Row]) -> list[Line]:
        entries = await self._copies(kind, documents, terms=False)
        return await asyncio.to_thread(lambda: list(map(line_of, entries)))

    async def _copies(
        self, kind: RecordKind, documents: Sequence[Row], *, terms: bool
    ) -> list[Prepared]:
        entries = await asyncio.to_thread(copied, kind, documents, terms=terms)
        if kind.parts and entries:
            belonging = {entry.key: entry.parts for entry in entries}
            where = {kind.owner: {"$in": list(belonging)}}
            with translated(self._label):
                found = self._collection(kind.parts).find(where, {"_id": 0})
                async for document in found.sort([(kind.owner, 1), ("seq", 1)]):
                    belonging[document[kind.owner]].append(plain_row(kind.parts, document))
        return entries

    async def count(self, kind: RecordKind) -> int:
        """Return the number of stored records of a kind."""
        with translated(self._label):
            return await self._collection(kind.table).count_documents({})

    async def _each(self, cursor: Any) -> AsyncGenerator[Row, None]:
        """Yield whole documents, with one batch of the server in memory at a time."""
        async with cursor:
            while True:
                with translated(self._label):
                    document = await anext(cursor, None)
                if document is None:
                    return
                yield await self._whole(document)

    async def _whole(self, document: Row) -> Row:
        if FILES not in document:
            return document
        with translated(self._label):
            return await LargeTexts(self._db).whole(document)

    async def _chunks(self, cursor: Any, size: int) -> AsyncGenerator[list[Row], None]:
        async with cursor:
            while True:
                with translated(self._label):
                    chunk = await cursor.to_list(size)
                if not chunk:
                    return
                yield chunk


def _label(url: str) -> str:
    scheme, _, rest = url.partition("://")
    credentials, at, place = rest.rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}://{user}{at}{place.partition('?')[0]}"


def _database_name(label: str) -> str:
    name = label.partition("://")[2].partition("/")[2]
    if not name:
        raise StoreError(f"{label} names no database; add one: {label.rstrip('/')}/focuscrawl")
    return name
