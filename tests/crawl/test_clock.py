"""Crawls with a clock that is wrong: the records are kept, the workbook is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import openpyxl
import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_urls import make_destinations
from tests.crawl.conftest import Crawler
from tests.servers.faked_clock import CLOCK
from tests.stores.record_examples import article

MOMENTS = ["1970-01-01 00:00:05", "2200-06-01 12:00:00"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_clock_far_from_today(crawl: Crawler, demo: Callable[..., DemoWeb], moment: str) -> None:
    demo(days=4)
    (crawl.folder / "clock").write_text(moment)
    crawl.environment[CLOCK] = str(crawl.folder / "clock")
    done = crawl("-a", "site=demo")
    assert done.code == 0, done.err
    assert "Traceback" not in done.err, done.err
    assert done.count("new") > 0
    years = crawl.rows("select distinct substr(fetched_at, 1, 4) from articles")
    assert years == [(moment[:4],)]
    book = openpyxl.load_workbook(crawl.folder / "data" / "focuscrawl.xlsx", read_only=True)
    assert all(sum(1 for _ in sheet.rows) for sheet in book)
    book.close()


async def test_records_of_other_centuries(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    stores, workbooks = make_destinations(f"sqlite:///{tmp_path}/a.sqlite,excel:///{path}")
    archive = Archive(stores, tmp_path / "spill", workbooks=workbooks)
    await archive.open()
    first, last = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 6, 1, tzinfo=UTC)
    await archive.write(article(1, fetched_at=first, published=date(2200, 6, 1)))
    await archive.write(article(2, fetched_at=last, published=date(1970, 1, 1)))
    await archive.write(article(3, fetched_at=last, published=date(1, 1, 1)))
    await archive.close()
    book = openpyxl.load_workbook(path, read_only=True)
    assert book.sheetnames
    book.close()
