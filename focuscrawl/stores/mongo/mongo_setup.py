"""The collections of a MongoDB database: their indexes, and what other programs left in them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pymongo
from pymongo import UpdateOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.items import check_code
from focuscrawl.stores.mongo.mongo_lock import RECORD_LOCKS, alone
from focuscrawl.stores.records.batch_changes import NUMBERED, Row
from focuscrawl.stores.records.numbered_rows import TERMS
from focuscrawl.stores.schema_version import (
    ADDED,
    CONFIDENCE,
    RELEVANCE,
    RENAMED,
    SCHEMA_TABLE,
    SCHEMA_VERSION,
    checked_version,
)

# The schema version of a MongoDB database, and its upgrade by small steps.

_log = logging.getLogger(__name__)
_KEY = {"_id": "version"}
_FIRST = 1
"""The version of databases from before they held one, and of empty ones."""
INDEX_SECONDS = 24 * 3600
"""Longest time for an index over many documents, longer than any other answer may take."""


async def upgrade(database: AsyncDatabase[Row], name: str) -> None:
    """Upgrade a database of an older version; ``name`` is shown in errors.

    Programs that begin at once wait for each other. Each step is marked when it is done, and may be
    repeated: what a killed program left half done is finished by the next one. Raises StoreError
    for a newer version.
    """
    if await _version(database, name) == SCHEMA_VERSION:
        return
    async with alone(database[SCHEMA_TABLE], name):
        # Another program may have been quicker.
        found = await _version(database, name)
        for version in range(found + 1, SCHEMA_VERSION + 1):
            _log.info("%s gets schema version %d", name, version)
            await _STEPS[version](database)
            change = {"$set": {"number": version}}
            await database[SCHEMA_TABLE].update_one(_KEY, change, upsert=True)


async def _version(database: AsyncDatabase[Row], name: str) -> int:
    document = await database[SCHEMA_TABLE].find_one(_KEY)
    return checked_version(document.get("number") if document else _FIRST, name)


async def _index_unfinished_and_topics(database: AsyncDatabase[Row]) -> None:
    """Index the incomplete articles of a site and the pages of a topic, as revision 2 of SQL does."""
    indexes = {
        "articles": "site is_complete published url_md5",
        "pages": "topic is_relevant relevance score key",
    }
    with pymongo.timeout(INDEX_SECONDS):
        for collection, keys in indexes.items():
            await database[collection].create_index([(key, 1) for key in keys.split()])


async def _locate_quotes(database: AsyncDatabase[Row]) -> None:
    """Rename and add the fields of quotes that revision 3 of SQL does."""
    change = {"$rename": RENAMED, "$set": dict.fromkeys(ADDED, "")}
    with pymongo.timeout(INDEX_SECONDS):
        await database["quotes"].update_many({"entity_type": {"$exists": False}}, change)


async def _index_newest_and_keep_histories(database: AsyncDatabase[Row]) -> None:
    """Index the numbered articles by date, as revision 4 of SQL does.

    The collections of the histories are created when they are indexed. The version keeps an older
    program from writing, which would replace articles without their verdicts.
    """
    with pymongo.timeout(INDEX_SECONDS):
        for keys in ("published url_md5", "site published url_md5"):
            await database["numbered_articles"].create_index([(key, 1) for key in keys.split()])


async def _keep_values_and_confidence(database: AsyncDatabase[Row]) -> None:
    """Create the collection of earlier values of template records, and the field of revision 5 of SQL."""
    keys = "record_key replaced_at key"
    await database["record_revisions"].create_index([(key, 1) for key in keys.split()])
    with pymongo.timeout(INDEX_SECONDS):
        missing = {CONFIDENCE: {"$exists": False}}
        await database["quotes"].update_many(missing, {"$set": {CONFIDENCE: None}})


async def _keep_items(database: AsyncDatabase[Row]) -> None:
    """Create the collection of items of one's own, as revision 6 of SQL does."""
    await database["items"].create_index([("crawl", 1), ("key", 1)])


async def _mark_relevance(database: AsyncDatabase[Row]) -> None:
    """Add the field of revision 7 of SQL; numbered articles, also of other programs, may lack it."""
    with pymongo.timeout(INDEX_SECONDS):
        missing = {RELEVANCE: {"$exists": False}}
        await database["articles"].update_many(missing, {"$set": {RELEVANCE: None}})


async def _keep_verdicts(database: AsyncDatabase[Row]) -> None:
    """Create the collection of people's verdicts on pages, as revision 8 of SQL does."""
    await database["page_verdicts"].create_index([("topic", 1), ("key", 1)])


_STEPS: dict[int, Callable[[AsyncDatabase[Row]], Awaitable[None]]] = {
    2: _index_unfinished_and_topics,
    3: _locate_quotes,
    4: _index_newest_and_keep_histories,
    5: _keep_values_and_confidence,
    6: _keep_items,
    7: _mark_relevance,
    8: _keep_verdicts,
}


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
    "page_verdicts": [(["key"], True), (["topic", "key"], False)],
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
