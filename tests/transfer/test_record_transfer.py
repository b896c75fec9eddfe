"""The transfer: from every kind of database to every other, whole, and once."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bson.datetime_ms import DatetimeMS
from pymongo import MongoClient

from focuscrawl.errors import AlreadyRunningError, StoreError
from focuscrawl.items import GoneRecord, check_code
from focuscrawl.stores.database_copies import COPIED, CopyStore, line_of
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.mongo.mongo_store import MongoStore
from focuscrawl.stores.records.batch_changes import NUMBERED, RECORD_REVISIONS, REVISIONS
from focuscrawl.stores.store_protocol import Written
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.transfer.record_transfer import Patience, Transfer, TransferError, TransferOutcome
from focuscrawl.transfer.transfer_ledger import Ledger
from tests.conftest import mysql_connection
from tests.stores.record_examples import (
    NOW,
    SERIES,
    article,
    crawl_run,
    everything,
    gone,
    missing_number,
    numbered,
    own,
    page,
    page_verdict,
    price_decision,
    seed,
    template_record,
)
from tests.stores.records.test_numbered_rows import FOREIGN, ODD, odd_extra

# 50 were tried, too.
MEGABYTES = int(os.environ.get("FOCUSCRAWL_TEST_MEGABYTES", "17"))
FIXTURES = {"sqlite": "", "mysql": "mysql_url", "mongodb": "mongo_url"}
PAIRS = [("sqlite", "mysql"), ("mysql", "mongodb"), ("mongodb", "sqlite")]


@pytest.fixture
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Any, Any]]:
    """Two open stores of the kinds that the test is run for."""
    opened = []
    for place, kind in enumerate(request.param):
        url = f"sqlite:///{tmp_path}/{place}.sqlite"
        if FIXTURES[kind]:
            url = request.getfixturevalue(FIXTURES[kind])
        (store,) = make_stores(url)
        await store.open()
        opened.append(store)
    yield opened[0], opened[1]
    for store in opened:
        await store.close()


async def transfer(
    source: CopyStore, target: CopyStore, folder: Path, seconds: float = 20
) -> dict[str, TransferOutcome]:
    """Transfer, and return what became of each kind."""
    ledger = Ledger(folder, source.label, target.label)
    shown: list[tuple[str, int, int]] = []
    run = Transfer(source, target, ledger, Patience(seconds), lambda *what: shown.append(what))
    outcomes = await run.run()
    assert all(done <= total for _, done, total in shown)
    return {outcome.kind.table: outcome for outcome in outcomes}


async def rows_of(store: CopyStore) -> dict[str, str]:
    """Return the MD5 of every row that a store holds."""
    found = {}
    for kind in COPIED:
        async for batch in store.copies(kind):
            found |= {f"{kind.table} {key}": digest for key, digest in map(line_of, batch)}
    return found


async def fill(store: Database) -> None:
    """Write some of every kind of record, as odd as they come."""
    await store.write([article(n) for n in range(7)])
    await store.write([gone(3), article(4, title="neu", fetched_at=NOW + timedelta(days=1))])
    await store.write([page(n, is_relevant=n % 2 == 0, score=n / 7) for n in range(5)])
    odd: list[dict[str, Any]] = [
        dict.fromkeys(("title", "body_text", "author"), text) for text in ODD
    ]
    await store.write([numbered(n, body_html=ODD[n] * 9, **fields) for n, fields in enumerate(odd)])
    await store.write([numbered(90, extra=odd_extra(), tags=[], published=None)])
    await store.write([missing_number(n, reason=ODD[n]) for n in range(3)])
    await store.write([missing_number(2, reason=ODD[2], found_at=NOW)])
    await store.write([template_record(n, title=ODD[n]) for n in range(3)])
    await store.write(
        [GoneRecord(crawl="template-contacts", url=template_record(1).url, gone_at=NOW)]
    )
    await store.write([template_record(2, title=ODD[2], values=[], window=2)])
    await store.write([seed(n, query=ODD[n]) for n in range(2)])
    await store.write([price_decision(note=ODD[n], span=f"{n}") for n in range(2)])
    await store.write([page_verdict(n, judge=ODD[n]) for n in range(2)])
    await store.write([own(n, item=json.dumps({ODD[n]: ODD[n], "n": 2**70})) for n in range(3)])
    await store.write_run(crawl_run(1))
    await store.set_state("demo.list/$x", {"$a.b": ["玉米", None, 1.5], "": {"\x00": "\x00"}})


async def keep_earlier(store: MongoStore, folder: Path) -> None:
    """Copy the earlier versions that SQLite keeps of the same records, for MongoDB keeps none of its own."""
    (other,) = make_stores(f"sqlite:///{folder}/earlier.sqlite")
    await other.open()
    await fill(other)
    for kind in (REVISIONS, RECORD_REVISIONS):
        async for batch in other.copies(kind):
            await store.copy(kind, batch, ())
    await other.close()


@pytest.mark.server
@pytest.mark.parametrize("stores", PAIRS, indirect=True, ids="-".join)
async def test_every_row_arrives_and_a_second_time_changes_nothing(
    stores: tuple[Any, Any], tmp_path: Path
) -> None:
    source, target = stores
    await fill(source)
    if isinstance(source, MongoStore):
        await keep_earlier(source, tmp_path)
    done = await transfer(source, target, tmp_path)
    assert {name: (o.rows, o.written, o.others) for name, o in done.items()} == {
        "articles": (7, 7, 0),
        "pages": (5, 5, 0),
        "numbered_articles": (8, 8, 0),
        "missing_numbers": (3, 3, 0),
        "template_records": (3, 3, 0),
        "seeds": (2, 2, 0),
        "price_decisions": (2, 2, 0),
        "items": (3, 3, 0),
        "page_verdicts": (2, 2, 0),
        "crawl_state": (1, 1, 0),
        "article_revisions": (1, 1, 0),
        "record_revisions": (1, 1, 0),
        "crawl_runs": (1, 1, 0),
    }
    before = await rows_of(source)
    assert await rows_of(target) == before
    assert len(before) == 39
    found = [{entry.url for entry in await store.search("爬虫")} for store in (source, target)]
    assert (len(found[0]), found[1]) == (7, found[0])
    again = await transfer(source, target, tmp_path)
    assert [o.written for o in again.values()] == [0] * 13
    assert [o.rows for o in again.values()] == [7, 5, 8, 3, 3, 2, 2, 3, 2, 1, 1, 1, 1]
    for read in (
        "articles",
        "quotes",
        "summaries",
        "pages",
        "numbered",
        "template_records",
        "items",
        "page_verdicts",
    ):
        assert await everything(getattr(target, read)()) == await everything(
            getattr(source, read)()
        )
    assert await target.get_state("demo.list/$x") == await source.get_state("demo.list/$x")
    # Times are the source's own, and a store takes what was copied for what it knows.
    ours, theirs = (
        await source.known([article(4).url_md5]),
        await target.known([article(4).url_md5]),
    )
    assert theirs == ours
    assert await target.write([numbered(90, extra=odd_extra(), tags=[], published=None)]) == (
        await source.write([numbered(90, extra=odd_extra(), tags=[], published=None)])
    )
    await source.write([article(1, title="neu", quotes=[]), numbered(0)])
    await target.write([page(77)])
    third = await transfer(source, target, tmp_path)
    earlier = int(not isinstance(source, MongoStore))
    assert [(o.written, o.others) for o in third.values()] == [
        *[(1, 0), (0, 1), (1, 0), *[(0, 0)] * 7, (earlier, 0), (0, 0), (0, 0)]
    ]  # fmt: skip
    assert (await rows_of(target)).items() >= (await rows_of(source)).items()
    assert [name for name in os.listdir(tmp_path) if name.endswith(".jsonl")] == []


@pytest.mark.parametrize("stores", [("mongodb", "mysql")], indirect=True, ids="-".join)
async def test_documents_of_another_program_arrive_whole(
    stores: tuple[Any, Any], tmp_path: Path, mongo_url: str
) -> None:
    source, target = stores
    with MongoClient(mongo_url) as client:
        collection = client.get_default_database()["numbered_articles"]
        collection.drop_indexes()
        collection.insert_many(map(dict, FOREIGN))
    done = await transfer(source, target, tmp_path)
    assert done["numbered_articles"].rows == len(FOREIGN)
    assert await rows_of(target) == await rows_of(source)
    # Not in order: numbers that are none, or not there, have their own in MongoDB.
    ours, theirs = await everything(source.numbered()), await everything(target.numbered())
    assert sorted(theirs, key=repr) == sorted(ours, key=repr)


@pytest.mark.parametrize("stores", [("mongodb", "sqlite")], indirect=True, ids="-".join)
async def test_our_articles_that_another_program_changed_come_through(
    stores: tuple[Any, Any], tmp_path: Path, mongo_url: str
) -> None:
    source, target = stores
    names = "description tags first_seen fetched_at published content_md5 body_html number".split()
    await source.write([numbered(n, title=f"苹果 {name}") for n, name in enumerate(names)])
    theirs = {
        "extra_json": "no JSON",
        "large_texts": "of another kind",
        "record_md5": "0" * 32,
        "late": DatetimeMS(2**55),
    }
    with MongoClient(mongo_url) as client:
        collection = client.get_default_database()["numbered_articles"]
        for number, name in enumerate(names):
            collection.update_one({"number": number}, {"$unset": {name: 1}, "$set": {"note": 1}})
        for name, value in theirs.items():
            url = f"http://their.example/{name}"
            collection.insert_one({"url": url, "url_md5": check_code(url), name: value})
    assert len(await source.search("苹果")) == len(names)
    await transfer(source, target, tmp_path)
    assert await rows_of(target) == await rows_of(source)
    found = {entry.url: entry.extra async for entry in target.numbered()}
    assert sum(extra.get("note") == 1 for extra in found.values()) == len(names)
    for name in ("extra_json", "large_texts"):
        assert found[f"http://their.example/{name}"] == {name: theirs[name]}
    assert "late" in found["http://their.example/late"]


@pytest.mark.parametrize("stores", [("mongodb", "sqlite")], indirect=True, ids="-".join)
async def test_a_key_that_is_no_text_is_said(
    stores: tuple[Any, Any], tmp_path: Path, mongo_url: str
) -> None:
    source, target = stores
    await source.write([numbered(1)])
    with MongoClient(mongo_url) as client:
        collection = client.get_default_database()["numbered_articles"]
        for key in (5, {"a": 1}):
            collection.insert_one({"url": "http://their.example/", "url_md5": key})
            with pytest.raises(
                StoreError, match="not a string; remove the field, and it is created again"
            ):
                await transfer(source, target, tmp_path)
            collection.update_one({"url_md5": key}, {"$unset": {"url_md5": 1}})
            await source.open()
    await transfer(source, target, tmp_path)
    assert await target.count(NUMBERED) == 3


@pytest.mark.parametrize("stores", [("mongodb", "sqlite")], indirect=True, ids="-".join)
@pytest.mark.parametrize("name", ["quotes", "pages"])
async def test_a_field_that_no_table_has_is_said_not_lost(
    stores: tuple[Any, Any], tmp_path: Path, mongo_url: str, name: str
) -> None:
    source, target = stores
    await fill(source)
    with MongoClient(mongo_url) as client:
        collection = client.get_default_database()[name]
        collection.update_one({}, {"$set": {"mine": 1}})
        with pytest.raises(
            StoreError, match=f"of {name} has a field 'mine' that no table has; correct"
        ):
            await transfer(source, target, tmp_path)
        collection.update_many({}, {"$unset": {"mine": 1, "site": 1, "unit": 1}})
        with pytest.raises(StoreError, match=f"of {name} has no field '(site|unit)'; correct"):
            await transfer(source, target, tmp_path)


@pytest.mark.parametrize("stores", [("sqlite", "sqlite")], indirect=True, ids="-".join)
async def test_what_somebody_changes_meanwhile_is_an_error_that_names_it(
    stores: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = stores
    await fill(source)
    copy = target.copy

    async def spoiled(kind: Any, entries: Any, held: Any) -> None:
        await copy(kind, entries, held)
        if kind.table == "pages":
            await target.write([page(1, title="boshaft"), page(2, text="boshaft")])

    with monkeypatch.context() as broken:
        broken.setattr(target, "copy", spoiled)
        with pytest.raises(
            TransferError, match=r"2 rows of .* differ from those of .*, first pages"
        ) as caught:
            await transfer(source, target, tmp_path)
    assert page(1).key in str(caught.value)
    assert page(2).key in str(caught.value)
    assert (await transfer(source, target, tmp_path))["pages"].written == 2
    assert await rows_of(target) == await rows_of(source)


@pytest.mark.parametrize("stores", [("sqlite", "sqlite")], indirect=True, ids="-".join)
async def test_one_transfer_at_a_time_and_never_onto_itself(
    stores: tuple[Any, Any], tmp_path: Path
) -> None:
    source, target = stores
    with pytest.raises(StoreError, match="is source and target; name another"):
        await transfer(source, source, tmp_path)
    running = Ledger(tmp_path, source.label, target.label)
    running.open()
    with pytest.raises(AlreadyRunningError, match="is running; wait"):
        await transfer(source, target, tmp_path)
    running.close(is_done=False)
    await transfer(source, target, tmp_path)


def test_a_line_of_the_ledger_that_lost_only_its_end_is_written_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "a", "b")
    for _ in range(2):
        ledger.open()
        ledger.add("pages", [("key", "md5")])
        ledger.close(is_done=False)
        (path,) = tmp_path.glob("*.jsonl")
        assert list(ledger.lines("pages")) == [("key", "md5")]
        path.write_bytes(path.read_bytes().removesuffix(b"\n"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said_and_the_ledger_let_go(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, "a", "b")
    for _ in range(2):
        ledger.open()
        assert ledger._file is not None
        ledger._file.close()
        ledger._file = Path("/dev/full").open("wb")  # noqa: SIM115 - the ledger closes it
        with pytest.raises(StoreError, match=r"cannot be written .*free some space"):
            ledger.add("pages", [("key", "md5")])
        ledger.close(is_done=False)


@pytest.mark.parametrize("stores", [("sqlite", "sqlite")], indirect=True, ids="-".join)
async def test_a_target_that_was_emptied_is_filled_though_the_ledger_says_it_is_full(
    stores: tuple[Any, Any], tmp_path: Path
) -> None:
    source, target = stores
    await fill(source)
    left = Ledger(tmp_path, source.label, target.label)
    left.open()
    for kind in COPIED:
        async for batch in source.copies(kind):
            left.add(kind.table, [line_of(entry) for entry in batch])
    left.close(is_done=False)
    (name,) = [name for name in os.listdir(tmp_path) if name.endswith(".jsonl")]
    with (tmp_path / name).open("ab") as torn:
        torn.write(b'["pages", "ff')
    await transfer(source, target, tmp_path)
    assert await rows_of(target) == await rows_of(source)


async def test_what_the_target_cannot_take_is_named_and_all_else_is_there(
    mysql_url: str, tmp_path: Path
) -> None:
    (source,), (target,) = make_stores(f"sqlite:///{tmp_path}/a.sqlite"), make_stores(mysql_url)
    await source.open()
    large = numbered(2, body_html="x" * 17_000_000)
    await source.write([numbered(1), large, numbered(3, site="x" * 300), numbered(4)])
    with pytest.raises(
        TransferError, match=r"^2 records are not in .*(max_allowed_packet|refused)"
    ):
        await transfer(source, target, tmp_path)
    assert [entry.number for entry in await everything(target.numbered(SERIES))] == [1, 4]
    await source.close()
    await target.close()


async def test_bodies_of_many_mb_go_both_ways(
    mongo_url: str, mysql_url: str, tmp_path: Path
) -> None:
    given = [numbered(1, body_html="<p>\x00😀</p>" * MEGABYTES * 90_000), numbered(2)]
    first, second = (make_stores(url)[0] for url in (mongo_url, mysql_url))
    with mysql_connection(mysql_url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@GLOBAL.max_allowed_packet")
        ((before,),) = cursor.fetchall()
        try:
            cursor.execute("SET GLOBAL max_allowed_packet = 1 << 28")
            await first.open()
            assert await first.write(given) == Written(new=2)
            await transfer(first, second, tmp_path)
            assert await everything(second.numbered()) == given
            with MongoClient(mongo_url) as client:
                client.drop_database(client.get_default_database())
            await transfer(second, first, tmp_path)
            assert await everything(first.numbered()) == given
        finally:
            cursor.execute(f"SET GLOBAL max_allowed_packet = {before}")
    await first.close()
    await second.close()


def test_the_digest_is_of_all_but_the_terms() -> None:
    from focuscrawl.stores.records.canonical_records import prepare

    entry = prepare(article())
    first = line_of(entry)
    entry.row["terms_title"] = "x"
    assert line_of(entry) == first
    entry.parts[0]["seq"] = 7
    assert line_of(entry) != first
    entry.parts[0]["seq"] = 0
    assert line_of(entry) == first
    entry.row["gone_at"] = datetime(2026, 1, 1, tzinfo=UTC)
    assert line_of(entry) != first
