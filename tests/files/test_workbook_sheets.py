"""Sheets of workbooks as text."""

from __future__ import annotations

from io import BytesIO

import openpyxl

from focuscrawl.files.file_reading import Deadline
from focuscrawl.files.workbook_sheets import read_xlsx


def test_what_stands_below_many_empty_rows_is_read() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["A30000"], sheet["A1048576"] = "玉米", "小麦", "大豆"
    file = BytesIO()
    book.save(file)
    found = read_xlsx(file.getvalue(), Deadline(60))
    assert [word in found.text for word in ("玉米", "小麦", "大豆")] == [True] * 3
