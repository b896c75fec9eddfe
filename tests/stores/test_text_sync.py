"""The index of texts that follows a store."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from focuscrawl.items import Record
from focuscrawl.search.dated_index import KINDS, Wanted
from focuscrawl.search.search_query import read_query
from focuscrawl.stores import text_sync
from focuscrawl.stores.database_urls import database_at, sqlite_url
from focuscrawl.stores.text_sync import Rewording, TextSync
from tests.stores.record_examples import NOW, article, gone, numbered, own, page, template_record

EACH: list[Record] = [article(1), numbered(1), page(1), template_record(1), own(1)]


class Clock:
    """The time of the index, which a test moves on by more than a minute."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """Return a time a minute later than before."""
        self.now += 61
        return self.now

    def process_time(self) -> float:
        """Return the same time each time: reading costs nothing."""
        return 0.0


@pytest.fixture(params=["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store."""
    if request.param == "mysql":
        found: str = request.getfixturevalue("mysql_url")
        return found
    return sqlite_url(tmp_path / "store.sqlite")


@pytest.fixture
def sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TextSync:
    """An index that is brought up to date at each call."""
    monkeypatch.setattr(text_sync, "time", Clock())
    return TextSync(tmp_path)


def follow(
    sync: TextSync, url: str, records: list[Record], words: Mapping[str, Rewording] | None = None
) -> None:
    """Write records into the store, and bring the index up to date."""

    async def rewordings() -> Mapping[str, Rewording]:
        return words or {}

    async def work() -> None:
        store = database_at(url)
        await store.open()
        try:
            await store.write(records)
            await sync.current(store, rewordings)
        finally:
            await store.close()

    asyncio.run(work())


def found(sync: TextSync, words: str = "", arrived: int | None = None) -> list[tuple[str, str]]:
    query = read_query(words) if words else None
    hits = sync.index.find(Wanted(query=query, arrived=arrived), None, 100)
    return sorted((one.kind, one.key) for one in hits)


def test_texts_of_all_kinds_are_followed(url: str, sync: TextSync) -> None:
    follow(sync, url, EACH)
    assert [kind for kind, _ in found(sync)] == sorted(KINDS)
    assert sync.index.is_whole()
    follow(sync, url, [article(2, title="新来的")])
    assert found(sync, "新来的") == [("article", article(2).url_md5)]
    # A second later of the store, for what is written late has an earlier time in it.
    before = round((NOW + timedelta(days=1)).timestamp() * 1000)
    assert found(sync, arrived=before) == [("article", article(2).url_md5)]


def test_new_texts_do_not_wait_for_hours_after_a_first_reading_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    seconds = iter(range(0, 100_000, 1000))
    monkeypatch.setattr(clock, "process_time", lambda: next(seconds))
    monkeypatch.setattr(text_sync, "time", clock)
    sync, url = TextSync(tmp_path), sqlite_url(tmp_path / "store.sqlite")
    follow(sync, url, EACH)
    follow(sync, url, [article(2, title="新来的")])
    assert found(sync, "新来的") == []
    clock.now += 600
    follow(sync, url, [])
    assert found(sync, "新来的") == [("article", article(2).url_md5)]


def test_what_has_changed_or_is_gone_is_noticed(url: str, sync: TextSync) -> None:
    follow(sync, url, [article(1, title="原来"), article(4)])
    later = NOW + timedelta(days=1)
    changed = article(1, title="后来", published=date(2026, 2, 2), fetched_at=later)
    follow(sync, url, [changed, gone(4)])
    assert found(sync, "后来") == found(sync) == [("article", article(1).url_md5)]
    assert found(sync, "原来") == []


def test_texts_that_a_store_no_longer_has_are_left_out(tmp_path: Path, sync: TextSync) -> None:
    url = sqlite_url(tmp_path / "store.sqlite")
    follow(sync, url, EACH)
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as store, store:
        store.execute("DELETE FROM pages")
        # Of a damaged key nothing is known.
        store.execute("UPDATE articles SET url_md5 = X'7A'")
    follow(sync, url, [])
    assert [kind for kind, _ in found(sync)] == ["item", "numbered", "record"]


def test_words_of_editors_come_and_go(url: str, sync: TextSync) -> None:
    key = numbered(1).url_md5
    follow(sync, url, EACH, {key: Rewording("1", "更正的标题", ("改签",))})
    assert found(sync, "更正的标题") == [("numbered", key)]
    (hit,) = sync.index.find(Wanted(tag="改签"), None, 2)
    assert (hit.key, hit.tags) == (key, ("改签",))
    follow(sync, url, [], {key: Rewording("2", "另一个", None)})
    assert (found(sync, "更正的标题"), found(sync, "另一个")) == ([], [("numbered", key)])
    follow(sync, url, [])
    assert found(sync, "另一个") == []


def test_old_texts_are_read_again_in_turn(
    url: str, sync: TextSync, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_sync, "_READ_AGAIN", 2)
    old = [article(n, published=date(2026, 1, 1) + timedelta(n)) for n in range(9)]
    follow(sync, url, list(old))
    later = NOW + timedelta(days=1)
    changed = article(0, title="改动了", published=date(2026, 1, 1), fetched_at=later)
    follow(sync, url, [changed])
    for _ in range(5):
        follow(sync, url, [])
    assert found(sync, "改动了") == [("article", article(0).url_md5)]
