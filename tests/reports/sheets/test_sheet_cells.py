"""Cells: text stays text, numbers and dates are real, nothing that Excel cannot hold."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from focuscrawl.reports.sheets.sheet_cells import (
    CUT_MARK,
    MAX_TEXT_UNITS,
    Value,
    clean_text,
    column_cells,
    display_width,
    row_xml,
)


def cell_of(value: Value) -> etree._Element:
    (cell,) = etree.fromstring(row_xml(7, [value], [column_cells("C", (1, 2))]))
    return cell


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("玉米", "玉米"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00b\x0bc\x1fd", "abcd"),
        ("a\ud800b\uffffc\ufffed", "abcd"),
        ("😀\tx", "😀\tx"),
    ],
)
def test_text_loses_only_what_xml_forbids(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@given(st.text(st.characters(codec=None)))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


@pytest.mark.parametrize("character", ["玉", "😀"])
def test_long_text_is_cut_at_the_limit_with_a_mark(character: str) -> None:
    units = len(character.encode("utf-16-le")) // 2
    longest = character * (MAX_TEXT_UNITS // units)
    assert clean_text(longest) == longest
    cut = clean_text(longest + character)
    assert cut.endswith(CUT_MARK)
    assert MAX_TEXT_UNITS - 1 <= len(cut.encode("utf-16-le")) // 2 <= MAX_TEXT_UNITS


@pytest.mark.parametrize("text", ["=1+1", "+86", "-5", "@SUM(A1)", "\t=1"])
def test_what_looks_like_a_formula_is_quoted_text(text: str) -> None:
    cell = cell_of(text)
    assert (cell.get("t"), cell.get("s")) == ("inlineStr", "2")
    assert cell.findtext(".//{*}t") == text
    assert cell.find("{*}f") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1.20"), "1.2"),
        (2400, "2400.0"),
        (0.1, "0.1"),
        (date(2024, 2, 29), "45351"),
        (date(1900, 3, 1), "61"),
    ],
)
def test_numbers_and_dates_are_values(value: Value, text: str) -> None:
    cell = cell_of(value)
    assert cell.get("t") is None
    assert cell.findtext("{*}v") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("NaN"), "NaN"),
        (Decimal("1E+999"), "1E+999"),
        (float("inf"), "inf"),
        (date(1899, 12, 31), "1899-12-31"),
    ],
)
def test_what_excel_has_no_value_for_is_text(value: Value, text: str) -> None:
    assert cell_of(value).findtext(".//{*}t") == text


def test_empty_values_have_no_cell_and_do_not_shift_the_others() -> None:
    row = etree.fromstring(
        row_xml(3, [None, "", "x"], [column_cells(one, (0, 0)) for one in "ABC"])
    )
    assert [cell.get("r") for cell in row] == ["C3"]


def test_what_a_column_remembers_of_equal_values_is_alike() -> None:
    cells = [column_cells("A", (1, 2))]
    noon = datetime(2026, 3, 5, 12, tzinfo=UTC)
    for value in (
        noon,
        noon.astimezone(timezone(timedelta(hours=8))),
        "1",
        1,
        Decimal("1.00"),
        0.0,
        -0.0,
    ):
        for row in (7, 8):
            assert row_xml(row, [value], cells) == row_xml(
                row, [value], [column_cells("A", (1, 2))]
            )


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("玉米", 4), ("玉a\nabcd", 4)])
def test_cjk_characters_count_double(text: str, width: int) -> None:
    assert display_width(text) == width
