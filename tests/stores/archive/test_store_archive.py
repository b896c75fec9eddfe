"""Several stores as one: batches, retries, spilling."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_protocol import Written
from tests.stores.archive.conftest import Maker
from tests.stores.fake_store import FakeStore, away
from tests.stores.record_examples import article, gone


async def write_all(archive: Archive, numbers: Any) -> list[Written]:
    return await asyncio.gather(*(archive.write(article(n)) for n in numbers))


async def test_a_batch_is_flushed_when_it_is_full(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store, batch_size=5, batch_age=3600)
    await archive.open()
    assert await write_all(archive, range(10)) == [Written(new=1)] * 10
    assert [len(batch) for batch in store.log] == [5, 5]
    assert archive.counts == {"fake://one": Written(new=10)}
    await archive.close()


async def test_a_batch_is_flushed_when_it_is_old(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store, batch_size=100)
    await archive.open()
    await write_all(archive, range(3))
    assert [len(batch) for batch in store.log] == [3]
    await archive.close()


async def test_a_batch_is_flushed_when_nothing_more_is_to_come(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store, batch_age=3600)
    await archive.open()
    for number in (1, 3):
        waiting = asyncio.create_task(archive.write(article(number)))
        await asyncio.sleep(0)
        assert await archive.write(article(number + 1), is_last=True) == Written(new=1)
        assert await waiting == Written(new=1)
    assert [len(batch) for batch in store.log] == [2, 2]
    await archive.close()


async def test_close_flushes_what_waits(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store, batch_age=3600)
    await archive.open()
    writing = asyncio.create_task(archive.write(article(1)))
    await asyncio.sleep(0)
    await archive.close()
    assert await writing == Written(new=1)
    assert not store.is_open
    await archive.close()
    with pytest.raises(StoreError, match="closed"):
        await archive.write(article(2))


async def test_each_writer_hears_of_its_own_record(archive_of: Maker) -> None:
    archive = archive_of(FakeStore(), batch_size=4, batch_age=3600)
    await archive.open()
    records = [article(1), article(1), article(1, text="neu"), gone(1)]
    written = await asyncio.gather(*map(archive.write, records))
    assert written == [Written(new=1), Written(unchanged=1), Written(changed=1), Written(gone=1)]
    await archive.close()


async def test_a_slow_store_slows_the_writers(archive_of: Maker) -> None:
    slow, quick = FakeStore("fake://slow"), FakeStore("fake://quick")
    slow.gate = asyncio.Event()
    archive = archive_of(slow, quick, batch_size=2)
    await archive.open()
    writing = asyncio.ensure_future(write_all(archive, range(6)))
    await asyncio.sleep(0.1)
    assert (writing.done(), len(quick.log), slow.most_at_once) == (False, 1, 1)
    slow.gate.set()
    await writing
    assert slow.most_at_once == 1
    assert slow.texts == quick.texts
    await archive.close()


async def test_a_refused_record_fails_its_writer_only(archive_of: Maker) -> None:
    store = FakeStore()
    store.refuses = {article(1).url}
    archive = archive_of(FakeStore("fake://other"), store, batch_size=3)
    await archive.open()
    results = await asyncio.gather(
        *(archive.write(article(n)) for n in range(3)), return_exceptions=True
    )
    assert isinstance(results[1], StoreError)
    assert [results[0], results[2]] == [Written(new=1)] * 2
    await archive.close()


async def test_a_store_that_fails_for_good_fails_all_writers(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store)
    await archive.open()
    store.failures = [StoreError("the disk is full"), RuntimeError("a fault")]
    with pytest.raises(StoreError, match="the disk is full"):
        await archive.write(article(1))
    with pytest.raises(RuntimeError, match="a fault"):
        await archive.write(article(1))
    assert await archive.write(article(1)) == Written(new=1)
    await archive.close()


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


async def test_a_long_absence_spills_and_the_next_run_loads_first(
    archive_of: Maker, caplog: pytest.LogCaptureFixture
) -> None:
    store, other = away(FakeStore()), FakeStore("fake://other")
    archive = archive_of(other, store)
    await archive.open()
    assert await write_all(archive, range(3)) == [Written(new=1)] * 3
    await archive.close()
    assert archive.spilled == {"fake://one": 3}
    assert "its records go to" in caplog.text
    assert (len(other.rows), len(store.rows)) == (3, 0)
    store.is_away = False
    second = archive_of(other, store)
    await second.open()
    assert store.texts == other.texts
    assert second.counts == {"fake://other": Written(), "fake://one": Written(new=3)}
    await second.close()
    assert second.spilled == {}


async def test_a_store_that_comes_back_gets_all_in_order(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store, rest_seconds=0)
    await archive.open()
    await archive.write(article(1, text="a"))
    store.is_away = True
    assert await archive.write(article(1, text="b")) == Written()
    assert await archive.write(article(1, text="c")) == Written()
    store.is_away = False
    assert await archive.write(article(2)) == Written(new=1)
    assert [len(batch) for batch in store.log] == [1, 2, 1]
    assert store.texts[article(1).url] == "c"
    await archive.close()


async def test_a_reader_brings_a_store_back_with_what_was_spilled(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store)
    await archive.open()
    store.is_away = True
    await archive.write(article(1))
    assert await archive.known([article(1).url_md5]) == {}
    store.is_away = False
    assert list(await archive.known([article(1).url_md5])) == [article(1).url_md5]
    await archive.close()


async def test_between_tries_an_absent_store_is_left_alone(archive_of: Maker) -> None:
    store = FakeStore()
    archive = archive_of(store, rest_seconds=3600)
    await archive.open()
    store.is_away = True
    await archive.write(article(1))
    store.is_away = False
    await archive.write(article(2))
    assert store.rows == {}
    await archive.close()  # the last try
    assert len(store.rows) == 2
    assert archive.spilled == {}


async def test_an_absence_in_the_middle_of_a_replay_loses_nothing(archive_of: Maker) -> None:
    store = away(FakeStore())
    first = archive_of(store)
    await first.open()
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
    second = archive_of(store)
    await second.open()
    await second.write(article("new"))
    await second.close()
    assert second.spilled == {"fake://one": 251}
    store.is_away, store._written = False, whole  # type: ignore[method-assign]
    third = archive_of(store)
    await third.open()
    await third.close()
    assert len(store.rows) == 251
    assert third.counts["fake://one"] == Written(new=151, unchanged=100)


async def test_spilled_records_that_are_refused_later_are_set_aside(
    archive_of: Maker, tmp_path: Path
) -> None:
    store = away(FakeStore())
    first = archive_of(store)
    await first.open()
    await write_all(first, range(3))
    await first.close()
    store.is_away, store.refuses = False, {article(1).url}
    second = archive_of(store)
    await second.open()
    await second.close()
    assert len(store.rows) == 2
    (aside,) = (tmp_path / "spill").glob("*.refused.jsonl")
    assert second.refused_files == [aside]
    assert first.refused_files == []
    assert article(1).url in aside.read_text()


async def test_no_store_and_no_place_to_spill_is_an_error_that_says_both(tmp_path: Path) -> None:
    archive = Archive([away(FakeStore())], Path("/dev/null/spill"), open_seconds=0)
    with pytest.raises(StoreError, match=r"does not answer; and /dev/null/spill.* free some space"):
        await archive.open()


async def test_a_store_that_refuses_at_the_start_is_fatal_and_the_others_are_closed(
    archive_of: Maker,
) -> None:
    store, other = FakeStore(), FakeStore("fake://other")
    store.failures = [StoreError("wrong password")]
    with pytest.raises(StoreError, match="wrong password"):
        await archive_of(other, store).open()
    assert not other.is_open


async def test_a_cancelled_writer_stops_nobody_else(archive_of: Maker) -> None:
    store = FakeStore()
    store.gate = asyncio.Event()
    archive = archive_of(store)
    await archive.open()
    writers = [asyncio.create_task(archive.write(article(n))) for n in range(3)]
    await asyncio.sleep(0.05)
    writers[1].cancel()
    store.gate.set()
    results = await asyncio.gather(*writers, return_exceptions=True)
    assert [results[0], results[2]] == [Written(new=1)] * 2
    assert isinstance(results[1], asyncio.CancelledError)
    assert await archive.write(article(9)) == Written(new=1)
    await archive.close()


@pytest.mark.parametrize(
    ("option", "value", "setting"),
    [
        ("batch_size", 0, "FOCUSCRAWL_BATCH_SIZE"),
        ("batch_size", -5, "FOCUSCRAWL_BATCH_SIZE"),
        ("batch_age", -0.1, "FOCUSCRAWL_BATCH_AGE"),
        ("batch_age", float("nan"), "FOCUSCRAWL_BATCH_AGE"),
        ("retry_seconds", -1, "FOCUSCRAWL_STORE_RETRY"),
    ],
)
def test_a_number_that_cannot_be_gets_a_sentence(
    archive_of: Maker, option: str, value: float, setting: str
) -> None:
    with pytest.raises(StoreError, match=f"{setting} is {value}; it must be at least"):
        archive_of(FakeStore(), **{option: value})
