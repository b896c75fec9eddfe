"""Numbered articles and missing numbers: what every store promises of them, with real servers."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bson import Decimal128, Int64, ObjectId
from pymongo import MongoClient

from focuscrawl.items import NumberedArticle
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.stores.conftest import Opener, StoreOpener
from tests.stores.record_examples import (
    NOW,
    SERIES,
    article,
    everything,
    missing_number,
    numbered,
    page,
)

LATER = NOW + timedelta(days=1)
ODD = [
    "a\x00b\x00",
    "😀𠮷",
    "' OR 1=1; DROP TABLE numbered_articles; -- \\",
    '"\\" %s %(x)s ${HOME} {n}',
    '{"$where": "sleep(1)"}',
    "=HYPERLINK(1)",
    "\r\n\t  长\u2028",
]
NAMES = [*ODD, "$where", "a.b", "", "_id", "url_md5", "extra_json", "large_texts", "terms_body"]


def odd_extra() -> dict[str, Any]:
    values: list[Any] = [*ODD, {"$gt": ""}, {"a.b": {"$oid": "x"}}, 2**70, -1.5, True, [{"": 1}]]
    return dict(zip(NAMES, values, strict=False)) | {"plain": {"b": 1, "a": [None]}}


async def test_numbered_articles_come_back_equal_by_number(
    store: Database, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SMALL", "TEXTS", "KEYS"):
        monkeypatch.setattr(f"focuscrawl.stores.sql.sql_reader.{name}", 4)
    given = [numbered(n) for n in (9, 30, 2, 2**40, 7, 8, 10, 11, 1)]
    other = numbered(5, series="http://other.example/{n}", published=None, extra={}, tags=[])
    assert await store.write([*given, other]) == Written(new=10)
    again = await opened()
    in_order = sorted(given, key=lambda entry: entry.number)
    assert await everything(again.numbered(SERIES)) == in_order
    assert await everything(again.numbered()) == [*in_order, other]
    assert await everything(again.numbers(SERIES)) == [entry.number for entry in in_order]
    assert await everything(again.numbers("never")) == []
    (bare,) = await everything(again.numbered(other.series, bodies=False))
    assert bare == replace(other, body_html="", body_text="", extra={})
    assert await everything(again.articles()) == []


async def test_a_numbered_article_is_replaced_when_anything_differs(store: Database) -> None:
    given = numbered()
    await store.write([given, numbered(2)])
    assert await store.write([replace(given, fetched_at=LATER)]) == Written(unchanged=1)
    changes: list[tuple[dict[str, Any], Written]] = [
        ({"body_text": "neu"}, Written(changed=1)),
        ({"tags": []}, Written(changed=1)),
        ({"author": ""}, Written(changed=1)),
        ({"body_html": "<b>neu</b>"}, Written(unchanged=1, amended=1)),
        ({"published": None}, Written(unchanged=1, amended=1)),
        ({"extra": {"a": 1}}, Written(unchanged=1, amended=1)),
        ({"extra": {}}, Written(unchanged=1, amended=1)),
        ({"body_text": "neu "}, Written(unchanged=1, amended=1)),
    ]
    for days, (change, written) in enumerate(changes, 1):
        given = replace(given, fetched_at=NOW + timedelta(days), **change)
        assert await store.write([given]) == written, change
        assert (await everything(store.numbered()))[0] == given
    assert await store.write([given, numbered(2)]) == Written(unchanged=2)


async def test_odd_numbered_articles_are_kept_byte_for_byte(store: Database) -> None:
    given = [
        numbered(
            n, title=odd, description=odd, tags=[odd], author=odd, body_html=odd, body_text=odd * 9
        )
        for n, odd in enumerate(ODD)
    ]
    given += [
        numbered(50, extra=odd_extra(), site=ODD[2], series=ODD[2]),
        numbered(51, url=f"http://x/{ODD[3]}", site=ODD[3], series=ODD[3]),
    ]
    assert await store.write(given) == Written(new=len(given))
    found = {entry.number: entry for entry in await everything(store.numbered())}
    assert found == {entry.number: entry for entry in given}
    assert json.dumps(found[50].extra, sort_keys=True) == json.dumps(odd_extra(), sort_keys=True)
    assert await everything(store.numbers(ODD[2])) == [50]
    assert await store.write(given) == Written(unchanged=len(given))
    lone = numbered(60, title="\ud83d", extra={"\ud83d": ["\ud83d"]})
    assert await store.write([lone]) == Written(new=1)
    shown = replace(lone, title="\ufffd", extra={"\ufffd": ["\ufffd"]})
    assert (await everything(store.numbered()))[-3:].count(shown) == 1


async def test_impossible_numbered_articles_are_refused_alone(store: Database) -> None:
    bad = [
        numbered(1, title=None),
        numbered(2, extra={"x": float("nan")}),
        numbered(3, extra={"x": NOW}),
        numbered(2**65),
    ]
    with pytest.raises(RefusedRecordsError, match=r"article/1\.htm") as caught:
        await store.write([*bad, numbered(9), missing_number(2**65)])
    assert caught.value.written.outcomes == (None, None, None, None, "new", None)
    assert await everything(store.numbered()) == [numbered(9)]


async def test_missing_numbers_are_held_until_found(store: Database, opened: Opener) -> None:
    given = [missing_number(n) for n in (12, 3, 2**40)]
    assert await store.write([*given, missing_number(4, series="x")]) == Written(failed=4)
    assert await store.write(given) == Written(unchanged=3)
    again = missing_number(3, tries=2, reason="soft 404", due_at=LATER, tried_at=LATER)
    found = missing_number(12, found_at=LATER)
    batch = [again, found, numbered(12), page(1), article(1)]
    assert (await store.write(batch)).outcomes == ("failed", "changed", "new", "new", "new")
    other = await opened()
    assert await everything(other.missing(SERIES)) == [again, given[2]]
    assert await everything(other.missing("x")) == [missing_number(4, series="x")]
    assert await store.write([missing_number(12, tries=2)]) == Written(failed=1)
    assert [entry.number for entry in await everything(store.missing(SERIES))] == [3, 12, 2**40]


async def test_an_archive_holds_what_all_stores_hold_and_misses_what_any_does(
    tmp_path: Path,
) -> None:
    stores = [make_stores(f"sqlite:///{tmp_path}/{name}.sqlite")[0] for name in "ab"]
    for store, numbers in zip(stores, [(1, 2), (2, 3)], strict=True):
        await store.open()
        await store.write([numbered(n) for n in numbers])
        await store.write([missing_number(n + 10, tries=n) for n in numbers])
        await store.close()
    archive = Archive(stores, tmp_path)
    await archive.open()
    assert await archive.numbers(SERIES) == {2}
    missing = await archive.missing(SERIES)
    assert {number: entry.tries for number, entry in missing.items()} == {11: 1, 12: 2, 13: 3}
    await archive.close()


FOREIGN: list[dict[str, Any]] = [
    {"url": "http://jb.example/article/1.htm", "title": "只有标题", "content": "正文\x00😀"},
    {"url": "http://jb.example/article/1.htm", "title": "又一次", "number": "7"},
    {"title": None, "tags": "a,b", "published": datetime(2016, 3, 4, 10, 22, tzinfo=UTC)},
    {"number": Int64(8), "crawled": datetime(2016, 3, 4, tzinfo=UTC), "price": Decimal128("1.50")},
    {"_id": "own", "number": 9, "body_text": 5, "of": {"$id": ObjectId("0" * 24), "n": [1, 2.0]}},
]


async def test_a_collection_of_another_program_is_read(mongo_url: str) -> None:
    with MongoClient(mongo_url, tz_aware=True) as client:
        client.get_default_database()["numbered_articles"].insert_many(map(dict, FOREIGN))
        (store,) = make_stores(mongo_url)
        await store.open()
        await store.open()
        found = {entry.title or entry.number: entry for entry in await everything(store.numbered())}
        first, second = found["只有标题"], found["又一次"]
        assert (first.number, first.tags, first.extra) == (0, [], {"content": "正文\x00😀"})
        assert (datetime.now(UTC) - first.fetched_at).total_seconds() < 600
        assert (second.number, second.url) == (7, first.url)
        assert found[0].published == datetime(2016, 3, 4).date()
        when = {"$date": "2016-03-04T10:22:00Z"}
        assert found[0].extra == {"tags": "a,b", "published": when}
        assert found[8].extra == {
            "crawled": {"$date": "2016-03-04T00:00:00Z"},
            "price": {"$numberDecimal": "1.50"},
        }
        of = {"$id": {"$oid": "0" * 24}, "n": [1, 2.0]}
        assert found[9].extra == {"body_text": 5, "of": of}
        kept = client.get_default_database()["numbered_articles"].find({}, {"url_md5": 0, "_id": 0})
        given = [{k: v for k, v in entry.items() if k != "_id"} for entry in FOREIGN]
        assert sorted(kept, key=repr) == sorted(given, key=repr)
        taken = numbered(1, url=FOREIGN[0]["url"])
        assert await store.write([taken]) == Written(changed=1)
        assert len(await everything(store.numbered())) == 5
        await store.close()


def large(number: int, **fields: Any) -> NumberedArticle:
    return numbered(number, body_html="<p>玉米</p>\x00" * 100_000, **fields)


async def test_mongodb_keeps_what_is_too_large_in_files(
    mongo_url: str, monkeypatch: pytest.MonkeyPatch, open_store: StoreOpener
) -> None:
    for module in ("mongo_store", "mongo_documents"):
        monkeypatch.setattr(f"focuscrawl.stores.mongo.{module}.LARGEST", 1_000_000)
    store = await open_store(mongo_url)
    both = large(1, body_text="词" * 400_000, extra={"raw": "x" * 1_100_000})
    long_article, long_page = article(text="长" * 400_000), page(text="长" * 400_000)
    batch = [both, large(2), long_article, long_page]
    assert await store.write(batch) == Written(new=4)
    assert await everything(store.numbered()) == batch[:2]
    assert await everything(store.articles()) == [long_article]
    assert await everything(store.pages()) == [long_page]
    assert await store.write(batch) == Written(unchanged=4)
    with MongoClient(mongo_url) as client:
        files = client.get_default_database()["fs.files"]
        assert files.count_documents({}) == 6
        small = [numbered(1), article(), page(), large(2, title="neu")]
        assert await store.write(small) == Written(changed=4)
        assert files.count_documents({}) == 1
        chunks = client.get_default_database()["fs.chunks"]
        assert len(chunks.distinct("files_id")) == 1
    assert await everything(store.numbered()) == [numbered(1), small[3]]
    assert await everything(store.articles()) == [article()]
    assert await everything(store.pages()) == [page()]


async def test_mysql_says_which_numbered_article_is_too_large(
    mysql_url: str, open_store: StoreOpener
) -> None:
    store = await open_store(mysql_url)
    # Neither part alone is too large, but the row is.
    fields: dict[str, Any] = {"body_html": "'" * 5_000_000, "body_text": " " * 2_000_000}
    with pytest.raises(RefusedRecordsError, match=r"article/2\.htm.*max_allowed_packet") as caught:
        await store.write([numbered(1), numbered(2, extra={"raw": "x" * 9_000_000}, **fields)])
    assert caught.value.written == Written(new=1)
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM numbered_articles WHERE terms_title <> ''")
        assert cursor.fetchone() == (1,)
