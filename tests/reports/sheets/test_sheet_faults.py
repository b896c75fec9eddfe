"""A sheet that cannot be made: a notice in its place, all other sheets, and exit code 3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from focuscrawl.reports import price_figures as figures
from focuscrawl.reports import price_sheets
from focuscrawl.reports.daily_news import DailyDigest
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.sheets import articles_sheet as numbered
from focuscrawl.reports.sheets import daily_summary_sheet as summary
from focuscrawl.reports.sheets import price_matrix_sheet as matrix
from focuscrawl.reports.sheets import price_movements_sheet as movements
from focuscrawl.reports.sheets import quote_details_sheet as details
from focuscrawl.reports.sheets import streamed_table as table
from focuscrawl.reports.sheets import template_records_sheet as template_sheets
from focuscrawl.reports.sheets import topical_pages_sheet as pages
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import StoredQuote
from tests.reports.invented_quotes import invented_quotes, make_article, make_quote, make_stored
from tests.stores.record_examples import numbered as numbered_article
from tests.stores.record_examples import page, template_record

ALL = [
    "今日摘要",
    "走势",
    "价格矩阵",
    "价格矩阵-小麦",
    "报价明细",
    "数据质量",
    "网页",
    "编号文章",
    "contacts",
    "buyers",
]


def fail(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("by a test")


def fail_on(second: Any) -> Any:
    """Return a function of one argument that fails for that of the second call on."""
    seen: list[Any] = []

    def make(argument: Any, *rest: Any) -> Any:
        seen.append(argument)
        if len(seen) > 1:
            fail()
        return second(argument, *rest)

    return make


def write_everything(path: Path) -> tuple[openpyxl.Workbook, list[tuple[str, str]]]:
    wheat = make_stored(make_quote(commodity="小麦", entity="面粉厂", flag=""))
    flagged = make_stored(make_quote(flag="超出范围"))
    faults = write_workbook(
        path,
        [*invented_quotes(5), wheat, flagged],
        [make_article(1, is_gone=True)],
        [page(1), page(2)],
        [numbered_article(1), numbered_article(2)],
        [template_record(1), template_record(2, template="buyers")],
    )
    for fault in faults:
        assert 'raise ZeroDivisionError("by a test")' in fault.traceback
    return openpyxl.load_workbook(path), [(fault.sheet, fault.error) for fault in faults]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> openpyxl.Workbook:
    """The workbook without any fault."""
    book, faults = write_everything(tmp_path_factory.mktemp("whole") / "x.xlsx")
    assert (book.sheetnames, faults) == (ALL, [])
    return book


@pytest.mark.parametrize(
    ("place", "name", "broken"),
    [
        (matrix, "_matrix_rows", ["价格矩阵", "价格矩阵-小麦"]),
        (price_sheets, "add_detail", ["报价明细"]),
        (details, "detail_row", ["报价明细"]),
        (movements, "_change_row", ["走势"]),
        (movements, "_add_chart", ["走势"]),
        (details, "_add_notes", ["数据质量"]),
        (price_sheets, "add_flagged", ["数据质量"]),
        (price_sheets, "add_article", ["数据质量"]),
        (pages, "page_row", ["网页"]),
        (numbered, "numbered_row", ["编号文章"]),
        (template_sheets, "record_row", ["contacts", "buyers"]),
        (summary, "_write_regions", ["今日摘要"]),
        (DailyDigest, "add_quote", ["今日摘要"]),
        (DailyDigest, "add_article", ["今日摘要"]),
        (figures, "changes", ["今日摘要", "走势"]),
        (figures, "daily_means", ["今日摘要", "走势", "价格矩阵"]),
        (QuoteFacts, "add", ["今日摘要", "走势", "价格矩阵"]),
    ],
)
def test_the_other_sheets_are_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: openpyxl.Workbook,
    place: Any,
    name: str,
    broken: list[str],
) -> None:
    monkeypatch.setattr(place, name, fail)
    book, faults = write_everything(tmp_path / "x.xlsx")
    assert faults == [(title, "ZeroDivisionError") for title in broken]
    # What follows from the quotes as a whole is one fault: no commodity is known then.
    expected = [t for t in ALL if "价格矩阵" not in broken or "-" not in t or t in broken]
    assert book.sheetnames == expected
    for title in expected:
        values = list(book[title].values)
        if title in broken:
            assert values == [
                ("未能生成",),
                ("本工作表未能生成（ZeroDivisionError）。这是程序的错误，请向开发者报告。",),
            ]
        elif title != "数据质量":
            assert values == list(whole[title].values)


def test_one_sheet_of_several_of_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "_matrix_rows", fail_on(matrix._matrix_rows))
    monkeypatch.setattr(template_sheets, "record_row", fail_on(template_sheets.record_row))
    book, faults = write_everything(tmp_path / "x.xlsx")
    assert [title for title, _ in faults] == ["价格矩阵-小麦", "buyers"]
    assert book.sheetnames == ALL
    assert book["价格矩阵"].max_row > 2
    assert book["contacts"]["B2"].value == "第1公司"


def test_a_table_over_several_sheets_gets_one_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a broken sheet no spool file is left."""

    def rows(stored: StoredQuote) -> Any:
        return fail() if stored.article_title == "last" else plain_row(stored)

    spool = tmp_path / "spool"
    spool.mkdir()
    plain_row = details.detail_row
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    monkeypatch.setattr(table, "MAX_ROWS", 13)
    monkeypatch.setattr(table, "SAMPLE_CELLS", 1)
    monkeypatch.setattr(details, "detail_row", rows)
    quotes = [*invented_quotes(5), make_stored(make_quote(), article_title="last")]
    (fault,) = write_workbook(tmp_path / "x.xlsx", quotes, [])
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert fault.sheet == "报价明细"
    assert book.sheetnames[:5] == ["今日摘要", "走势", "价格矩阵", "报价明细", "数据质量"]
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize("error", [MemoryError(), OSError(5, "Input/output error")])
def test_a_fault_of_the_machine_is_none_of_a_sheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def break_down(*_: Any) -> None:
        raise error

    monkeypatch.setattr(price_sheets, "write_movements", break_down)
    with pytest.raises(Exception, match=r"cannot be written|^$"):
        write_workbook(tmp_path / "x.xlsx", [], [])
    assert list(tmp_path.iterdir()) == []


def test_a_fault_in_reading_is_none_of_a_sheet(tmp_path: Path) -> None:
    def quotes() -> Iterator[StoredQuote]:
        yield make_stored(make_quote())
        fail()

    with pytest.raises(ZeroDivisionError):
        write_workbook(tmp_path / "x.xlsx", quotes(), [])
    assert list(tmp_path.iterdir()) == []
