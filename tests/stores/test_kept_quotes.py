"""The file of quotes that saves reading them again: what is read all the same, and faults of the file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import create_engine, text

from focuscrawl.items import Article
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.sql import price_columns
from focuscrawl.stores.sql.price_columns import PriceColumns, read_columns
from focuscrawl.stores.sql.sql_store import SQLStore
from tests.stores.record_examples import article, gone, price_decision, quote

# That MySQL has the same columns is a test of test_price_rows.py.
STORE_KINDS = ("sqlite",)


@pytest.fixture(autouse=True)
def keep_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a single quote, too."""
    monkeypatch.setattr(price_columns, "KEPT_FROM", 1)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The MD5s of the articles whose quotes are read."""
    found: list[str] = []
    read = SQLStore.price_quotes

    async def noted(store: SQLStore, md5s: Sequence[str]) -> Any:
        found.extend(md5s)
        return await read(store, md5s)

    monkeypatch.setattr(SQLStore, "price_quotes", noted)
    return found


def rows(found: PriceColumns) -> list[tuple[Any, ...]]:
    """Return all that is known of each quote, in order."""
    texts = list(found.texts)
    names = ("seq", "day", "low", "high", "marks")
    return sorted(
        (found.md5(place), texts[text], *values)
        for place, text, *values in zip(
            *(found[name].tolist() for name in ("article", "text", *names)), strict=True
        )
    )


async def read(store: Any, file: Path | None, *, is_whole: bool = False) -> PriceColumns:
    return await read_columns(store, lambda share: None, file, is_whole=is_whole)


def some(number: int) -> Article:
    """Return an article with two quotes of an entity of its own."""
    own = quote(entity=f"第{number}")
    return article(number, quotes=[own, replace(own, flag="odd", unit="元/吨")])


async def test_only_quotes_of_changed_articles_are_read_again(
    store: Database, tmp_path: Path, asked: list[str]
) -> None:
    file = tmp_path / "new" / "prices.npz"
    await store.write([some(number) for number in range(40)])
    await read(store, file)
    assert len(asked) == 40
    asked.clear()
    assert rows(await read(store, file)) == rows(await read(store, None))
    assert len(asked) == 40
    changed = [
        article(3, text="neu", quotes=[quote(entity="neu")]),
        article(5, text="neu", quotes=[]),
        article(41, quotes=[quote(entity="later")]),
    ]
    await store.write([*changed, gone(7)])
    asked.clear()
    found = await read(store, file)
    assert sorted(asked) == sorted(one.url_md5 for one in changed)
    assert rows(found) == rows(await read(store, None))
    # Whether an article is gone is not in the file.
    place = [found.md5(one) for one in range(len(found["keys"]))].index(article(7).url_md5)
    assert found["gone_at"][place]
    assert not np.delete(found["gone_at"], place).any()
    # Both are then kept, with the article that has no quotes.
    asked.clear()
    assert rows(await read(store, file)) == rows(found)
    assert asked == []


async def test_a_verdict_is_there_at_once_and_one_that_is_taken_back_as_well(
    store: Database, tmp_path: Path
) -> None:
    file = tmp_path / "prices.npz"
    await store.write([some(1), article(2, quotes=[quote(entity="第1")])])
    before = rows(await read(store, file))
    own = some(1).quotes or []
    for verdict, flag in (("refused", "人工剔除"), ("confirmed", ""), ("open", "odd")):
        decision = price_decision(
            url=some(1).url, verdict=verdict, reader_flag="odd",
            **{name: getattr(own[1], name) for name in
               ("commodity", "entity", "price_low", "price_high", "unit", "span")},
        )  # fmt: skip
        await store.write([decision])
        found = rows(await read(store, file))
        assert found == rows(await read(store, None))
        assert (found != before) == (flag != "odd"), verdict


async def test_another_database_at_the_same_place_has_its_own_quotes(
    store: Database, tmp_path: Path
) -> None:
    file = tmp_path / "prices.npz"
    await store.write([some(1), some(2), some(3)])
    await read(store, file)
    kept = price_columns.KeptQuotes.load(file)
    assert kept is not None
    # As of a database that was restored: other articles, others' contents.
    keys = [kept.keys[0][:32] + b"0" * 32, b"0" * 64, kept.keys[2]]
    order = np.argsort(np.array(keys))
    numbers = np.argsort(order).astype(np.int32)
    columns = kept.columns | {"article": numbers[kept.columns["article"]]}
    replace(kept, keys=np.array(keys)[order], columns=columns).save(file)
    assert rows(await read(store, file)) == rows(await read(store, None))


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-700])


def _damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(bytes(content))


def _lose_a_column(file: Path) -> None:
    with np.load(file) as found:
        columns = {name: found[name] for name in found if name != "day"}
    np.savez(file, **columns)


def _be_older(file: Path) -> None:
    with np.load(file) as found:
        columns = {name: found[name] for name in found}
    columns["texts"] = np.frombuffer(b'["x"]', dtype=np.uint8)
    np.savez(file, **columns | {"version": np.array("0 1")})


@pytest.mark.parametrize(
    "spoil",
    [
        _cut, _damage, _lose_a_column, _be_older, Path.unlink,
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"\x80\x04N."),
        lambda file: (file.unlink(), file.mkdir()),
    ],
)  # fmt: skip
async def test_a_file_that_cannot_be_used_is_read_as_if_there_were_none(
    store: Database, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    file = tmp_path / "prices.npz"
    await store.write([some(number) for number in range(40)])
    whole = rows(await read(store, file))
    spoil(file)
    assert rows(await read(store, file)) == whole
    assert rows(await read(store, file)) == whole
    assert os.listdir(tmp_path).count("prices.npz") == 1
    assert not [name for name in os.listdir(tmp_path) if name.startswith("prices.npz.")]


async def test_all_is_read_again_if_asked_for_and_written_if_it_is_new(
    store: Database, tmp_path: Path, asked: list[str]
) -> None:
    file = tmp_path / "prices.npz"
    await store.write([some(1)])
    await read(store, file)
    os.utime(file, (1, 1))
    await read(store, file, is_whole=True)
    assert len(asked) == 2
    assert os.stat(file).st_mtime == 1
    # What no mark tells, such as a change by hand.
    engine = create_engine(store.label)
    with engine.begin() as connection:
        connection.execute(text("UPDATE quotes SET price_yuan_per_ton_low = 1"))
    engine.dispose()
    await read(store, file, is_whole=True)
    assert os.stat(file).st_mtime > 1
    assert set((await read(store, file))["low"].tolist()) == {1}


async def test_few_quotes_are_not_written_and_old_rests_are_removed(
    store: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prices.npz"
    rest, fresh = tmp_path / "prices.npz.0a0a0a0a", tmp_path / "prices.npz.0b0b0b0b"
    for left in (rest, fresh):
        left.touch()
    os.utime(rest, (time.time() - 7200,) * 2)
    await store.write([some(1), some(2)])
    monkeypatch.setattr(price_columns, "KEPT_FROM", 5)
    await read(store, file)
    assert not file.exists()
    monkeypatch.setattr(price_columns, "KEPT_FROM", 4)
    await read(store, file)
    kept = sorted(name for name in os.listdir(tmp_path) if name.startswith("prices"))
    assert kept == [file.name, fresh.name]


async def test_an_article_written_meanwhile_is_read_next_time(
    store: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prices.npz"
    await store.write([some(1), some(2)])
    ask = SQLStore.price_quotes
    is_first = True

    async def changed(own: SQLStore, md5s: Sequence[str]) -> Any:
        nonlocal is_first
        if is_first:
            is_first = False
            await store.write([article(1, text="neu", quotes=[quote(entity="neu")]), some(3)])
        return await ask(own, md5s)

    monkeypatch.setattr(SQLStore, "price_quotes", changed)
    await read(store, file)
    assert not is_first
    assert rows(await read(store, file)) == rows(await read(store, None))


async def test_two_programs_write_one_file(store: Database, tmp_path: Path) -> None:
    file = tmp_path / "prices.npz"
    await store.write([some(number) for number in range(20)])
    whole = await read(store, file)
    kept = whole.kept(set())
    replaced, number = Path.replace, 0

    def beside(part: Path, target: Path) -> Path:
        """Replace the file after another program has done so."""
        nonlocal number
        number += 1
        if number == 1:
            kept.save(file)
        assert price_columns.KeptQuotes.load(file) is not None
        return replaced(part, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", beside)
        kept.save(file)
    assert number == 2
    assert rows(await read(store, file)) == rows(whole)
