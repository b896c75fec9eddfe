"""The schema version of a MongoDB database, and its upgrade by small steps."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import pymongo
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.stores.mongo.mongo_lock import alone
from focuscrawl.stores.records.batch_changes import Row
from focuscrawl.stores.records.quote_field_names import ADDED, CONFIDENCE, RENAMED
from focuscrawl.stores.schema_version import SCHEMA_TABLE, SCHEMA_VERSION, checked_version

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


_STEPS: dict[int, Callable[[AsyncDatabase[Row]], Awaitable[None]]] = {
    2: _index_unfinished_and_topics,
    3: _locate_quotes,
    4: _index_newest_and_keep_histories,
    5: _keep_values_and_confidence,
    6: _keep_items,
}
