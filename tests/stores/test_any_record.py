"""Whatever a spider yields, a batch is stored or says which records were refused."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.items import Record
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.records.batch_changes import KINDS
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import any_records


async def write(store: Database, records: list[Record]) -> tuple[Written, set[int]]:
    try:
        return await store.write(records), set()
    except RefusedRecordsError as error:
        return error.written, set(error.refused)


@given(st.lists(any_records, max_size=4, unique_by=lambda record: record.url))
@settings(max_examples=60, deadline=None)
def test_a_batch_is_stored_once_but_for_what_is_refused(records: list[Record]) -> None:
    async def twice(folder: str) -> None:
        (store,) = make_stores(f"sqlite:///{Path(folder) / 'a.sqlite'}")
        await store.open()
        first, refused = await write(store, records)
        again, refused_again = await write(store, records)
        assert isinstance(store, SQLStore)
        kept = sum([await store.count(kind) for kind in KINDS])
        await store.close()
        assert refused == refused_again
        assert {n for n, outcome in enumerate(first.outcomes) if outcome is None} == refused
        assert kept == first.new + first.incomplete + first.failed
        assert again == Written(unchanged=len(records) - len(refused))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(twice(folder))
