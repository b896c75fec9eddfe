"""Pages of topical crawls: what every store promises of them, with real servers."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.items import Page
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_urls import make_stores
from tests.stores.record_examples import NOW, article, everything, gone, page

LATER = NOW + timedelta(days=1)


def worth(entry: Page) -> tuple[Any, ...]:
    return entry.is_relevant, entry.relevance, entry.score, entry.key


async def test_pages_come_back_equal_and_best_first(
    store: Database,
    opened: Callable[[], Awaitable[Database]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, size in {
        "sql.sql_reader.SMALL": 3,
        "sql.sql_reader.TEXTS": 2,
        "mongo.mongo_store._TEXTS": 3,
    }.items():
        monkeypatch.setattr(f"focuscrawl.stores.{name}", size)
    numbers = [-2.5, 1 / 3, 1e-300, 12345678.9]
    given = [
        page(n, score=numbers[n % 4], relevance=n % 3 / 7, is_relevant=n % 2 == 0, steps=n)
        for n in range(20)
    ]
    other = page(1, topic="理财")
    assert await store.write([*given, other]) == Written(new=21)
    again = await opened()
    assert await everything(again.pages("money")) == sorted(given, key=worth, reverse=True)
    assert await everything(again.pages("理财")) == [other]
    assert len(await everything(again.pages())) == 21
    assert await everything(again.articles()) == []


async def test_only_what_is_new_of_a_page_is_written(store: Database) -> None:
    await store.write([page()])
    assert await store.write([page(fetched_at=LATER)]) == Written(unchanged=1)
    assert await everything(store.pages()) == [page()]
    judged = {"score": -0.7, "relevance": 0.2, "steps": 3, "via": "http://x/", "site": "x"}
    given = page()
    for days, (field, value) in enumerate(judged.items(), 1):
        given = replace(given, fetched_at=NOW + timedelta(days), **{field: value})
        assert await store.write([given]) == Written(unchanged=1, amended=1), field
        assert await everything(store.pages()) == [given]
    content = {"text": "全新", "title": "理财 笔记  1", "is_relevant": False}
    for days, (field, value) in enumerate(content.items(), 10):
        given = replace(given, fetched_at=NOW + timedelta(days), **{field: value})
        assert await store.write([given]) == Written(changed=1), field
        assert await everything(store.pages()) == [given]
    assert await store.write([replace(given, fetched_at=LATER)]) == Written(unchanged=1)


async def test_a_batch_of_several_kinds_is_answered_in_order(store: Database) -> None:
    batch = [page(1), article(1), page(1, steps=2), gone(1), page(1, text="neu"), page(2)]
    written = await store.write(batch)
    assert written.outcomes == ("new", "new", "amended", "gone", "changed", "new")
    assert await everything(store.articles()) == [article(1)]
    assert {entry.text for entry in await everything(store.pages())} == {"neu", page(2).text}
    assert await store.write([page(2), gone(1)]) == Written(unchanged=2)


async def test_odd_pages_are_kept_and_impossible_ones_refused(store: Database) -> None:
    odd = ["a\x00b", "😀𠮷", "\ud83d", "'; DROP TABLE pages; --", "=1+1", "长" * 70_000]
    texts = [{"title": text, "text": text, "via": text} for text in odd]
    good = [page(n, **text) for n, text in enumerate(texts)]
    impossible = [page("a", score=float("inf")), page("b", relevance=float("nan"))]
    no_text: list[Page] = [page("c", title=None), page("\ud83d")]
    with pytest.raises(RefusedRecordsError, match=r"a\.htm cannot be stored: inf") as caught:
        await store.write([*impossible, *good, *no_text])
    assert caught.value.written == Written(new=len(good))
    assert caught.value.written.outcomes[1:3] == (None, "new")
    shown = [text.replace("\x00", "\ufffd").replace("\ud83d", "\ufffd") for text in odd]
    read = {entry.url: entry for entry in await everything(store.pages())}
    assert [read[entry.url].title for entry in good] == shown
    assert [read[entry.url].text for entry in good] == shown
    assert [read[entry.url].via for entry in good] == shown
    assert await store.write(good) == Written(unchanged=len(good))


async def test_first_seen_stays_and_the_row_has_the_key_and_the_md5(tmp_path: Path) -> None:
    (store,) = make_stores(f"sqlite:///{tmp_path}/a.sqlite")
    await store.open()
    changed = page(text="neu", fetched_at=LATER)
    await store.write([page()])
    await store.write([changed])
    await store.close()
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        rows = connection.execute("SELECT key, content_md5, first_seen < fetched_at FROM pages")
        assert rows.fetchall() == [(changed.key, changed.content_md5, 1)]
