"""What templates found, and seeds: what every store promises of them, with real servers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.items import FoundValue, GoneRecord, TemplateRecord
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import Written
from focuscrawl.stores.store_urls import make_stores
from tests.stores.conftest import Opener
from tests.stores.record_examples import NOW, everything, seed, template_record

LATER = NOW + timedelta(days=1)


def end_of(record: TemplateRecord, **fields: Any) -> GoneRecord:
    return GoneRecord(crawl=record.crawl, url=record.url, gone_at=LATER, **fields)


async def test_records_come_back_equal_by_crawl(
    store: Database, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.stores.sql.sql_reader.SMALL", 4)
    given = [template_record(n) for n in range(9)]
    odd = FoundValue(field="$where", title="a.b", value="=1+1\x00😀", raw="' OR 1", confidence=1.0)
    other = template_record(1, crawl="other", values=[odd], title="")
    assert await store.write([*given, other]) == Written(new=10)
    again = await opened()
    in_order = sorted(given, key=lambda record: record.key)
    assert await everything(again.template_records("template-contacts")) == in_order
    assert await everything(again.template_records()) == [other, *in_order]
    assert await everything(again.template_records("never")) == []


async def test_a_record_changes_with_its_region_or_its_values(store: Database) -> None:
    given = template_record()
    await store.write([given])
    surer = [replace(value, confidence=1.0) for value in given.values]
    changes: list[tuple[dict[str, Any], Written]] = [
        ({"fetched_at": LATER}, Written(unchanged=1)),
        ({"window": 2}, Written(unchanged=1)),
        ({"seed": "http://firm1.example/index.html"}, Written(unchanged=1)),
        ({"values": surer}, Written(unchanged=1)),
        ({"title": "联系方式"}, Written(unchanged=1, amended=1)),
        ({"region_md5": "b" * 32}, Written(changed=1)),
        ({"values": given.values[:1]}, Written(changed=1)),
    ]
    for change, written in changes:
        given = replace(given, **change)
        assert await store.write([given]) == written, change
        (held,) = await everything(store.template_records())
        assert replace(held, fetched_at=LATER) == replace(given, fetched_at=LATER)


async def test_a_gone_record_is_hidden_and_may_come_back(store: Database) -> None:
    first, second = template_record(1), template_record(2)
    await store.write([first, second])
    assert await store.write([end_of(first)]) == Written(gone=1)
    assert await store.write([end_of(first)]) == Written(unchanged=1)
    assert await everything(store.template_records()) == [second]
    assert await everything(store.template_records("template-contacts", gone=True)) == [first]
    assert await store.write([first]) == Written(changed=1)
    assert len(await everything(store.template_records())) == 2


async def test_an_erased_record_leaves_no_trace(store: Database) -> None:
    first, second = template_record(1), template_record(2)
    await store.write([first, second])
    # Marked before, or erased at once; and in one batch with what follows.
    await store.write([end_of(first)])
    both = [end_of(first, is_erased=True), end_of(second, is_erased=True)]
    assert await store.write([*both, second, end_of(second, is_erased=True)]) == Written(
        new=1, gone=3
    )
    assert await everything(store.template_records()) == []
    assert await everything(store.template_records(gone=True)) == []
    assert await store.write([*both, first]) == Written(new=1, unchanged=2)


async def test_seeds_come_back_by_rank_and_change_with_their_state(store: Database) -> None:
    given = [seed(n) for n in (3, 1, 20)]
    assert await store.write([*given, seed(7, crawl="other")]) == Written(new=4)
    assert await everything(store.seeds("template-contacts")) == [seed(1), seed(3), seed(20)]
    useful = seed(3, state="useful", listed_at=LATER)
    assert await store.write([useful, seed(1)]) == Written(changed=1, unchanged=1)
    assert await everything(store.seeds("template-contacts")) == [seed(1), useful, seed(20)]


async def test_an_archive_knows_what_any_of_its_stores_holds(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path}/{name}.sqlite" for name in "ab"]
    alone = Archive(make_stores(urls[0]), tmp_path / "spill", batch_age=0)
    await alone.open()
    await alone.write(template_record(1))
    await alone.write(seed(1))
    await alone.close()
    both = Archive(make_stores(",".join(urls)), tmp_path / "spill", batch_age=0)
    await both.open()
    await both.write(template_record(2))
    assert {record.url for record in await both.template_records("template-contacts")} == {
        template_record(1).url,
        template_record(2).url,
    }
    assert await both.seeds("template-contacts") == [seed(1)]
    await both.close()
