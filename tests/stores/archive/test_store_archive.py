"""Several stores as one: batches, retries, spilling."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.items import Record
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_protocol import Written
from tests.stores.archive.conftest import Maker, OpenMaker
from tests.stores.fake_store import FakeStore, away
from tests.stores.record_examples import (
    article,
    gone,
    missing_number,
    numbered,
    own,
    page,
    price_decision,
    seed,
    template_record,
)


async def write_all(archive: Archive, numbers: Any) -> list[Written]:
    return await asyncio.gather(*(archive.write(article(n)) for n in numbers))


@pytest.mark.parametrize(
    ("options", "count", "batches"),
    [
        ({"batch_size": 5, "batch_age": 3600}, 10, [5, 5]),
        ({"batch_size": 100}, 3, [3]),
    ],
    ids=["full", "old"],
)
async def test_a_batch_is_flushed_when_it_is_full_or_old(
    opened_archive: OpenMaker, options: dict[str, float], count: int, batches: list[int]
) -> None:
    store = FakeStore()
    archive = await opened_archive(store, **options)
    assert await write_all(archive, range(count)) == [Written(new=1)] * count
    assert [len(batch) for batch in store.log] == batches
    assert archive.counts == {"fake://one": Written(new=count)}


async def test_a_batch_is_flushed_when_nothing_more_is_to_come(opened_archive: OpenMaker) -> None:
    store = FakeStore()
    archive = await opened_archive(store, batch_age=3600)
    for number in (1, 3):
        waiting = asyncio.create_task(archive.write(article(number)))
        await asyncio.sleep(0)
        assert await archive.write(article(number + 1), is_last=True) == Written(new=1)
        assert await waiting == Written(new=1)
    assert [len(batch) for batch in store.log] == [2, 2]


async def test_close_flushes_what_waits(opened_archive: OpenMaker) -> None:
    store = FakeStore()
    archive = await opened_archive(store, batch_age=3600)
    writing = asyncio.create_task(archive.write(article(1)))
    await asyncio.sleep(0)
    await archive.close()
    assert await writing == Written(new=1)
    assert not store.is_open
    await archive.close()
    with pytest.raises(StoreError, match="closed"):
        await archive.write(article(2))


async def test_each_writer_hears_of_its_own_record(opened_archive: OpenMaker) -> None:
    archive = await opened_archive(FakeStore(), batch_size=4, batch_age=3600)
    records = [article(1), article(1), article(1, text="neu"), gone(1)]
    written = await asyncio.gather(*map(archive.write, records))
    assert written == [Written(new=1), Written(unchanged=1), Written(changed=1), Written(gone=1)]


async def test_a_slow_store_slows_the_writers(opened_archive: OpenMaker) -> None:
    slow, quick = FakeStore("fake://slow"), FakeStore("fake://quick")
    slow.gate = asyncio.Event()
    archive = await opened_archive(slow, quick, batch_size=2)
    writing = asyncio.ensure_future(write_all(archive, range(6)))
    await asyncio.sleep(0.1)
    assert (writing.done(), len(quick.log), slow.most_at_once) == (False, 1, 1)
    slow.gate.set()
    await writing
    assert slow.most_at_once == 1
    assert slow.texts == quick.texts


async def test_a_refused_record_fails_its_writer_only(opened_archive: OpenMaker) -> None:
    store = FakeStore()
    store.refuses = {article(1).url}
    archive = await opened_archive(FakeStore("fake://other"), store, batch_size=3)
    results = await asyncio.gather(
        *(archive.write(article(n)) for n in range(3)), return_exceptions=True
    )
    assert isinstance(results[1], StoreError)
    assert [results[0], results[2]] == [Written(new=1)] * 2


async def test_a_store_that_fails_for_good_fails_all_writers(opened_archive: OpenMaker) -> None:
    store = FakeStore()
    archive = await opened_archive(store)
    store.failures = [StoreError("the disk is full"), RuntimeError("a fault")]
    with pytest.raises(StoreError, match="the disk is full"):
        await archive.write(article(1))
    with pytest.raises(RuntimeError, match="a fault"):
        await archive.write(article(1))
    assert await archive.write(article(1)) == Written(new=1)


async def test_a_short_absence_is_waited_for(archive_of: Maker, tmp_path: Path) -> None:
    store = FakeStore()
    archive = archive_of(store, retry_seconds=30, open_seconds=30)
    store.failures = [StoreUnavailableError("away")] * 2
    await archive.open()
    store.failures = [StoreUnavailableError("away")] * 2
    assert await archive.write(article(1)) == Written(new=1)
    store.failures = [StoreUnavailableError("away")]
    assert await archive.known([article(1).url_md5])
    await archive.close()
    assert archive.spilled == {}
    assert list((tmp_path / "spill").glob("*.jsonl")) == []


@pytest.mark.parametrize(
    "records",
    [
        [article(1), article(2), article(3)],
        [page(1), page(2, is_relevant=False), page(1)],
        [numbered(1, extra={"x": {"$date": "no day"}}), missing_number(2), own(1)],
        [template_record(1), seed(1), price_decision()],
    ],
    ids=["articles", "pages", "numbered", "templates"],
)
async def test_a_long_absence_spills_and_the_next_run_loads_first(
    opened_archive: OpenMaker, caplog: pytest.LogCaptureFixture, records: list[Record]
) -> None:
    store, other = away(FakeStore()), FakeStore("fake://other")
    archive = await opened_archive(other, store)
    for record in records:
        await archive.write(record)
    await archive.close()
    assert archive.spilled == {"fake://one": 3}
    assert "its records go to" in caplog.text
    assert store.rows == {}
    store.is_away = False
    second = await opened_archive(other, store)
    assert store.rows == other.rows
    assert await second.write(records[0]) == Written(unchanged=1)
    assert [url for batch in store.log for url in batch] == [
        one.url for one in [*records, records[0]]
    ]
    await second.close()
    assert second.spilled == {}


async def test_a_store_that_comes_back_gets_all_in_order(opened_archive: OpenMaker) -> None:
    """A reader brings it back as well as a writer."""
    store = FakeStore()
    archive = await opened_archive(store)
    await archive.write(article(1, text="a"))
    store.is_away = True
    assert await archive.write(article(1, text="b")) == Written()
    assert await archive.write(article(1, text="c")) == Written()
    assert await archive.known([article(1).url_md5]) == {}
    store.is_away = False
    assert await archive.write(article(2)) == Written(new=1)
    assert [len(batch) for batch in store.log] == [1, 2, 1]
    assert store.texts[article(1).url] == "c"
    store.is_away = True
    await archive.write(article(3))
    store.is_away = False
    assert list(await archive.known([article(3).url_md5])) == [article(3).url_md5]


async def test_between_tries_an_absent_store_is_left_alone(opened_archive: OpenMaker) -> None:
    store = FakeStore()
    archive = await opened_archive(store, rest_seconds=3600)
    store.is_away = True
    await archive.write(article(1))
    store.is_away = False
    await archive.write(article(2))
    assert store.rows == {}
    await archive.close()  # the last try
    assert len(store.rows) == 2
    assert archive.spilled == {}


async def test_an_absence_in_the_middle_of_a_replay_loses_nothing(
    opened_archive: OpenMaker,
) -> None:
    store = away(FakeStore())
    first = await opened_archive(store)
    await write_all(first, range(250))
    await first.close()
    store.is_away, store.gate = False, None
    whole, count = store._written, 0

    def breaks(records: Any) -> Written:
        nonlocal count
        count += 1
        if count == 2:
            store.is_away = True
        if store.is_away:
            raise StoreUnavailableError("gone again")
        return whole(records)

    store._written = breaks  # type: ignore[method-assign]
    second = await opened_archive(store)
    await second.write(article("new"))
    await second.close()
    assert second.spilled == {"fake://one": 251}
    store.is_away, store._written = False, whole  # type: ignore[method-assign]
    third = await opened_archive(store)
    await third.close()
    assert len(store.rows) == 251
    assert third.counts["fake://one"] == Written(new=151, unchanged=100)


async def test_spilled_records_that_are_refused_later_are_set_aside(
    opened_archive: OpenMaker, tmp_path: Path
) -> None:
    store = away(FakeStore())
    first = await opened_archive(store)
    await write_all(first, range(3))
    await first.close()
    store.is_away, store.refuses = False, {article(1).url}
    second = await opened_archive(store)
    await second.close()
    assert len(store.rows) == 2
    (aside,) = (tmp_path / "spill").glob("*.refused.jsonl")
    assert second.refused_files == [aside]
    assert first.refused_files == []
    assert article(1).url in aside.read_text()


async def test_a_store_that_refuses_at_the_start_is_fatal_and_the_others_are_closed(
    archive_of: Maker,
) -> None:
    """So is one that is away where there is no place to spill."""
    store, other = FakeStore(), FakeStore("fake://other")
    store.failures = [StoreError("wrong password")]
    with pytest.raises(StoreError, match="wrong password"):
        await archive_of(other, store).open()
    assert not other.is_open
    archive = Archive([away(store)], Path("/dev/null/spill"), open_seconds=0)
    with pytest.raises(StoreError, match=r"does not answer; and /dev/null/spill.* free some space"):
        await archive.open()


async def test_a_cancelled_writer_stops_nobody_else(opened_archive: OpenMaker) -> None:
    store = FakeStore()
    store.gate = asyncio.Event()
    archive = await opened_archive(store)
    writers = [asyncio.create_task(archive.write(article(n))) for n in range(3)]
    await asyncio.sleep(0.05)
    writers[1].cancel()
    store.gate.set()
    results = await asyncio.gather(*writers, return_exceptions=True)
    assert [results[0], results[2]] == [Written(new=1)] * 2
    assert isinstance(results[1], asyncio.CancelledError)
    assert await archive.write(article(9)) == Written(new=1)


@pytest.mark.parametrize(
    ("option", "value", "setting"),
    [
        ("batch_size", 0, "FOCUSCRAWL_BATCH_SIZE"),
        ("batch_age", float("nan"), "FOCUSCRAWL_BATCH_AGE"),
        ("retry_seconds", -1, "FOCUSCRAWL_STORE_RETRY"),
    ],
)
def test_a_number_that_cannot_be_gets_a_sentence(
    archive_of: Maker, option: str, value: float, setting: str
) -> None:
    with pytest.raises(StoreError, match=f"{setting} is {value}; it must be at least"):
        archive_of(FakeStore(), **{option: value})
