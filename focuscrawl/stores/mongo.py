"""Records in MongoDB, through pymongo's asyncio client."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import bson
from bson.decimal128 import Decimal128
from bson.errors import BSONError
from pymongo import AsyncMongoClient, UpdateOne
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.errors import StoreError
from focuscrawl.items import Article, ArticleSummary, KnownArticle, Page, Record, StoredQuote
from focuscrawl.stores.base import Written
from focuscrawl.stores.canonical import (
    known_article,
    prepare_all,
    stored_article,
    stored_page,
    stored_quote,
    stored_summary,
    tidy,
)
from focuscrawl.stores.mongo_errors import translated
from focuscrawl.stores.plans import Kind, Plan, Prepared, Row, by_kind, plan, settle

_SELECTION_MS = 5000
_ANSWER_MS = 120_000
# A document may have 16 MiB; the statement around it needs a little of them.
_LARGEST_DOCUMENT = 16 * 2**20 - 2**14
_DAYS = {"date", "published"}
# How many documents are read at a time: whole texts are large, all else is small.
_TEXTS, _CHUNK = 32, 500
_WORTH = ["is_relevant", "relevance", "score", "key"]
_INDEXES: dict[str, list[tuple[list[str], bool]]] = {
    "articles": [
        (["url_md5"], True),
        (["site", "published"], False),
        (["published", "url_md5"], False),
    ],
    "quotes": [
        (["article_md5", "seq"], True),
        (["date", "article_md5", "seq"], False),
        (["entity"], False),
    ],
    "pages": [(["key"], True), (_WORTH, False)],
    "crawl_state": [(["key"], True)],
}
# What an article looks like while its quotes are replaced: should the program die then, the
# article is asked for again without conditions, and whatever comes differs from what is held.
_HALF_WRITTEN = {
    "record_md5": "",
    "content_md5": "",
    "stamp": "",
    "is_complete": False,
    "validators": [],
}


class MongoStore:
    """A :class:`~focuscrawl.stores.base.Store` in MongoDB.

    A replica set writes a batch in one transaction. A single server has none, so quotes are
    written before their article: it counts as known only when all its quotes are there.
    """

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

    async def open(self) -> None:
        """Connect from the running event loop, and create the indexes."""
        name = _database_name(self._label)
        if self._database is None or self._loop is not asyncio.get_running_loop():
            with translated(self._label):
                self._database = self._connect().get_database(name)
            self._loop = asyncio.get_running_loop()
        with translated(self._label):
            await self._set_up(self._database)

    def _connect(self) -> AsyncMongoClient[Row]:
        options: dict[str, Any] = {
            "connectTimeoutMS": _SELECTION_MS,
            "serverSelectionTimeoutMS": _SELECTION_MS,
            "socketTimeoutMS": _ANSWER_MS,
        }
        given = self._url.lower()
        left = {name: value for name, value in options.items() if f"{name.lower()}=" not in given}
        return AsyncMongoClient(self._url, tz_aware=True, w="majority", journal=True, **left)

    async def _set_up(self, database: AsyncDatabase[Row]) -> None:
        hello = await database.client.admin.command("hello")
        self._has_transactions = "setName" in hello or hello.get("msg") == "isdbgrid"
        for collection, indexes in _INDEXES.items():
            for keys, is_unique in indexes:
                await database[collection].create_index([(k, 1) for k in keys], unique=is_unique)

    async def close(self) -> None:
        """Let go of the connections."""
        database, self._database = self._database, None
        if database is not None:
            await database.client.close()

    def _collection(self, name: str) -> AsyncCollection[Row]:
        if self._database is None:
            raise StoreError(f"{self._label} is not open; call open() first")
        return self._database[name]

    async def write(self, records: Sequence[Record]) -> Written:
        """Upsert the records; a repeat changes nothing, and mends what a crash left half done."""
        results = await asyncio.to_thread(self._encode_all, list(records))
        good = [entry for entry in results if isinstance(entry, Prepared)]
        if good:
            with translated(self._label):
                await self._store(good)
        return settle(results)

    def _encode_all(self, records: Sequence[Record]) -> list[Prepared | StoreError]:
        entries = prepare_all(records)
        return [e if isinstance(e, StoreError) else self._encode(e) for e in entries]

    def _encode(self, entry: Prepared) -> Prepared | StoreError:
        entry.row = _document(entry.row)
        entry.parts = [_document(row) for row in entry.parts]
        try:
            sizes = [len(bson.encode(row)) for row in (entry.row, *entry.parts)]
        except (BSONError, OverflowError) as error:
            return StoreError(f"{entry.url} is refused by {self._label}: {error}")
        if max(sizes) > _LARGEST_DOCUMENT:
            return StoreError(
                f"{entry.url} has {max(sizes) / 2**20:.1f} MB, and {self._label} takes at most "
                "16 MB a document; keep it in MySQL or SQLite"
            )
        return entry

    async def _store(self, batch: Sequence[Prepared]) -> None:
        if not self._has_transactions:
            await self._carry_out_all(batch, None)
            return
        client = self._collection("articles").database.client
        async with client.start_session() as session, await session.start_transaction():
            await self._carry_out_all(batch, session)

    async def _carry_out_all(
        self, batch: Sequence[Prepared], session: AsyncClientSession | None
    ) -> None:
        for kind, entries in by_kind(batch):
            held = await self._held(kind, {entry.key for entry in entries}, session)
            await self._carry_out(kind, plan(entries, held), held, session)

    async def _held(
        self, kind: Kind, keys: set[str], session: AsyncClientSession | None
    ) -> dict[str, Row]:
        where = {kind.key: {"$in": list(keys)}}
        rows = self._collection(kind.table).find(where, kind.held, session=session)
        return {row[kind.key]: row async for row in rows}

    async def _carry_out(
        self,
        kind: Kind,
        todo: Plan,
        held: Mapping[str, Row],
        session: AsyncClientSession | None,
    ) -> None:
        if todo.replaced and kind.parts:
            old = [key for key in todo.replaced if key in held]
            await self._replace_parts(kind, todo, old, session)
        changes = [*_upserts(kind, todo), *_updates(kind, todo)]
        if changes:
            await self._collection(kind.table).bulk_write(changes, session=session)

    async def _replace_parts(
        self, kind: Kind, todo: Plan, held: list[str], session: AsyncClientSession | None
    ) -> None:
        if held and session is None:
            where = {kind.key: {"$in": held}}
            await self._collection(kind.table).update_many(where, {"$set": _HALF_WRITTEN})
        collection = self._collection(kind.parts)
        await collection.delete_many({kind.owner: {"$in": [*todo.replaced]}}, session=session)
        rows = [row for entry in todo.replaced.values() for row in entry.parts]
        if rows:
            await collection.insert_many(rows, ordered=False, session=session)

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return what is held of the given articles, keyed by MD5."""
        found: dict[str, KnownArticle] = {}
        for start in range(0, len(url_md5s), _CHUNK):
            where = {"url_md5": {"$in": list(url_md5s[start : start + _CHUNK])}}
            found |= {entry.url_md5: entry for entry in await self._known_where(where)}
        return found

    async def _known_where(self, where: Mapping[str, Any]) -> list[KnownArticle]:
        with translated(self._label):
            rows = self._collection("articles").find(where, {"text": 0})
            rows.sort([("published", 1), ("url_md5", 1)])
            return [known_article(_row(document)) async for document in rows]

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""
        return await self._known_where({"site": site, "gone_at": None, "is_complete": False})

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after a day."""
        where: Row = {"site": site, "gone_at": None}
        return await self._known_where(where | _from_day("published", since))

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object kept under ``key``, or None."""
        with translated(self._label):
            document = await self._collection("crawl_state").find_one({"key": key})
        state: dict[str, Any] | None = document and json.loads(document["value"])
        return state

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Keep a JSON object under ``key``."""
        # As text, for a key of a document may not be just any text.
        change = {"$set": {"value": json.dumps(value)}}
        with translated(self._label):
            await self._collection("crawl_state").update_one({"key": key}, change, upsert=True)

    async def articles(self) -> AsyncIterator[Article]:
        """Stream all articles with text and quotes, ordered by URL MD5."""
        found = self._collection("articles").find().sort("url_md5", 1).batch_size(_TEXTS)
        async with aclosing(self._chunks(found, _TEXTS)) as chunks:
            async for documents in chunks:
                quotes = await self._quotes_of([document["url_md5"] for document in documents])
                for document in documents:
                    rows = quotes[document["url_md5"]]
                    yield stored_article(_row(document), [stored_quote(row) for row in rows])

    async def _quotes_of(self, url_md5s: list[str]) -> dict[str, list[Row]]:
        belonging: dict[str, list[Row]] = defaultdict(list)
        where = {"article_md5": {"$in": url_md5s}}
        with translated(self._label):
            rows = self._collection("quotes").find(where).sort([("article_md5", 1), ("seq", 1)])
            async for document in rows:
                belonging[document["article_md5"]].append(_row(document))
        return belonging

    async def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone, undated ones first."""
        found = self._collection("quotes").find(_from_day("date", since))
        found.sort([("date", 1), ("article_md5", 1), ("seq", 1)])
        async with aclosing(self._chunks(found, _CHUNK)) as chunks:
            async for documents in chunks:
                standing = await self._standing({row["article_md5"] for row in documents})
                for document in documents:
                    if article := standing.get(document["article_md5"]):
                        yield _stored_quote(document, article)

    async def _standing(self, url_md5s: set[str]) -> dict[str, Row]:
        where = {"url_md5": {"$in": list(url_md5s)}, "gone_at": None}
        names = {"url_md5": 1, "url": 1, "title": 1, "site": 1}
        with translated(self._label):
            rows = self._collection("articles").find(where, names)
            return {row["url_md5"]: row async for row in rows}

    async def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream all articles without text, ordered by published date, URL MD5."""
        found = self._collection("articles").find({}, {"text": 0})
        async for row in self._rows(found.sort([("published", 1), ("url_md5", 1)]), _CHUNK):
            yield stored_summary(row)

    async def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream the pages of a topic, relevant and best ones first."""
        found = self._collection("pages").find({} if topic is None else {"topic": topic})
        found.sort([(name, -1) for name in _WORTH]).batch_size(_TEXTS)
        async for row in self._rows(found, _TEXTS):
            yield stored_page(row)

    async def _rows(self, cursor: Any, size: int) -> AsyncIterator[Row]:
        async with aclosing(self._chunks(cursor, size)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield _row(document)

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


def _upserts(kind: Kind, todo: Plan) -> list[UpdateOne]:
    changes = []
    for key, entry in todo.replaced.items():
        given = {name: value for name, value in entry.row.items() if name != "first_seen"}
        first = {"first_seen": entry.row["first_seen"]}
        change = {"$set": given, "$setOnInsert": first}
        changes.append(UpdateOne({kind.key: key}, change, upsert=True))
    return changes


def _updates(kind: Kind, todo: Plan) -> list[UpdateOne]:
    return [UpdateOne({kind.key: key}, {"$set": columns}) for key, columns in todo.columns.items()]


def _from_day(name: str, since: date | None) -> Row:
    return {name: {"$gte": _midnight(since)}} if since else {}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def _document(row: Row) -> Row:
    """Bring a row into types that MongoDB has: decimals, days as midnight UTC, no free keys."""
    document: Row = {}
    for name, value in row.items():
        if name == "validators":
            document[name] = [{"url": url, "values": values} for url, values in value.items()]
        elif isinstance(value, Decimal):
            document[name] = Decimal128(value)
        else:
            document[name] = _midnight(value) if name in _DAYS and value else value
    return document


def _row(document: Row) -> Row:
    """Undo :func:`_document`."""
    row: Row = {}
    for name, value in document.items():
        if name == "validators":
            row[name] = {entry["url"]: entry["values"] for entry in value}
        elif isinstance(value, Decimal128):
            row[name] = tidy(value.to_decimal())
        elif isinstance(value, datetime):
            row[name] = value.date() if name in _DAYS else value.astimezone(UTC)
        else:
            row[name] = value
    return row


def _stored_quote(document: Row, article: Row) -> StoredQuote:
    return StoredQuote(
        quote=stored_quote(_row(document)),
        article_url=article["url"],
        article_title=article["title"],
        site=article["site"],
    )
