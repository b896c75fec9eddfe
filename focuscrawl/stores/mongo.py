"""Articles and quotes in MongoDB, through pymongo's asyncio client."""

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
from focuscrawl.items import Article, ArticleSummary, KnownArticle, Record, StoredQuote
from focuscrawl.stores.base import Outcome, Written
from focuscrawl.stores.canonical import (
    HELD,
    Plan,
    Prepared,
    Row,
    known_article,
    plan,
    prepare_all,
    settle,
    stored_article,
    stored_quote,
    stored_summary,
    tidy,
)
from focuscrawl.stores.mongo_errors import translated

_SELECTION_MS = 5000
_ANSWER_MS = 120_000
# A document may have 16 MiB; the statement around it needs a little of them.
_LARGEST_DOCUMENT = 16 * 2**20 - 2**14
_DAYS = {"date", "published"}
_CHUNK = 500
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
        with translated(self._label):
            stored = iter(await self._store(good) if good else ())
        return settle([e if isinstance(e, StoreError) else next(stored) for e in results])

    def _encode_all(self, records: Sequence[Record]) -> list[Prepared | StoreError]:
        entries = prepare_all(records)
        return [e if isinstance(e, StoreError) else self._encode(e) for e in entries]

    def _encode(self, entry: Prepared) -> Prepared | StoreError:
        if entry.article:
            entry.article = _document(entry.article)
            entry.quotes = [_document(row) for row in entry.quotes]
        try:
            sizes = [len(bson.encode(row)) for row in (entry.article, *entry.quotes)]
        except (BSONError, OverflowError) as error:
            return StoreError(f"{entry.url} is refused by {self._label}: {error}")
        if max(sizes) > _LARGEST_DOCUMENT:
            return StoreError(
                f"{entry.url} has {max(sizes) / 2**20:.1f} MB, and {self._label} takes at most "
                "16 MB a document; keep it in MySQL or SQLite"
            )
        return entry

    async def _store(self, batch: Sequence[Prepared]) -> list[Outcome]:
        if not self._has_transactions:
            return await self._carry_out(batch, None)
        client = self._collection("articles").database.client
        async with client.start_session() as session, await session.start_transaction():
            return await self._carry_out(batch, session)

    async def _carry_out(
        self, batch: Sequence[Prepared], session: AsyncClientSession | None
    ) -> list[Outcome]:
        held = await self._held({entry.url_md5 for entry in batch}, session)
        todo = plan(batch, held)
        if todo.articles:
            await self._replace_quotes(todo, [md5 for md5 in todo.articles if md5 in held], session)
        changes = [*_upserts(todo), *_updates(todo)]
        if changes:
            await self._collection("articles").bulk_write(changes, session=session)
        return todo.outcomes

    async def _held(self, url_md5s: set[str], session: AsyncClientSession | None) -> dict[str, Row]:
        where = {"url_md5": {"$in": list(url_md5s)}}
        rows = self._collection("articles").find(where, HELD, session=session)
        return {row["url_md5"]: row async for row in rows}

    async def _replace_quotes(
        self, todo: Plan, held: list[str], session: AsyncClientSession | None
    ) -> None:
        if held and session is None:
            where = {"url_md5": {"$in": held}}
            await self._collection("articles").update_many(where, {"$set": _HALF_WRITTEN})
        collection = self._collection("quotes")
        await collection.delete_many({"article_md5": {"$in": [*todo.articles]}}, session=session)
        rows = [row for entry in todo.articles.values() for row in entry.quotes]
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
        found = self._collection("articles").find().sort("url_md5", 1).batch_size(32)
        async with aclosing(self._chunks(found, 32)) as chunks:
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
        found.sort([("published", 1), ("url_md5", 1)])
        async with aclosing(self._chunks(found, _CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_summary(_row(document))

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


def _upserts(todo: Plan) -> list[UpdateOne]:
    changes = []
    for url_md5, entry in todo.articles.items():
        given = {name: value for name, value in entry.article.items() if name != "first_seen"}
        first = {"first_seen": entry.article["first_seen"]}
        change = {"$set": given, "$setOnInsert": first}
        changes.append(UpdateOne({"url_md5": url_md5}, change, upsert=True))
    return changes


def _updates(todo: Plan) -> list[UpdateOne]:
    return [
        UpdateOne({"url_md5": url_md5}, {"$set": columns})
        for url_md5, columns in todo.columns.items()
    ]


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
