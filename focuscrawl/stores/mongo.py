"""Records in MongoDB, through pymongo's asyncio client."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from datetime import date
from typing import Any

import bson
from bson.errors import BSONError
from pymongo import AsyncMongoClient, ReplaceOne, UpdateOne
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    ArticleSummary,
    KnownArticle,
    MissingNumber,
    NumberedArticle,
    Page,
    Record,
    StoredQuote,
)
from focuscrawl.stores.base import Written
from focuscrawl.stores.canonical import (
    known_article,
    prepare_all,
    stored_article,
    stored_page,
    stored_quote,
    stored_summary,
)
from focuscrawl.stores.mongo_documents import (
    FILES,
    LARGEST,
    document_of,
    from_day,
    move_large_texts,
    numbered_row,
    quote_of,
    row_of,
)
from focuscrawl.stores.mongo_errors import translated
from focuscrawl.stores.mongo_files import LargeTexts
from focuscrawl.stores.mongo_setup import WORTH, set_up
from focuscrawl.stores.numbered import TERMS, stored_missing, stored_numbered
from focuscrawl.stores.plans import NUMBERED, Kind, Plan, Prepared, Row, by_kind, plan, settle

_SELECTION_MS = 5000
_ANSWER_MS = 120_000
# How many documents are read at a time: whole texts are large, all else is small.
_TEXTS, _CHUNK, _NUMBERS = 32, 500, 10_000
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
            self._has_transactions = await set_up(self._database)

    def _connect(self) -> AsyncMongoClient[Row]:
        options: dict[str, Any] = {
            "connectTimeoutMS": _SELECTION_MS,
            "serverSelectionTimeoutMS": _SELECTION_MS,
            "socketTimeoutMS": _ANSWER_MS,
        }
        given = self._url.lower()
        left = {name: value for name, value in options.items() if f"{name.lower()}=" not in given}
        return AsyncMongoClient(self._url, tz_aware=True, w="majority", journal=True, **left)

    async def close(self) -> None:
        """Let go of the connections."""
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
        entry.row = document_of(entry.row)
        entry.parts = [document_of(row) for row in entry.parts]
        try:
            sizes = [move_large_texts(entry), *(len(bson.encode(row)) for row in entry.parts)]
        except (BSONError, OverflowError) as error:
            return StoreError(f"{entry.url} is refused by {self._label}: {error}")
        if max(sizes) > LARGEST:
            return StoreError(
                f"{entry.url} has {max(sizes) / 2**20:.1f} MB, and {self._label} takes at most "
                "16 MB a document; keep it in MySQL or SQLite"
            )
        return entry

    async def _store(self, batch: Sequence[Prepared]) -> None:
        # Files before the documents that name them, and the old ones only after these are gone:
        # whenever the program dies, every document has its files.
        files = LargeTexts(self._db)
        for entry in batch:
            await files.put(entry.files)
        if self._has_transactions:
            client = self._db.client
            async with client.start_session() as session, await session.start_transaction():
                old = await self._carry_out_all(batch, session)
        else:
            old = await self._carry_out_all(batch, None)
        await files.remove(old - {name for entry in batch for name in entry.files})

    async def _carry_out_all(
        self, batch: Sequence[Prepared], session: AsyncClientSession | None
    ) -> set[str]:
        """Write the batch, and return the files that are no longer needed, but for new ones."""
        old: set[str] = set()
        for kind, entries in by_kind(batch):
            held = await self._held(kind, {entry.key for entry in entries}, session)
            todo = plan(entries, held)
            await self._carry_out(kind, todo, held, session)
            old |= {n for key in todo.replaced for n in held.get(key, {}).get(FILES, {}).values()}
        return old

    async def _held(
        self, kind: Kind, keys: set[str], session: AsyncClientSession | None
    ) -> dict[str, Row]:
        where = {kind.key: {"$in": list(keys)}}
        rows = self._collection(kind.table).find(where, [*kind.held, FILES], session=session)
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
        changes = [*_upserts(kind, todo, held), *_updates(kind, todo)]
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
            return [known_article(row_of(document)) async for document in rows]

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""
        return await self._known_where({"site": site, "gone_at": None, "is_complete": False})

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after a day."""
        where: Row = {"site": site, "gone_at": None}
        return await self._known_where(where | from_day("published", since))

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
                    quote_rows = quotes[document["url_md5"]]
                    row = row_of(await self._whole(document))
                    yield stored_article(row, [stored_quote(row) for row in quote_rows])

    async def _quotes_of(self, url_md5s: list[str]) -> dict[str, list[Row]]:
        belonging: dict[str, list[Row]] = defaultdict(list)
        where = {"article_md5": {"$in": url_md5s}}
        with translated(self._label):
            rows = self._collection("quotes").find(where).sort([("article_md5", 1), ("seq", 1)])
            async for document in rows:
                belonging[document["article_md5"]].append(row_of(document))
        return belonging

    async def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone, undated ones first."""
        found = self._collection("quotes").find(from_day("date", since))
        found.sort([("date", 1), ("article_md5", 1), ("seq", 1)])
        async with aclosing(self._chunks(found, _CHUNK)) as chunks:
            async for documents in chunks:
                standing = await self._standing({row["article_md5"] for row in documents})
                for document in documents:
                    if article := standing.get(document["article_md5"]):
                        yield quote_of(document, article)

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
                    yield stored_summary(row_of(document))

    async def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream the pages of a topic, relevant and best ones first."""
        found = self._collection("pages").find({} if topic is None else {"topic": topic})
        found.sort([(name, -1) for name in WORTH]).batch_size(_TEXTS)
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                yield stored_page(row_of(document))

    async def numbered(
        self, series: str | None = None, *, bodies: bool = True
    ) -> AsyncIterator[NumberedArticle]:
        """Stream the numbered articles of a series, by number."""
        left_out = [f"terms_{name}" for name in TERMS] + (
            [] if bodies else ["body_html", "body_text"]
        )
        where = {} if series is None else {"series": series}
        found = self._collection("numbered_articles").find(where, dict.fromkeys(left_out, 0))
        found.sort([("series", 1), ("number", 1), ("url_md5", 1)])
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                row = numbered_row(document)
                yield stored_numbered(row if bodies else row | {"extra": {}})

    async def numbers(self, series: str) -> AsyncIterator[int]:
        """Stream the numbers of a series whose articles are held, ascending."""
        where = {"series": series, "number": {"$type": "number"}}
        found = self._collection("numbered_articles").find(where, {"number": 1, "_id": 0})
        async with aclosing(self._chunks(found.sort("number", 1), _NUMBERS)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield int(document["number"])

    async def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream the numbers of a series that have no article so far, ascending."""
        where = {"series": series, "found_at": None}
        found = self._collection("missing_numbers").find(where).sort("number", 1)
        async with aclosing(self._chunks(found, _CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_missing(row_of(document))

    async def _each(self, cursor: Any) -> AsyncGenerator[Row, None]:
        """Yield whole documents, with no more in memory than the server sends at a time."""
        async with cursor:
            while True:
                with translated(self._label):
                    document = await anext(cursor, None)
                if document is None:
                    return
                yield await self._whole(document)

    async def _whole(self, document: Row) -> Row:
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


def _upserts(kind: Kind, todo: Plan, held: Mapping[str, Row]) -> list[UpdateOne | ReplaceOne[Row]]:
    """Return the changes that put records in the place of what is held, ``first_seen`` left as it is.

    Where a file or a field of its own was, that goes.
    """
    return [
        _replacement(kind, key, entry, held.get(key, {}))
        if kind is NUMBERED
        else _upsert(kind, key, entry)
        for key, entry in todo.replaced.items()
    ]


def _upsert(kind: Kind, key: str, entry: Prepared) -> UpdateOne:
    given = {name: value for name, value in entry.row.items() if name != "first_seen"}
    change: Row = {"$set": given, "$setOnInsert": {"first_seen": entry.row["first_seen"]}}
    if FILES not in given:
        change["$unset"] = {FILES: ""}
    return UpdateOne({kind.key: key}, change, upsert=True)


def _replacement(kind: Kind, key: str, entry: Prepared, before: Row) -> ReplaceOne[Row]:
    first = {"first_seen": before.get("first_seen", entry.row["first_seen"])}
    return ReplaceOne({kind.key: key}, entry.row | first, upsert=True)


def _updates(kind: Kind, todo: Plan) -> list[UpdateOne]:
    return [UpdateOne({kind.key: key}, {"$set": columns}) for key, columns in todo.columns.items()]
