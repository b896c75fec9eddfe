"""The locks in a MongoDB database: leases by the server's clock, renewed while they are held."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.asynchronous.collection import AsyncCollection

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.mongo import mongo_lock
from focuscrawl.stores.mongo.mongo_lock import alone, records_locked

Locks = AsyncCollection[dict[str, Any]]


@pytest.fixture
async def locks(mongo_url: str) -> AsyncIterator[Locks]:
    """An empty collection."""
    async with AsyncMongoClient(mongo_url, tz_aware=True) as client:
        yield client.get_default_database()["locks"]


async def hold_for_another(locks: Locks, seconds: float) -> None:
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    await locks.insert_one({"_id": "lock", "owner": "another", "until": until})


async def test_ten_tasks_hold_it_one_after_the_other(locks: Locks) -> None:
    """Nothing is left of it then."""
    inside: list[int] = []

    async def work(number: int) -> None:
        async with alone(locks, "x"):
            inside.append(number)
            await asyncio.sleep(0.01)
            assert inside.pop() == number
            assert not inside

    await asyncio.gather(*map(work, range(10)))
    assert await locks.count_documents({}) == 0


async def test_the_lock_of_a_killed_program_ends(
    locks: Locks, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await hold_for_another(locks, 2)
    async with alone(locks, "mongodb://h/d"):
        found = await locks.find_one()
    assert found is not None
    assert found["owner"] != "another"
    assert "mongodb://h/d: waiting for another program that is upgrading it" in caplog.text


async def test_a_lock_is_renewed_while_it_is_held(
    locks: Locks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mongo_lock, "_LEASE_SECONDS", 1)
    async with alone(locks, "x"), asyncio.timeout(60):
        first = await locks.find_one()
        while await locks.find_one() == first:  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.05)


async def test_a_lock_that_never_ends_is_a_sentence(
    locks: Locks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mongo_lock, "UPGRADE_SECONDS", 0.3)
    await hold_for_another(locks, 3600)
    with pytest.raises(StoreUnavailableError, match="x: another program is still upgrading it"):
        async with alone(locks, "x"):
            pass
    assert await locks.count_documents({"owner": "another"}) == 1


async def test_records_are_locked_all_or_none(locks: Locks) -> None:
    inside: set[int] = set()

    async def work(first: int) -> None:
        mine = {first, first + 1}
        async with records_locked(locks.database, {str(key) for key in mine}, "x"):
            assert not inside & mine
            inside.update(mine)
            await asyncio.sleep(0.01)
            inside.difference_update(mine)

    # In a ring: two that waited for each other would never end.
    await asyncio.gather(*map(work, [0, 1, 2, 3] * 3))
    assert await locks.database[mongo_lock.RECORD_LOCKS].count_documents({}) == 0


async def test_the_locks_of_a_killed_writer_end(
    locks: Locks, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = datetime.now(UTC) + timedelta(seconds=1)
    killed = {"_id": "b", "owner": "another", "until": until}
    await locks.database[mongo_lock.RECORD_LOCKS].insert_one(killed)
    async with records_locked(locks.database, {"a", "b", "c"}, "x"):
        assert await locks.database[mongo_lock.RECORD_LOCKS].count_documents({}) == 3
    monkeypatch.setattr(mongo_lock, "_RECORD_SECONDS", 0.3)
    until += timedelta(hours=1)
    await locks.database[mongo_lock.RECORD_LOCKS].insert_one(killed | {"until": until})
    with pytest.raises(StoreUnavailableError, match="x: another program is still writing the same"):
        async with records_locked(locks.database, {"a", "b"}, "x"):
            pass
