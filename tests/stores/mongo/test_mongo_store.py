"""What a MongoDB database keeps of earlier versions of focuscrawl, or of a transfer."""

from __future__ import annotations

import pytest
from pymongo import MongoClient

from focuscrawl.items import GoneRecord
from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import NOW, template_record

pytestmark = pytest.mark.server


@pytest.mark.parametrize("fixture", ["mongo_url", "mongo_replica_url"])
async def test_earlier_values_of_an_erased_record_go_with_it(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(fixture)
    (store,) = make_stores(url)
    await store.open()
    erased, other = template_record(1), template_record(2)
    await store.write([erased, other])
    with MongoClient(url) as client:
        kept = client.get_default_database()["record_revisions"]
        kept.insert_many([{"key": one.key, "record_key": one.key} for one in (erased, other)])
        gone = GoneRecord(crawl=erased.crawl, url=erased.url, gone_at=NOW, is_erased=True)
        await store.write([gone])
        assert [one["key"] for one in kept.find()] == [other.key]
    await store.close()
