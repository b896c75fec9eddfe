"""The workbook out of asynchronous streams."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, TypeVar

import openpyxl
import pytest

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.reports.workbook_streams import CHUNK, stream_workbook
from focuscrawl.stored_records import StoredQuote
from tests.reports.invented_quotes import invented_quotes, make_article

T = TypeVar("T")


async def stream(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        await asyncio.sleep(0)
        yield item


def nothing() -> AsyncIterator[Any]:
    return stream(())


@pytest.mark.parametrize("number", [0, CHUNK, CHUNK + 1])
async def test_every_quote_and_article_arrives_once(tmp_path: Path, number: int) -> None:
    path = tmp_path / "x.xlsx"
    quotes = list(invented_quotes(300))[:number]
    await stream_workbook(path, stream(quotes), stream([make_article(1, is_gone=True)]), nothing())
    book = openpyxl.load_workbook(path)
    urls = [row[24] for row in book["报价明细"].iter_rows(min_row=2, values_only=True)]
    assert urls == [stored.article_url for stored in quotes]
    assert book["数据质量"]["A2"].value == "文章已下线"


async def test_the_loop_goes_on_while_the_workbook_is_written(tmp_path: Path) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.001)

    counting = asyncio.create_task(count())
    await stream_workbook(tmp_path / "x.xlsx", stream(invented_quotes(300)), nothing(), nothing())
    counting.cancel()
    assert turns > 3


async def test_a_store_that_goes_away_leaves_the_old_workbook(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(b"old")

    async def quotes() -> AsyncIterator[StoredQuote]:
        for stored in list(invented_quotes(300))[: CHUNK + 9]:
            yield stored
        raise StoreUnavailableError("the database does not answer; start it")

    with pytest.raises(StoreUnavailableError):
        await stream_workbook(path, quotes(), nothing(), nothing())
    assert os.listdir(tmp_path) == ["x.xlsx"]
    assert path.read_bytes() == b"old"


def test_cancelled_half_way_it_leaves_the_old_workbook(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(b"old")

    async def main() -> None:
        reached = asyncio.Event()

        async def quotes() -> AsyncIterator[StoredQuote]:
            for number, stored in enumerate(invented_quotes(900)):
                if number == 3 * CHUNK:
                    reached.set()
                yield stored

        writing = asyncio.create_task(stream_workbook(path, quotes(), nothing(), nothing()))
        await reached.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing

    # asyncio.run waits for the thread: what it was about to do is done when it returns.
    asyncio.run(main())
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.xlsx"]
