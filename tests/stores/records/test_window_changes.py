"""Records that the last window of a crawl added or changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from focuscrawl.items import FoundValue, TemplateRecord
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import NOW, everything, template_record

LATER = NOW + timedelta(days=7)
OTHER = [FoundValue(field="name", title="名称", value="新公司", raw="新公司", confidence=0.9)]


async def opened(path: Path) -> Database:
    (store,) = make_stores(f"sqlite:///{path}/a.sqlite")
    await store.open()
    return store


async def window(store: Database, number: int, *records: TemplateRecord) -> None:
    begun = (NOW if number == 1 else LATER).isoformat()
    await store.set_state("window template-contacts", {"window": number, "begun": begun})
    at = NOW if number == 1 else LATER + timedelta(minutes=1)
    await store.write([replace(record, window=number, fetched_at=at) for record in records])


async def changes(store: Database) -> dict[str, str]:
    return {r.url: r.change for r in await everything(store.template_records())}


async def test_the_last_window_marks_what_it_added_and_changed(tmp_path: Path) -> None:
    """Not what it did not meet, nor what there is of the first window or of a crawl without any."""
    store = await opened(tmp_path)
    same, changed, added, other = (template_record(number) for number in (1, 2, 3, 4))
    await window(store, 1, same, changed)
    await store.write([replace(other, crawl="other", window=5)])
    assert set((await changes(store)).values()) == {""}
    await window(store, 2, same, replace(changed, values=OTHER), added)
    marked = {same.url: "", changed.url: "changed", added.url: "new", other.url: ""}
    assert await changes(store) == marked
    begun = (LATER + timedelta(days=7)).isoformat()
    await store.set_state("window template-contacts", {"window": 3, "begun": begun})
    assert set((await changes(store)).values()) == {""}
    await store.close()
