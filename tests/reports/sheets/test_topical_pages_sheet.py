"""The sheet of the pages of topical crawls."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import openpyxl

from focuscrawl.items import Page
from focuscrawl.reports.sheets.topical_pages_sheet import NO_RELEVANT_PAGES, PAGES_TITLE
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import StoredQuote
from tests.reports.invented_quotes import make_article, make_quote, make_stored

PAGE = Page(
    url="http://blog.example/1.htm",
    site="blog.example",
    topic="money",
    title="理财笔记",
    text="基金" * 40_000,
    score=1.25,
    relevance=0.93,
    is_relevant=True,
    steps=2,
    via="http://blog.example/",
    fetched_at=datetime(2026, 3, 4, 18, 30, 15, tzinfo=UTC),
)


def book(
    path: Path, pages: list[Page], quotes: list[StoredQuote] | None = None
) -> openpyxl.Workbook:
    write_workbook(path / "x.xlsx", quotes or [], [], pages)
    return openpyxl.load_workbook(path / "x.xlsx")


def test_pages_alone_make_one_sheet_of_the_relevant_ones(tmp_path: Path) -> None:
    irrelevant = replace(PAGE, url="http://x/", is_relevant=False)
    loaded = book(tmp_path, [PAGE, replace(PAGE, url="http://b/", score=-3.0), irrelevant])
    assert loaded.sheetnames == [PAGES_TITLE]
    sheet = loaded[PAGES_TITLE]
    titles, first, second = sheet.iter_rows(values_only=True)
    assert dict(zip(titles, first, strict=True)) == {
        "网址": "http://blog.example/1.htm",
        "网站": "blog.example",
        "标题": "理财笔记",
        "主题": "money",
        "链接得分": 1.25,
        "相关度": 0.93,
        "步数": 2,
        "来源网址": "http://blog.example/",
        "抓取时间（北京）": datetime(2026, 3, 5, 2, 30, 15),
    }
    assert (second[0], second[4]) == ("http://b/", -3)
    assert (sheet["I2"].is_date, sheet["I2"].number_format) == (True, "yyyy-mm-dd hh:mm")
    assert sheet.column_dimensions["I"].width >= len("yyyy-mm-dd hh:mm")
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("B2", "A1:I3")


def test_pages_come_after_the_prices_and_only_if_there_are_any(tmp_path: Path) -> None:
    quotes = [make_stored(make_quote())]
    prices = book(tmp_path, [], quotes).sheetnames
    assert PAGES_TITLE not in prices
    assert book(tmp_path, [PAGE], quotes).sheetnames == [*prices, PAGES_TITLE]
    write_workbook(tmp_path / "x.xlsx", [], [make_article(1, is_gone=True)], [PAGE])
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == [*prices, PAGES_TITLE]
    assert loaded["数据质量"]["A2"].value == "文章已下线"


def test_a_crawl_that_found_nothing_relevant_says_so(tmp_path: Path) -> None:
    sheet = book(tmp_path, [replace(PAGE, is_relevant=False)])[PAGES_TITLE]
    assert [row[0] for row in sheet.iter_rows(values_only=True)] == ["网址", NO_RELEVANT_PAGES]
