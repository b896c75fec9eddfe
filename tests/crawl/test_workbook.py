"""The workbook at the end of a crawl: what is in it, and what is said where it is not whole."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler, Finished
from tests.servers import warm_scrapy

BROKEN_SHEET = """
import focuscrawl.price_statistics.price_trends

def changes(daily):
    raise ZeroDivisionError("by a test")

focuscrawl.price_statistics.price_trends.changes = changes
"""


def results(run: Finished) -> list[str]:
    """Return the places that the summary names."""
    lines = run.out.splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith("  results")), len(lines))
    places = [line[12:] for line in lines[start:] if not line.startswith("  error")]
    return [Path(place).name for place in places]


def not_done(run: Finished) -> list[str]:
    return [line for line in run.out.splitlines() if line.startswith("  not done")]


@pytest.fixture
def breaks_a_sheet(crawl: Crawler) -> None:
    """Let every process of the crawl fail to make the sheets 今日摘要 and 走势."""
    folder = crawl.folder / "patched"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BROKEN_SHEET, encoding="utf-8")
    crawl.environment["PYTHONPATH"] = str(folder)


@pytest.mark.usefixtures("breaks_a_sheet")
def test_a_sheet_that_cannot_be_made_is_named_and_the_others_are_written(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=3)
    run = crawl("-a", "site=demo")
    assert run.code == 3
    (line,) = not_done(run)
    assert "今日摘要 (ZeroDivisionError), 走势 (ZeroDivisionError)" in line
    assert "fault of the program" in line
    assert results(run) == ["focuscrawl.sqlite", "focuscrawl.xlsx"]
    assert "ZeroDivisionError: by a test" in run.err
    book = openpyxl.load_workbook(crawl.folder / "data" / "focuscrawl.xlsx")
    assert (book.sheetnames[:3], book.sheetnames[-2:]) == (
        ["今日摘要", "走势", "价格矩阵"],
        ["报价明细", "数据质量"],
    )
    assert "ZeroDivisionError" in book["走势"]["A2"].value
    assert book["报价明细"].max_row > 10
    # Once the program is repaired, a run with nothing new makes the workbook whole.
    del crawl.environment["PYTHONPATH"]
    again = crawl("-a", "site=demo")
    assert (again.code, not_done(again)) == (0, [])
    book = openpyxl.load_workbook(crawl.folder / "data" / "focuscrawl.xlsx")
    assert book["走势"]["A1"].value == "品种"


@pytest.mark.parametrize(
    ("stores", "place", "sentence"),
    [
        # Nothing can replace a folder in the place of the workbook.
        ("sqlite:///data/a.sqlite,excel:///{}", "taken", "b.xlsx is a folder"),
        ("excel:///{}", "taken", "b.xlsx is a folder"),
        ("sqlite:///data/a.sqlite,excel:///{}", "removed", "does not exist: create it"),
    ],
)
def test_a_workbook_whose_place_was_taken_or_removed_is_not_named(
    crawl: Crawler, demo: Callable[..., DemoWeb], stores: str, place: str, sentence: str
) -> None:
    web = demo(days=3)
    book = crawl.folder / "books" / "b.xlsx"
    process = crawl.start("-a", "site=demo", "-s", f"FOCUSCRAWL_STORES={stores.format(book)}")
    # The run has looked at the place of its workbook before it leaves this mark there, and writes
    # nothing else there before its end.
    while not list(book.parent.glob(".*.stale")):
        time.sleep(0.01)
    if place == "taken":
        book.mkdir()
    else:
        shutil.rmtree(book.parent)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert sentence in err
    database = crawl.folder / ("data/a.sqlite" if "data/a.sqlite" in stores else "books/b.sqlite")
    assert results(Finished(process.returncode, out, err)) == [database.name]
    with closing(sqlite3.connect(database)) as connection:
        count = connection.execute("select count(*) from articles").fetchone()
    assert count == (len(web.truth()),)


def report(folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    command = ["report", "-o", "own.xlsx", "--store", "sqlite:///data/focuscrawl.sqlite"]
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    if not before:
        return warm_scrapy.run(command, cwd=folder, env=environment)
    return subprocess.run(
        [*before, sys.executable, "-m", "scrapy", *command],
        cwd=folder, capture_output=True, text=True, env=environment,
    )  # fmt: skip


def test_a_full_disk_leaves_the_earlier_workbook(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=30)
    assert crawl("-a", "site=demo").code == 0
    (crawl.folder / "own.xlsx").write_bytes(b"the old workbook")
    done = report(crawl.folder, "prlimit", "--fsize=40000")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: No space is left for ")
    assert done.stderr.count("\n") == 1
    assert (crawl.folder / "own.xlsx").read_bytes() == b"the old workbook"
    assert list(crawl.folder.glob(".own*")) == []
    assert report(crawl.folder).returncode == 0
