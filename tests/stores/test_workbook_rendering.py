"""Rendering of a workbook from a database, here and in a process of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import openpyxl
import pytest

from focuscrawl.errors import ReportError, StoreError
from focuscrawl.items import Record
from focuscrawl.reports import workbook
from focuscrawl.stores.database_urls import database_at
from focuscrawl.stores.store_urls import DatabaseRenderer, render_workbook
from focuscrawl.system import durable_files
from tests.stores.record_examples import article, page


async def test_all_that_a_database_holds_is_shown(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    await write(url, article(1), article(2), page(1))
    renderer = DatabaseRenderer(url, "a")
    renderer.prepare()
    assert await renderer.render(tmp_path / "b.xlsx") == []
    book = openpyxl.load_workbook(tmp_path / "b.xlsx")
    assert book["报价明细"].max_row == 1 + 2 * len(article(1).quotes)
    assert len(book.sheetnames) == 6


async def test_errors_come_back_from_the_process(tmp_path: Path) -> None:
    renderer = DatabaseRenderer(f"sqlite:///{tmp_path}/a.sqlite", "a")
    with pytest.raises(ReportError, match=r"b\.pdf"):
        await renderer.render(tmp_path / "b.pdf")


def test_a_database_that_cannot_be_read_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_text("x" * 5000)
    with pytest.raises(StoreError, match="not a SQLite database"):
        render_workbook(f"sqlite:///{tmp_path}/a.sqlite", tmp_path / "b.xlsx")
    assert not (tmp_path / "b.xlsx").exists()


def test_a_slow_rendering_replaces_none_of_a_later_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, book = f"sqlite:///{tmp_path}/a.sqlite", tmp_path / "b.xlsx"
    is_rendered, other_goes_on = Event(), Event()
    put, lock = workbook._put_in_place, durable_files.fcntl.flock

    def put_slowly(temporary: Path, target: Path) -> None:
        if not is_rendered.is_set():
            is_rendered.set()
            assert other_goes_on.wait(60)
        put(temporary, target)

    def noticed(file: int, kind: int) -> None:
        if is_rendered.is_set():
            other_goes_on.set()
        lock(file, kind)

    monkeypatch.setattr(workbook, "_put_in_place", put_slowly)
    monkeypatch.setattr(durable_files.fcntl, "flock", noticed)
    asyncio.run(write(url, article(1)))
    with ThreadPoolExecutor() as pool:
        first = pool.submit(render_workbook, url, book)
        assert is_rendered.wait(60)
        asyncio.run(write(url, article(2)))
        second = pool.submit(render_workbook, url, book)
        second.add_done_callback(lambda _: other_goes_on.set())
        assert first.result() == second.result() == []
    assert openpyxl.load_workbook(book)["报价明细"].max_row == 1 + 2 * len(article(1).quotes or ())


async def write(url: str, *records: Record) -> None:
    database = database_at(url)
    await database.open()
    await database.write(records)
    await database.close()
