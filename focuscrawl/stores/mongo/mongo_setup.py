"""The collections of a MongoDB database: their indexes, and what other programs left in them."""

from __future__ import annotations

from typing import Any

import pymongo
from pymongo import UpdateOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.items import check_code
from focuscrawl.stores.mongo.mongo_lock import RECORD_LOCKS
from focuscrawl.stores.mongo.mongo_upgrade import INDEX_SECONDS, upgrade
from focuscrawl.stores.records.batch_changes import NUMBERED, Row
from focuscrawl.stores.records.numbered_rows import TERMS

WORTH = ["is_relevant", "relevance", "score", "key"]
"""By what pages are ordered."""
_INDEXES: dict[str, list[tuple[list[str], bool]]] = {
    "articles": [
        (["url_md5"], True),
        (["site", "published"], False),
        (["published", "url_md5"], False),
        (["site", "is_complete", "published", "url_md5"], False),
    ],
    "quotes": [
        (["article_md5", "seq"], True),
        (["date", "article_md5", "seq"], False),
        (["entity"], False),
    ],
    "article_revisions": [(["key"], True), (["article_md5", "replaced_at", "key"], False)],
    "pages": [(["key"], True), (WORTH, False), (["topic", *WORTH], False)],
    "numbered_articles": [
        (["url_md5"], True),
        (["series", "number", "url_md5"], False),
        (["published", "url_md5"], False),
        (["site", "published", "url_md5"], False),
    ],
    "missing_numbers": [(["url_md5"], True), (["series", "number"], False)],
    "template_records": [(["key"], True), (["crawl", "key"], False)],
    "record_revisions": [(["key"], True), (["record_key", "replaced_at", "key"], False)],
    "seeds": [(["key"], True), (["crawl", "query", "rank"], False)],
    "price_decisions": [(["key"], True), (["article_md5"], False)],
    "items": [(["key"], True), (["crawl", "key"], False)],
    "crawl_runs": [
        (["key"], True),
        (["began_at", "key"], False),
        (["crawl", "began_at", "key"], False),
    ],
    "crawl_state": [(["key"], True)],
}
_TOGETHER = 1000


async def set_up(database: AsyncDatabase[Row], name: str) -> bool:
    """Create what is missing, upgrade what is older; return whether the server has transactions.

    ``name`` is shown in errors. Raises StoreError for a database of a newer version.
    """
    hello = await database.client.admin.command("hello")
    await upgrade(database, name)
    await _adopt(database[NUMBERED.table])
    for collection, indexes in _INDEXES.items():
        for keys, is_unique in indexes:
            await database[collection].create_index([(k, 1) for k in keys], unique=is_unique)
    # What a killed writer leaves holds nobody up after some seconds; it need not stay for ever either.
    await database[RECORD_LOCKS].create_index("until", expireAfterSeconds=3600)
    await _make_searchable(database[NUMBERED.table])
    return "setName" in hello or hello.get("msg") == "isdbgrid"


async def _make_searchable(collection: AsyncCollection[Row]) -> None:
    with pymongo.timeout(INDEX_SECONDS):
        await collection.create_index(
            [(f"terms_{name}", "text") for name in TERMS],
            name="numbered_search",
            default_language="none",
            # Or a field `language` that another program wrote would choose stop words and stems.
            language_override="numbered_search_language",
        )


async def _adopt(collection: AsyncCollection[Row]) -> None:
    """Give articles that another program wrote the key that ours have; nothing else is touched."""
    if await collection.find_one({"url_md5": None}, {"_id": 1}) is None:
        return
    # Or each look whether a key is taken would go through the whole collection.
    helper = await collection.create_index([("url_md5", 1), ("_id", 1)])
    await _give_keys(collection)
    await collection.drop_index(helper)


async def _give_keys(collection: AsyncCollection[Row]) -> None:
    changes: list[UpdateOne] = []
    keys: set[str] = set()
    async for document in collection.find({"url_md5": None}, {"url": 1}):
        key = await _free_key(collection, document, keys)
        keys.add(key)
        changes.append(UpdateOne({"_id": document["_id"]}, {"$set": {"url_md5": key}}))
        if len(changes) == _TOGETHER:
            await collection.bulk_write(changes)
            changes = []
    if changes:
        await collection.bulk_write(changes)


async def _free_key(collection: AsyncCollection[Row], document: Row, taken: set[str]) -> str:
    url: Any = document.get("url")
    key = check_code(url) if isinstance(url, str) else ""
    is_taken = key in taken or await collection.find_one({"url_md5": key}, {"_id": 1}) is not None
    # None may be lost: one of several with the same URL, or without any, is known by its id.
    return check_code(f"{url} {document['_id']}") if not key or is_taken else key
