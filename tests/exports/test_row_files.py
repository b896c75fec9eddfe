from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.etree import LxmlError
from openpyxl import load_workbook

from focuscrawl.command_support.output_file import replaced_file
from focuscrawl.errors import ArgumentError
from focuscrawl.exports.row_files import (
    CsvRows,
    JsonLines,
    WorkbookRows,
    csv_cell,
    parquet_file,
    workbook_file,
)

COLUMNS = {"day": date, "name": str, "price": Decimal, "is_new": bool, "seen": datetime, "n": int}
SEEN = datetime(2026, 3, 5, 8, 30, tzinfo=UTC)
ROWS = [
    {"day": date(2026, 3, 4), "name": "=1+1", "price": Decimal("-0.5"), "is_new": True, "seen": SEEN, "n": 1},
    {"day": None, "name": "寿光\n\"金玉米\"", "price": Decimal("2E+3"), "is_new": False, "seen": SEEN, "n": 2},
    {"name": ""},
]  # fmt: skip


def test_csv_rows() -> None:
    out = io.StringIO()
    rows = CsvRows(out, COLUMNS)
    for row in ROWS:
        rows.append(row)
    out.seek(0)
    assert [*csv.reader(out)] == [
        [*COLUMNS],
        ["2026-03-04", "'=1+1", "-0.5", "1", "2026-03-05T08:30:00+00:00", "1"],
        ["", '寿光\n"金玉米"', "2000", "0", "2026-03-05T08:30:00+00:00", "2"],
        ["", "", "", "", "", ""],
    ]


def test_json_lines() -> None:
    out = io.StringIO()
    rows = JsonLines(out, COLUMNS)
    for row in ROWS:
        rows.append(row)
    first, second, third = map(json.loads, out.getvalue().splitlines())
    assert first == {
        "day": "2026-03-04",
        "name": "=1+1",
        "price": -0.5,
        "is_new": True,
        "seen": "2026-03-05T08:30:00+00:00",
        "n": 1,
    }
    assert second["price"] == 2000
    assert third == dict.fromkeys(COLUMNS) | {"name": ""}


def test_parquet_in_several_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focuscrawl.exports.row_files._ROWS_A_GROUP", 2)
    with parquet_file(tmp_path / "a.parquet", COLUMNS) as rows:
        for row in ROWS:
            rows.append(row)
    found = pd.read_parquet(tmp_path / "a.parquet")
    assert [*found.columns] == [*COLUMNS]
    assert found["price"].tolist()[:2] == [-0.5, 2000]
    assert found["name"].tolist() == ["=1+1", '寿光\n"金玉米"', ""]
    assert found["seen"][0] == pd.Timestamp(SEEN)
    assert found["day"][0] == date(2026, 3, 4)


def test_workbook_of_text_and_numbers(tmp_path: Path) -> None:
    with workbook_file(tmp_path / "a.xlsx", COLUMNS, "quotes") as rows:
        for row in ROWS:
            rows.append(row)
    header, first, second, *_ = load_workbook(tmp_path / "a.xlsx")["quotes"].iter_rows()
    assert [cell.value for cell in header] == [*COLUMNS]
    assert [cell.value for cell in first][:3] == [datetime(2026, 3, 4), "=1+1", -0.5]
    assert first[1].data_type != "f"
    assert second[2].value == 2000


@given(st.text(max_size=20))
def test_no_csv_cell_begins_a_formula(text: str) -> None:
    cell = csv_cell(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert cell in (text, f"'{text}")


@pytest.mark.parametrize("name", ["ENOSPC", "EDQUOT", "EFBIG"])
def test_a_workbook_on_a_full_disk(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LxmlError(f"IO_{name}")

    monkeypatch.setattr(WorkbookRows, "append", fail)
    path = tmp_path / "x.xlsx"
    sentence = (
        f"Cannot write {path}: no space is left; free some, there or in the temporary folder."
    )
    with (
        pytest.raises(ArgumentError, match=re.escape(sentence)),
        replaced_file(str(path)) as temporary,
        workbook_file(temporary, COLUMNS, "x") as rows,
    ):
        rows.append(ROWS[0])
    assert list(tmp_path.iterdir()) == []


def test_a_file_whose_program_is_ended_at_any_line_leaves_nothing(tmp_path: Path) -> None:
    # A signal raises SystemExit between any two lines, as this trace function does.
    def ends_at(line: int) -> bool:
        seen = 0

        def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any]:
            nonlocal seen
            ours = frame.f_code.co_name in ("replaced_file", "touch", "mkstemp")
            if ours and event == "line":
                seen += 1
                if seen == line:
                    raise SystemExit
            return trace

        sys.settrace(trace)
        try:
            with replaced_file(str(tmp_path / "x.csv")):
                sys.settrace(None)
        except SystemExit:
            return True
        finally:
            sys.settrace(None)
        return False

    line = 1
    while ends_at(line):
        assert list(tmp_path.iterdir()) == []
        line += 1
    assert line > 4
