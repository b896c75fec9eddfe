"""``scrapy report``: the workbook from a store, and one sentence for every mistake."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import openpyxl
import pytest
from scrapy.settings import Settings

from focuscrawl.commands.report import Command, source_store
from focuscrawl.errors import ArgumentError
from focuscrawl.items import Article, GoneArticle, Quote, Record
from focuscrawl.stores.store_urls import make_stores
from tests.reports.invented_quotes import invented_quotes, make_quote
from tests.stores.record_examples import page

TODAY = date(2026, 3, 2)
PROJECT = Path(__file__).parents[2]


GONE = "http://127.0.0.1/gone.html"


def make_records() -> list[Record]:
    """One complete article a day, an old incomplete one, and one that comes and goes."""
    by_url: dict[str, list[Quote]] = defaultdict(list)
    for stored in invented_quotes(30, TODAY):
        by_url[stored.article_url].append(stored.quote)
    articles = [an_article(url, quotes) for url, quotes in by_url.items()]
    old = an_article("http://127.0.0.1/old.html", [make_quote(date(2025, 3, 2))], missing=True)
    gone = an_article(GONE, [make_quote(date(2025, 4, 2), entity="不再有的企业")])
    return [*articles, old, gone]


def an_article(url: str, quotes: list[Quote], missing: bool = False) -> Article:
    return Article(
        url=url,
        site="demo",
        title="玉米价格",
        text=url,
        published=quotes[0].date,
        page_urls=[url],
        missing_urls=[f"{url}?page=2"] if missing else [],
        fetched_at=datetime(2026, 3, 2, tzinfo=UTC),
        quotes=quotes,
    )


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "quotes.sqlite"

    async def fill() -> None:
        (store,) = make_stores(f"sqlite:///{path}")
        await store.open()
        await store.write(make_records())
        gone_at = datetime(2026, 3, 1, tzinfo=UTC)
        await store.write([GoneArticle(url=GONE, site="demo", gone_at=gone_at)])
        await store.close()

    asyncio.run(fill())
    return path


def run(*arguments: str, **settings: str) -> int:
    """Run the command in this process and return its exit code."""
    command = Command()
    command.settings = Settings(settings)
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    try:
        options, rest = parser.parse_known_args(arguments)
    except ArgumentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    command.run(rest, options)
    return command.exitcode


def test_a_workbook_out_of_a_store(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.xlsx"
    assert run("-o", str(path), "--store", f"sqlite:///{database}") == 0
    quotes = sum(1 for _ in invented_quotes(30, TODAY)) + 1
    entities = {stored.quote.entity for stored in invented_quotes(30, TODAY)}
    shown = capsys.readouterr()
    assert shown.out == f"{path}: {quotes} quotes of {len(entities)} entities on 32 dates\n"
    assert shown.err == ""
    book = openpyxl.load_workbook(path)
    assert book["报价明细"].max_row == quotes + 1
    assert book["价格矩阵"].max_column == 5 + 32
    assert {row[0] for row in book["数据质量"].values} >= {"文章不完整", "文章已下线"}


def test_since_leaves_out_older_quotes_and_articles(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    since = str(TODAY - timedelta(days=9))
    assert run("-o", str(path), "--store", f"sqlite:///{database}", "--since", since) == 0
    book = openpyxl.load_workbook(path)
    assert book["价格矩阵"].max_column == 5 + 10
    assert "文章不完整" not in {row[0] for row in book["数据质量"].values}


def test_a_sheet_that_cannot_be_made_ends_with_exit_code_3(
    database: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by a test")

    monkeypatch.setattr("focuscrawl.reports.sheets.price_movements_sheet._change_row", fail)
    path = tmp_path / "x.xlsx"
    assert run("-o", str(path), "--store", f"sqlite:///{database}") == 3
    shown = capsys.readouterr()
    assert shown.out.startswith(f"{path}: ")
    assert shown.err == (
        "sheets of the workbook that could not be made: 走势 (ZeroDivisionError);"
        " this is a fault of the program, please report it\n"
    )
    (record,) = caplog.records
    assert (record.levelname, "ZeroDivisionError: by a test" in record.message) == ("ERROR", True)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["今日摘要", "走势", "价格矩阵", "报价明细", "数据质量"]


async def fill_with_pages(path: Path) -> None:
    (store,) = make_stores(f"sqlite:///{path}")
    await store.open()
    await store.write([page(1), page(2), page(3, is_relevant=False)])
    await store.close()


def test_a_store_of_pages_makes_a_workbook_of_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, database = tmp_path / "x.xlsx", tmp_path / "a.sqlite"
    asyncio.run(fill_with_pages(database))
    assert run("-o", str(path), "--store", f"sqlite:///{database}") == 0
    assert capsys.readouterr().out == f"{path}: 2 relevant pages\n"
    assert openpyxl.load_workbook(path)["网页"].max_row == 3


def test_the_command_line_takes_the_store_from_the_settings(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    command = [sys.executable, "-m", "scrapy", "report", "-o", str(path)]
    stores = f"FOCUSCRAWL_STORES=excel:///{tmp_path}/other.xlsx,sqlite:///{database}"
    done = subprocess.run([*command, "-s", stores], capture_output=True, text=True, cwd=PROJECT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path}: ")
    assert not (tmp_path / "other.xlsx").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name the workbook to write: -o FILE.xlsx"),
        (["-o", "x.xlsx", "--sinse", "2026-01-01"], "unknown option --sinse"),
        (["-o", "x.xlsx", "--since", "last week"], "argument --since: 'last week' is not a date"),
        (["-o", "x.xlsx", "--since", "2026-02-30"], "'2026-02-30' is not a date"),
        (["-o", "x.xlsx", "--since", "2999-01-01"], "is in the future"),
        (["-o", "x.xlsx", "--store", "quotes.sqlite"], "is not a store"),
        (["-o", "x.xlsx", "--store", "oracle://h/d"], "unknown kind of store 'oracle'"),
        (["-o", "x.xlsx", "--store", "sqlite:///no/such.sqlite"], "there is no store"),
        (["-o", "x.xlsx", "--store", "excel:///none.xlsx"], "there is no store"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert list(tmp_path.iterdir()) == []


def test_an_impossible_place_is_a_sentence_too(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "nowhere" / "x.xlsx"
    assert run("-o", str(place), "--store", f"sqlite:///{database}") == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_workbook_alone_names_the_database_beside_it(database: Path) -> None:
    store = source_store(f"excel:///{database.with_suffix('.xlsx')}")
    assert store.label == f"sqlite:///{database}"
