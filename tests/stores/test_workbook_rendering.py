"""Rendering of a workbook from a database, here and in a process of its own."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from focuscrawl.errors import ReportError, StoreError
from focuscrawl.stores.database_urls import database_at
from focuscrawl.stores.workbook_rendering import DatabaseRenderer, render_workbook
from tests.stores.record_examples import article, page


async def test_all_that_a_database_holds_is_shown(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    database = database_at(url)
    await database.open()
    await database.write([article(1), article(2), page(1)])
    await database.close()
    renderer = DatabaseRenderer(url, database.label)
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
