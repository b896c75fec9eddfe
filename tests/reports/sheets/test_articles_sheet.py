"""The sheet of the articles of crawls without prices."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import openpyxl
import pytest

from focuscrawl.reports.sheets import articles_sheet, quote_details_sheet
from focuscrawl.reports.sheets.articles_sheet import ARTICLES_TITLE, NUMBERED_TITLE
from focuscrawl.reports.workbook import write_workbook
from tests.reports.invented_quotes import make_article, make_quote, make_stored
from tests.stores.record_examples import numbered

PRICE_SHEETS = ["今日摘要", "走势", "价格矩阵", "报价明细", "数据质量"]


def test_articles_without_prices_make_one_sheet(tmp_path: Path) -> None:
    articles = [
        make_article(1, title="=HYPERLINK(1)", has_prices_read=False),
        make_article(2, has_prices_read=False, is_complete=False, published=None, page_urls=[]),
        make_article(3, has_prices_read=False, is_gone=True),
    ]
    write_workbook(tmp_path / "x.xlsx", [], articles, [], [numbered(7)])
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == [ARTICLES_TITLE, "编号文章"]
    titles, first, second, third = loaded[ARTICLES_TITLE].iter_rows(values_only=True)
    assert dict(zip(titles, first, strict=True)) == {
        "发布日期": datetime(2026, 3, 2),
        "标题": "=HYPERLINK(1)",
        "网址": "http://127.0.0.1/1.html",
        "网站": "demo",
        "首次抓取（北京）": datetime(2026, 3, 2, 12),
        "页数": 1,
        "状态": "完整",
    }
    assert {cell.data_type for cell in loaded[ARTICLES_TITLE]["B"]} == {"s"}
    assert (second[0], second[5], second[6]) == (None, 0, "不完整")
    assert third[6] == "已下线"


@pytest.mark.parametrize("quotes", [[], [make_stored(make_quote())]])
def test_it_follows_the_price_sheets_of_other_articles(
    tmp_path: Path, quotes: list[object]
) -> None:
    without = [make_article(n, has_prices_read=False, is_complete=False) for n in (1, 3)]
    articles = [without[0], make_article(2, is_complete=False), without[1]]
    write_workbook(tmp_path / "x.xlsx", quotes, articles)  # type: ignore[arg-type]
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == [*PRICE_SHEETS, ARTICLES_TITLE]
    assert loaded[ARTICLES_TITLE].max_row == 3
    incomplete = [row for row in loaded["数据质量"].values if row[0] == "文章不完整"]
    assert [row[1] for row in incomplete] == ["第2期玉米价格"]


def _fault(*_: object) -> None:
    raise ZeroDivisionError


def test_a_fault_of_one_sheet_costs_no_row_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    articles = [make_article(n, has_prices_read=n % 2 == 0, is_complete=False) for n in range(9)]
    with monkeypatch.context() as patch:
        patch.setattr(quote_details_sheet, "_incomplete_row", _fault)
        write_workbook(tmp_path / "x.xlsx", [], articles)
    assert openpyxl.load_workbook(tmp_path / "x.xlsx")[ARTICLES_TITLE].max_row == 1 + 4
    monkeypatch.setattr(articles_sheet, "article_row", _fault)
    faults = write_workbook(tmp_path / "x.xlsx", [], articles)
    assert [fault.sheet for fault in faults] == [ARTICLES_TITLE]
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == [*PRICE_SHEETS, ARTICLES_TITLE]
    assert "ZeroDivisionError" in loaded[ARTICLES_TITLE]["A2"].value
    assert loaded["数据质量"].max_row > 5


def test_numbered_articles_alone_make_one_sheet(tmp_path: Path) -> None:
    odd = numbered(80_000, title="=1+1", tags=["@a", "-b"], author="+x\x00", published=None)
    write_workbook(tmp_path / "x.xlsx", [], [], [], [numbered(7), odd])
    loaded = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert loaded.sheetnames == [NUMBERED_TITLE]
    titles, first, second = loaded[NUMBERED_TITLE].iter_rows(values_only=True)
    assert dict(zip(titles, first, strict=True)) == {
        "编号": 7,
        "标题": "Python 教程 7",
        "作者": "李四",
        "发布日期": datetime(2016, 3, 4),
        "标签": "Python 爬虫",
        "摘要": "怎样抓取网页",
        "网址": "http://n.example/article/7.htm",
        "网站": "n.example",
        "抓取时间（北京）": datetime(2026, 3, 5, 16, 30, 15),
    }
    assert second[:5] == (80_000, "=1+1", "+x", None, "@a -b")
    assert {cell.data_type for cell in loaded[NUMBERED_TITLE]["B"]} == {"s"}
