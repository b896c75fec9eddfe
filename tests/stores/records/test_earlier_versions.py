"""Earlier values of template records: what every store promises of them, with real servers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from focuscrawl.items import FoundValue, GoneRecord, PageValue, TemplateRecord
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.records.earlier_versions import KEPT
from tests.stores.conftest import SQL, Opener
from tests.stores.record_examples import NOW, everything, template_record

STORE_KINDS = SQL
DAY = timedelta(days=1)


def phone(number: object, **fields: Any) -> FoundValue:
    text = f"028-{number}"
    return FoundValue(
        **(
            {"field": "phone", "title": "电话", "value": text, "raw": text, "confidence": 0.5}
            | fields
        )
    )


def found(window: int, *values: FoundValue, number: int = 1) -> TemplateRecord:
    """Return a record as a window found it."""
    return template_record(number, window=window, values=[*values], fetched_at=NOW + window * DAY)


def gone(window: int, *, is_erased: bool = False) -> GoneRecord:
    given = found(window)
    return GoneRecord(
        crawl=given.crawl, url=given.url, gone_at=given.fetched_at, is_erased=is_erased
    )


async def test_each_change_of_values_leaves_those_before(store: Database, opened: Opener) -> None:
    first, second = phone(1), phone("=2\x00😀", confidence=0.25)
    # The first value again: its second stay is a version of its own.
    for record in (found(1, first), found(2, first), found(4, second, first), found(5, first)):
        await store.write([record, found(record.window, first, number=2)])
    revisions = await (await opened()).record_revisions(found(1).key)
    assert [(one.window, one.next_window, one.values) for one in revisions] == [
        (2, 4, [first]),
        (4, 5, [second, first]),
    ]
    assert [one.replaced_at for one in revisions] == [NOW + 4 * DAY, NOW + 5 * DAY]
    assert {(one.record_key, one.gone_at) for one in revisions} == {(found(1).key, None)}
    assert await store.record_revisions(found(1, number=2).key) == []


async def test_other_changes_leave_nothing(store: Database) -> None:
    both = phone(1), phone(2)
    changes: list[dict[str, Any]] = [
        {},
        {"values": [phone(1, confidence=1.0), phone(2)]},
        {"values": [phone(1, raw="电话 028-1"), phone(2)]},
        {"values": [phone(1, page="http://firm1.example/"), phone(2)]},
        {"values": [phone(2), phone(1)]},
        {"region_md5": "b" * 32},
        {"title": "联系方式"},
    ]
    for number, change in enumerate(changes):
        await store.write([found(1, *both, number=number)])
        await store.write([replace(found(2, *both, number=number), **change)])
        assert await store.record_revisions(found(1, number=number).key) == [], change


async def test_a_gone_record_that_comes_back_has_its_pause(store: Database) -> None:
    for record in (found(1, phone(1)), gone(2), found(3, phone(1))):
        await store.write([record])
    (only,) = await store.record_revisions(found(1).key)
    assert (only.window, only.next_window, only.gone_at) == (1, 3, NOW + 2 * DAY)


async def test_the_newest_are_kept_and_those_of_an_erased_record_are_not(store: Database) -> None:
    for window in range(1, KEPT + 4):
        await store.write([found(window, phone(window))])
        await store.write([found(window, phone(min(window, 2)), number=2)])
    kept = await store.record_revisions(found(1).key)
    assert [one.window for one in kept] == [*range(3, KEPT + 3)]
    await store.write([gone(99, is_erased=True)])
    assert await store.record_revisions(found(1).key) == []
    assert len(await store.record_revisions(found(1, number=2).key)) == 1


async def test_a_batch_that_is_repeated_leaves_nothing_twice(store: Database) -> None:
    await store.write([found(1, phone(1))])
    batch = [found(2, phone(2)), found(2, phone(3))]
    for _ in range(2):
        await store.write(batch)
    revisions = await store.record_revisions(found(1).key)
    # Values in the middle of a batch are never stored.
    assert [one.values for one in revisions] == [[phone(1)]]


async def test_the_pages_of_values_are_stored(store: Database) -> None:
    other = PageValue(page="http://firm1.example/", value="028-2", raw="电话2", confidence=0.5)
    given = found(1, phone(1, page="http://firm1.example/c.html", elsewhere=(other,)))
    await store.write([given])
    assert await everything(store.template_records()) == [given]
