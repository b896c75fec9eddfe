"""The sheet of numbered articles."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import openpyxl

from focuscrawl.reports.sheets.numbered_articles_sheet import NUMBERED_TITLE
from focuscrawl.reports.workbook import write_workbook
from tests.reports.invented_quotes import make_quote, make_stored
from tests.stores.record_examples import numbered


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


def test_numbered_articles_come_last(tmp_path: Path) -> None:
    undated = replace(numbered(), published=date(1800, 1, 1))
    write_workbook(tmp_path / "x.xlsx", [make_stored(make_quote())], [], [], [undated])
    names = openpyxl.load_workbook(tmp_path / "x.xlsx").sheetnames
    assert (len(names) > 3, names[-1]) == (True, NUMBERED_TITLE)
