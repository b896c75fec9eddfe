"""Items of a spider of one's own: upserts, streams and copies, the same in every store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.items import OwnItem
from focuscrawl.stores.database_copies import line_of
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.mongo import mongo_documents
from focuscrawl.stores.records.batch_changes import ITEMS
from focuscrawl.stores.records.own_items import own_item
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from tests.stores.conftest import StoreOpener
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


async def test_an_item_changes_with_its_fields_whatever_their_order(store: Database) -> None:
    """Of several with one key the last one stays, and one that has moved is amended."""
    first, last = own(), own(item='{"sku": 1, "name": "new"}')
    assert await store.write([first, own(2), last]) == Written(new=2, changed=1)
    assert last in await everything(store.items())
    assert await store.count(ITEMS) == 2
    assert await store.write([own(item='{"name": "new", "sku": 1}')]) == Written(unchanged=1)
    moved = replace(last, url="http://shop.example/new")
    assert await store.write([moved]) == Written(unchanged=1, amended=1)
    assert moved in await everything(store.items())


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
    store: Database, opened: Callable[[], Database], tmp_path: Path, open_store: StoreOpener
) -> None:
    await store.write([own(1), odd()])
    target = await open_store(f"sqlite:///{tmp_path}/copy.sqlite")
    copied = [entry async for batch in store.copies(ITEMS) for entry in batch]
    await target.copy(ITEMS, copied, ())
    assert await everything(target.items()) == await everything(store.items())
    lines = [line for batch in await everything(target.digests(ITEMS)) for line in batch]
    assert lines == [line for batch in await everything(store.digests(ITEMS)) for line in batch]
    assert lines == [line_of(entry) for entry in copied]
    await store.copy(ITEMS, copied, {entry.key for entry in copied})
    assert await everything(store.items()) == await everything(target.items())
