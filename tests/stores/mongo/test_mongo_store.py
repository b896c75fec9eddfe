"""What a MongoDB database keeps of earlier versions of focuscrawl, or of a transfer."""

from __future__ import annotations

import pytest
from pymongo import MongoClient

from focuscrawl.items import GoneRecord
from tests.stores.conftest import StoreOpener
from tests.stores.record_examples import NOW, template_record

pytestmark = pytest.mark.server


async def test_earlier_values_of_an_erased_record_go_with_it(
    mongo_url: str, open_store: StoreOpener
) -> None:
    store = await open_store(mongo_url)
    erased, other = template_record(1), template_record(2)
    await store.write([erased, other])
    with MongoClient(mongo_url) as client:
        kept = client.get_default_database()["record_revisions"]
        kept.insert_many([{"key": one.key, "record_key": one.key} for one in (erased, other)])
        gone = GoneRecord(crawl=erased.crawl, url=erased.url, gone_at=NOW, is_erased=True)
        await store.write([gone])
        assert [one["key"] for one in kept.find()] == [other.key]
