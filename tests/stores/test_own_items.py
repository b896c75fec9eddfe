"""Items of a spider of one's own: upserts, streams and copies, the same in every store."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.items import OwnItem
from focuscrawl.stores.archive.spill_file import from_line, to_line
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.database_copies import line_of
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.mongo import mongo_documents
from focuscrawl.stores.records.batch_changes import ITEMS
from focuscrawl.stores.records.own_items import own_item
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_urls import make_stores
from tests.stores.fake_store import FakeStore, away
from tests.stores.record_examples import everything, own

ODD = {
    "=1+1": "@cmd", "$where": {"a.b": 1, "": None}, "n": [2**64, -(2**70), 1e308, float("inf")],
    "\ud800": "\udfff\0", "long": "长" * 70_000, "deep": [[[[[["x"]]]]]], "_id": 3, "key": "k",
}  # fmt: skip


def odd(sku: str = "a") -> OwnItem:
    item = own_item(ODD | {"sku": sku}, crawl="shop", page_url="http://x/", item_key="sku")
    assert item is not None
    return replace(item, fetched_at=own().fetched_at)


async def test_items_come_back_as_they_were(store: Database) -> None:
    given = [own(1), own(2, item_key=""), own(3, crawl="a"), odd()]
    assert await store.write(given) == Written(new=4)
    found = await everything(store.items())
    assert [item.crawl for item in found] == ["a", "shop", "shop", "shop"]
    assert sorted(found, key=lambda item: item.key) == sorted(given, key=lambda item: item.key)
    assert await store.write(given) == Written(unchanged=4)


async def test_the_last_of_several_with_one_key_stays(store: Database) -> None:
    first, last = own(), own(item='{"sku": 1, "name": "new"}')
    written = await store.write([first, own(2), last])
    assert written == Written(new=2, changed=1)
    assert last in await everything(store.items())
    assert await store.count(ITEMS) == 2
    assert await store.write([last]) == Written(unchanged=1)


async def test_the_order_of_fields_is_no_change_and_a_moved_item_is_amended(
    store: Database,
) -> None:
    await store.write([own(item='{"a": 1, "b": 2}')])
    assert await store.write([own(item='{"b": 2, "a": 1}')]) == Written(unchanged=1)
    moved = await store.write([own(item='{"a": 1, "b": 2}', url="http://shop.example/new")])
    assert moved == Written(unchanged=1, amended=1)
    (found,) = await everything(store.items())
    assert found.url == "http://shop.example/new"


async def test_an_item_without_json_is_refused_alone(store: Database) -> None:
    with pytest.raises(RefusedRecordsError) as caught:
        await store.write([own(1), own(2, item="{"), own(3, item="[1]")])
    assert [*caught.value.refused] == [1, 2]
    assert await store.count(ITEMS) == 1


async def test_a_long_item_is_in_a_file_of_mongodb(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mongo_documents, "LARGEST", 100_000)
    assert await store.write([odd()]) == Written(new=1)
    assert await everything(store.items()) == [odd()]


async def test_items_are_transferred(
    store: Database, opened: Callable[[], Database], tmp_path: Path
) -> None:
    await store.write([own(1), odd()])
    (target,) = make_stores(f"sqlite:///{tmp_path}/copy.sqlite")
    await target.open()
    copied = [entry async for batch in store.copies(ITEMS) for entry in batch]
    await target.copy(ITEMS, copied, ())
    assert await everything(target.items()) == await everything(store.items())
    lines = [line for batch in await everything(target.digests(ITEMS)) for line in batch]
    assert lines == [line for batch in await everything(store.digests(ITEMS)) for line in batch]
    assert lines == [line_of(entry) for entry in copied]
    await store.copy(ITEMS, copied, {entry.key for entry in copied})
    assert await everything(store.items()) == await everything(target.items())
    await target.close()


def test_a_spilled_item_is_the_same() -> None:
    for item in (own(), odd(), own(item=json.dumps({"$date": "2026-01-01"}))):
        assert from_line(to_line(item)) == item


async def test_items_wait_in_a_file_while_their_store_is_away(tmp_path: Path) -> None:
    store = away(FakeStore())
    archive = Archive([store], tmp_path, retry_seconds=0, open_seconds=0, rest_seconds=0)
    await archive.open()
    assert await archive.write(own(), is_last=True) == Written()
    await archive.close()
    assert archive.spilled == {store.label: 1}
    store.is_away = False
    again = Archive([store], tmp_path)
    await again.open()
    assert await again.write(own(), is_last=True) == Written(unchanged=1)
    await again.close()
