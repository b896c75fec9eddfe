"""Locks in a MongoDB database, which a program holds while it upgrades it or writes records; others wait.

A lock is a lease by the server's clock: of a program that is killed it ends by itself.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any

from pymongo import UpdateOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import BulkWriteError, DuplicateKeyError, PyMongoError
from pymongo.write_concern import WriteConcern

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.records.batch_changes import Row
from focuscrawl.stores.schema_version import UPGRADE_SECONDS
from focuscrawl.system.retry_with_backoff import retry_async

_log = logging.getLogger(__name__)
RECORD_LOCKS = "record_locks"
"""The collection with the locks of records that are being written."""
_UPGRADE = "lock"
_LEASE_SECONDS = 10
_RECORD_SECONDS = 30
_PAUSE_SECONDS = 0.2
_DUPLICATE_KEY = 11000


@asynccontextmanager
async def alone(collection: AsyncCollection[Row], name: str) -> AsyncIterator[None]:
    """Hold the lock of upgrades that is kept in a collection; ``name`` is shown in errors.

    Raises StoreUnavailableError if another program holds it for longer than ``UPGRADE_SECONDS``.
    """
    async with _held(collection, [_UPGRADE], name, "upgrading it", UPGRADE_SECONDS):
        yield


@asynccontextmanager
async def records_locked(
    database: AsyncDatabase[Row], keys: Collection[str], name: str
) -> AsyncIterator[None]:
    """Hold the locks of records while they are read and written, all of them or none.

    Without transactions, two writers of an article could mix their quotes, and both could take a
    record for new. Raises StoreUnavailableError if other programs hold one for too long.
    """
    # What a crash of the server may take away ends by itself anyway.
    quick = database.get_collection(RECORD_LOCKS, write_concern=WriteConcern(w=1, j=False))
    work = "writing the same records"
    async with _held(quick, sorted(keys), name, work, _RECORD_SECONDS):
        yield


@asynccontextmanager
async def _held(
    collection: AsyncCollection[Row], keys: list[str], name: str, work: str, seconds: float
) -> AsyncIterator[None]:
    owner = uuid.uuid4().hex

    async def take() -> None:
        if not await _take(collection, keys, owner):
            raise StoreUnavailableError(f"{name}: another program is still {work}; try again later")

    await retry_async(
        take,
        StoreUnavailableError,
        seconds,
        lambda _: _log.info("%s: waiting for another program that is %s", name, work),
        longest_pause=_PAUSE_SECONDS,
    )
    renewal = asyncio.create_task(_renew(collection, keys, owner))
    try:
        yield
    finally:
        renewal.cancel()
        # What was written is written, and a lock that stays ends by itself.
        with suppress(PyMongoError):
            await _release(collection, keys, owner)


async def _take(collection: AsyncCollection[Row], keys: list[str], owner: str) -> bool:
    # An upsert, for the server's clock is not allowed in an insert.
    lease = _lease(owner)
    changes = [UpdateOne({"_id": key, "owner": owner}, lease, upsert=True) for key in keys]
    try:
        await collection.bulk_write(changes)
    except (BulkWriteError, DuplicateKeyError) as error:
        codes = {entry["code"] for entry in (error.details or {}).get("writeErrors", ())}
        if codes - {_DUPLICATE_KEY}:
            raise
        # What is held while waiting could be what the other program waits for.
        await _release(collection, keys, owner)
        is_over = {"$expr": {"$lt": ["$until", "$$NOW"]}}
        await collection.delete_many({"_id": {"$in": keys}} | is_over)
        return False
    return True


async def _release(collection: AsyncCollection[Row], keys: list[str], owner: str) -> None:
    await collection.delete_many({"_id": {"$in": keys}, "owner": owner})


async def _renew(collection: AsyncCollection[Row], keys: list[str], owner: str) -> None:
    while True:
        await asyncio.sleep(_LEASE_SECONDS / 3)
        # The work itself fails where the server is gone for long.
        with suppress(PyMongoError):
            mine = {"_id": {"$in": keys}, "owner": owner}
            await collection.update_many(mine, _lease(owner))


def _lease(owner: str) -> list[dict[str, Any]]:
    end = {"$add": ["$$NOW", _LEASE_SECONDS * 1000]}
    return [{"$set": {"owner": owner, "until": end}}]
