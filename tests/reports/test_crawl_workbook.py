"""The workbook that a crawl renders from its database when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from focuscrawl.errors import ReportError, StoreError
from focuscrawl.items import PriceDecision
from focuscrawl.reports.crawl_workbook import OutdatedMark
from focuscrawl.reports.sheets.quote_details_sheet import QUALITY_TITLE
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.database_urls import database_at
from focuscrawl.stores.records.price_verdicts import REFUSED
from focuscrawl.stores.store_protocol import Written
from focuscrawl.stores.store_urls import make_destinations
from tests.stores.record_examples import article, everything, price_decision, quote


def archive_of(urls: str, folder: Path, **options: Any) -> Archive:
    stores, workbooks = make_destinations(urls)
    plain = {"batch_age": 0.01}
    return Archive(stores, folder / "spill", workbooks=workbooks, **(plain | options))


async def run(urls: str, folder: Path, *records: Any) -> Archive:
    """Open an archive, write the records, close it."""
    archive = archive_of(urls, folder)
    await archive.open()
    for record in records:
        await archive.write(record)
    await archive.close()
    return archive


def names(folder: Path, end: str = "") -> list[str]:
    found = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    return [name for name in found if name.endswith(end) and name != "spill"]


def test_marks_of_other_workbooks_are_left_alone(tmp_path: Path) -> None:
    for name in (".c.xlsx.12345678.stale", ".[b].xlsx.12345678.stale"):
        (tmp_path / name).touch()
    assert OutdatedMark(tmp_path / "b.xlsx").of_dead_runs() == []
    (found,) = OutdatedMark(tmp_path / "[b].xlsx").of_dead_runs()
    assert found.name == ".[b].xlsx.12345678.stale"


async def test_a_workbook_follows_its_database(tmp_path: Path) -> None:
    book, urls = tmp_path / "b.xlsx", f"sqlite:///{tmp_path}/a.sqlite,excel:///{tmp_path}/b.xlsx"

    first = await run(urls, tmp_path, article(1))
    assert first.locations == [str(tmp_path / "a.sqlite"), str(book)]
    assert list(first.counts.values()) == [Written(new=1)]
    made = book.stat()
    await run(urls, tmp_path, article(1))
    assert book.stat().st_mtime_ns == made.st_mtime_ns
    await run(urls, tmp_path, article(2))
    assert book.stat().st_mtime_ns != made.st_mtime_ns
    book.unlink()
    await run(urls, tmp_path)
    assert book.exists()
    assert names(tmp_path) == ["a.sqlite", "b.xlsx"]


async def test_a_workbook_follows_the_decisions_of_editors(tmp_path: Path) -> None:
    book, urls = tmp_path / "b.xlsx", f"sqlite:///{tmp_path}/a.sqlite,excel:///{tmp_path}/b.xlsx"
    flagged = article(1, quotes=[quote(flag="odd"), quote(entity="潍坊")])
    await run(urls, tmp_path, flagged)
    for verdict, words in (("refused", REFUSED), ("confirmed", ""), ("open", "odd")):
        await decide(f"sqlite:///{tmp_path}/a.sqlite", price_decision(verdict=verdict))
        await run(urls, tmp_path, flagged)
        assert reasons(book) == ([words] if words else [])
        made = book.stat().st_mtime_ns
        await run(urls, tmp_path, flagged)
        assert book.stat().st_mtime_ns == made


async def decide(url: str, decision: PriceDecision) -> None:
    """Write a decision, as the web server does between two runs."""
    store = database_at(url)
    await store.open()
    try:
        await store.write([decision])
    finally:
        await store.close()


def reasons(book: Path) -> list[str]:
    """Return why quotes are in the sheet of doubtful ones."""
    sheet = openpyxl.load_workbook(book)[QUALITY_TITLE]
    cells = [str(cell) for row in sheet.iter_rows(values_only=True) for cell in row if cell]
    return [text for text in ("odd", REFUSED) if any(text in cell for cell in cells)]


@pytest.mark.parametrize(
    "urls", ["sqlite:///{0}/a.sqlite,excel:///{0}/b.xlsx", "excel:///{0}/b.xlsx"]
)
async def test_a_workbook_that_a_killed_run_left_outdated_is_rendered(
    tmp_path: Path, urls: str
) -> None:
    urls = urls.format(tmp_path)
    await run(urls, tmp_path, article(2))
    before = (tmp_path / "b.xlsx").stat().st_mtime_ns
    kill_after_a_write(urls, tmp_path)
    assert len(names(tmp_path, ".stale")) == 1
    await run(urls, tmp_path)
    assert (tmp_path / "b.xlsx").stat().st_mtime_ns != before
    assert names(tmp_path, ".stale") == []


async def test_a_short_run_leaves_the_mark_of_a_longer_one(tmp_path: Path) -> None:
    urls = f"sqlite:///{tmp_path}/a.sqlite,excel:///{tmp_path}/b.xlsx"
    long, short = (archive_of(urls, tmp_path) for _ in "12")
    await long.open()
    (mark,) = names(tmp_path, ".stale")
    await short.open()
    await short.write(article(1))
    await long.write(article(2))
    await short.close()
    assert names(tmp_path, ".stale") == [mark]
    rendered = (tmp_path / "b.xlsx").stat().st_mtime_ns
    await run(urls, tmp_path)
    # Nothing for an idle run to do: the longer one renders at its own end.
    assert (tmp_path / "b.xlsx").stat().st_mtime_ns == rendered
    await long.close()
    assert (tmp_path / "b.xlsx").stat().st_mtime_ns != rendered
    assert names(tmp_path) == ["a.sqlite", "b.xlsx"]


async def test_the_mark_of_a_run_that_dies_during_the_rendering_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = f"sqlite:///{tmp_path}/a.sqlite,excel:///{tmp_path}/b.xlsx"
    archive = archive_of(urls, tmp_path)
    await archive.open()
    await archive.write(article(1))

    async def die_meanwhile(*_: Any) -> list[Any]:
        (tmp_path / ".b.xlsx.12345678.stale").touch()
        (tmp_path / "b.xlsx").touch()
        return []

    with monkeypatch.context() as during:
        during.setattr("focuscrawl.stores.store_urls.in_worker", die_meanwhile)
        await archive.close()
    assert names(tmp_path, ".stale") == [".b.xlsx.12345678.stale"]


def kill_after_a_write(urls: str, folder: Path) -> None:
    run = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.reports.test_crawl_workbook import archive_of
from tests.stores.record_examples import article

async def main():
    archive = archive_of(sys.argv[1], Path(sys.argv[2]))
    await archive.open()
    await archive.write(article(1))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", run, urls, str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL


async def test_what_a_rendering_that_was_killed_left_is_removed_when_old(tmp_path: Path) -> None:
    left = [".b.0123abcd.tmp", ".b.89abcdef.tmp", ".c.0123abcd.tmp"]
    for name in left:
        (tmp_path / name).touch()
    for name in (left[0], left[2]):
        os.utime(tmp_path / name, (1e9, 1e9))
    await run(f"excel:///{tmp_path}/b.xlsx", tmp_path, article(1))
    assert names(tmp_path, ".tmp") == left[1:]


async def test_a_workbook_that_cannot_be_replaced_gets_a_sentence_and_all_is_closed(
    tmp_path: Path,
) -> None:
    urls = f"sqlite:///{tmp_path}/a.sqlite,excel:///{tmp_path}/b.xlsx"
    (source,), books = make_destinations(urls)
    archive = Archive([source], tmp_path / "spill", workbooks=books, batch_age=0.01)
    await archive.open()
    await archive.write(article(1))
    (tmp_path / "b.xlsx").mkdir()
    with pytest.raises(ReportError, match=r"b\.xlsx"):
        await archive.close()
    with pytest.raises(StoreError, match="not open"):
        await source.known([article(1).url_md5])
    assert archive.locations == [str(tmp_path / "a.sqlite")]
    (tmp_path / "b.xlsx").rmdir()
    assert len(names(tmp_path, ".stale")) == 1
    again = await run(urls, tmp_path)
    assert (tmp_path / "b.xlsx").is_file()
    assert again.locations == [str(tmp_path / name) for name in ("a.sqlite", "b.xlsx")]
    assert names(tmp_path, ".stale") == []


async def test_a_lone_workbook_stands_for_the_database_beside_it(tmp_path: Path) -> None:
    url, book = f"excel:///{tmp_path}/b.xlsx", tmp_path / "b.xlsx"
    archive = await run(url, tmp_path, article(1))
    assert archive.locations == [str(book)]
    assert archive.counts == {f"sqlite:///{tmp_path}/b.sqlite": Written(new=1)}
    database = database_at(f"sqlite:///{tmp_path}/b.sqlite")
    await database.open()
    assert await everything(database.articles()) == [article(1)]
    await database.close()
    sheet = openpyxl.load_workbook(book)["报价明细"]
    assert sheet.max_row == 1 + len(article(1).quotes)
    assert names(tmp_path) == ["b.sqlite", "b.xlsx"]


async def test_a_workbook_is_rendered_for_changes_of_its_own_database_only(tmp_path: Path) -> None:
    one, two = (f"excel:///{tmp_path}/{name}.xlsx" for name in ("one", "two"))
    await run(one, tmp_path, article(1))
    await run(two, tmp_path, article(2))
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in ("one.xlsx", "two.xlsx")}
    await run(f"{one},{two}", tmp_path, article(1))
    after = {name: (tmp_path / name).stat().st_mtime_ns for name in ("one.xlsx", "two.xlsx")}
    assert after["one.xlsx"] == before["one.xlsx"]
    assert after["two.xlsx"] != before["two.xlsx"]


async def test_a_run_whose_store_cannot_be_opened_holds_no_mark(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_text("x" * 5000)
    urls = f"sqlite:///{tmp_path}/a.sqlite,excel:///{tmp_path}/b.xlsx"
    with pytest.raises(StoreError, match="not a SQLite database"):
        await archive_of(urls, tmp_path).open()
    assert names(tmp_path) == ["a.sqlite"]


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("/dev/null/x/a.xlsx", "cannot create the folder .*; name another"),
        ("{folder}/away.xlsx", "cannot create the folder /dev/null/x .*; name another"),
        ("{folder}/itself.xlsx", r"itself\.xlsx is a link to itself: choose another name"),
        ("{folder}/folder.xlsx", r"folder\.xlsx is a folder: give the name of a file"),
    ],
)
async def test_a_place_that_cannot_be_used(tmp_path: Path, place: str, sentence: str) -> None:
    (tmp_path / "away.xlsx").symlink_to("/dev/null/x/a.xlsx")
    (tmp_path / "itself.xlsx").symlink_to("itself.xlsx")
    (tmp_path / "folder.xlsx").mkdir()
    with pytest.raises(ReportError, match=sentence):
        await archive_of(f"excel:///{place.format(folder=tmp_path)}", tmp_path).open()
