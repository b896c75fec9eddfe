"""A lock in a MongoDB database, which a program holds while it upgrades it; others wait.

The lock is a lease by the server's clock: of a program that is killed it ends by itself.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import DuplicateKeyError, PyMongoError

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.records.batch_changes import Row
from focuscrawl.stores.schema_version import UPGRADE_SECONDS
from focuscrawl.system.retry_with_backoff import retry_async

_log = logging.getLogger(__name__)
_KEY = {"_id": "lock"}
_LEASE_SECONDS = 10
_PAUSE_SECONDS = 0.2
_EPOCH = datetime.fromtimestamp(0, UTC)


@asynccontextmanager
async def alone(collection: AsyncCollection[Row], name: str) -> AsyncIterator[None]:
    """Hold the lock that is kept in a collection; ``name`` is shown in errors.

    Raises StoreUnavailableError if another program holds it for longer than ``UPGRADE_SECONDS``.
    """
    owner = uuid.uuid4().hex
    await _wait_for(collection, owner, name)
    renewal = asyncio.create_task(_renew(collection, owner))
    try:
        yield
    finally:
        renewal.cancel()
        await collection.delete_one(_KEY | {"owner": owner})


async def _wait_for(collection: AsyncCollection[Row], owner: str, name: str) -> None:
    async def take() -> None:
        if not await _take(collection, owner):
            raise StoreUnavailableError(
                f"{name}: another program is still upgrading it; try again later"
            )

    await retry_async(
        take,
        StoreUnavailableError,
        UPGRADE_SECONDS,
        lambda _: _log.info("waiting for another program that upgrades %s", name),
        longest_pause=_PAUSE_SECONDS,
    )


async def _take(collection: AsyncCollection[Row], owner: str) -> bool:
    try:
        # The server's clock is not allowed in an upsert.
        await collection.update_one(_KEY, {"$setOnInsert": {"until": _EPOCH}}, upsert=True)
    except DuplicateKeyError:
        return False
    is_free = {"$expr": {"$lt": ["$until", "$$NOW"]}}
    return (await collection.update_one(_KEY | is_free, _lease(owner))).matched_count == 1


async def _renew(collection: AsyncCollection[Row], owner: str) -> None:
    while True:
        await asyncio.sleep(_LEASE_SECONDS / 3)
        # The upgrade itself fails where the server is gone for long.
        with suppress(PyMongoError):
            await collection.update_one(_KEY | {"owner": owner}, _lease(owner))


def _lease(owner: str) -> list[dict[str, Any]]:
    end = {"$add": ["$$NOW", _LEASE_SECONDS * 1000]}
    return [{"$set": {"owner": owner, "until": end}}]
