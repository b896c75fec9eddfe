"""Tables streamed row by row into worksheets that openpyxl spools to disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.header_footer import HeaderFooterItem, _HeaderFooterPart
from openpyxl.worksheet.page import PageMargins

from focuscrawl.reports.sheets.sheet_cells import Value, display_width, row_xml
from focuscrawl.reports.sheets.worksheets import (
    DATE_FORMAT,
    Sheet,
    add_sheet,
    header_style,
    style_pair,
)

MAX_ROWS = 1_048_576
MAX_COLUMN_WIDTH = 60
SAMPLE_CELLS = 40_000
PAPER_A4 = 9
WIDE_PRINT_PERCENT = 60
LINE_POINTS = 18


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, the number format of its cells, and its minimum width."""

    title: str | date
    number_format: str = "General"
    min_width: float = 0


class Table:
    """A table with header, autofilter and frozen panes, on as many sheets as it needs.

    Column widths follow the header and the first rows (``SAMPLE_CELLS`` cells), which are buffered
    until then. The first ``frozen_columns`` stay visible when scrolling to the right.
    """

    def __init__(
        self,
        sheet: Sheet,
        columns: Sequence[Column],
        *,
        frozen_columns: int = 0,
        fit_width: bool = True,
        filtered_columns: int | None = None,
    ) -> None:
        self.sheet = sheet
        self.rows = 0
        self._columns = columns
        self._frozen_columns = frozen_columns
        self._fit_width = fit_width
        self._filtered_columns = filtered_columns or len(columns)
        self._letters = [get_column_letter(index) for index in range(1, len(columns) + 1)]
        self._styles = [style_pair(sheet, column.number_format) for column in columns]
        self._sample_rows = max(1, SAMPLE_CELLS // len(columns))
        self._sample: list[Sequence[Value]] | None = []
        self._numbers = count(1)
        self._first_sheet = sheet
        self._sheets = 1

    def append(self, row: Sequence[Value]) -> None:
        """Add a row of values, one per column, None or "" for an empty cell."""
        self.rows += 1
        if self._sample is None:
            self._write(row)
            return
        self._sample.append(row)
        if len(self._sample) == self._sample_rows:
            self._flush_sample()

    def close(self) -> None:
        """Write the buffered rows and set the autofilter; to be called once, before saving."""
        if self._sample is not None:
            self._flush_sample()
        self._finish_sheet()

    def _flush_sample(self) -> None:
        rows, self._sample = self._sample or [], None
        self._widths = _fitting_widths(self._columns, rows)
        self._start_sheet()
        for row in rows:
            self._write(row)

    def _write(self, row: Sequence[Value]) -> None:
        number = next(self._numbers)
        if number > MAX_ROWS:
            number = self._next_sheet()
        self.sheet.append_row(row_xml(number, row, self._letters, self._styles))
        self._last_row = number

    def _next_sheet(self) -> int:
        self._finish_sheet()
        self._sheets += 1
        place = self.sheet.parent.index(self.sheet) + 1
        self.sheet = add_sheet(self.sheet.parent, f"{self._first_sheet.title}{self._sheets}", place)
        self.sheet.continues = self._first_sheet
        self._start_sheet()
        return next(self._numbers)

    def _start_sheet(self) -> None:
        sheet = self.sheet
        sheet.freeze_panes = f"{get_column_letter(self._frozen_columns + 1)}2"
        for letter, width in zip(self._letters, self._widths, strict=True):
            sheet.column_dimensions[letter].width = width
        self._set_up_print()
        header = [column.title for column in self._columns]
        styles = [header_style(sheet, isinstance(title, date)) for title in header]
        self._last_row = 1
        self._numbers = count(2)
        lines = max(str(title).count("\n") + 1 for title in header)
        sheet.append_row(row_xml(1, header, self._letters, styles, LINE_POINTS * lines))

    def _set_up_print(self) -> None:
        sheet = self.sheet
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.paperSize = PAPER_A4
        sheet.print_title_rows = "1:1"
        if self._frozen_columns:
            sheet.print_title_cols = f"A:{get_column_letter(self._frozen_columns)}"
        sheet.sheet_properties.pageSetUpPr.fitToPage = self._fit_width
        sheet.page_setup.fitToHeight = 0
        if not self._fit_width:
            sheet.page_setup.scale = WIDE_PRINT_PERCENT
        sheet.page_margins = PageMargins(left=0.4, right=0.4, top=0.5, bottom=0.8)
        sheet.oddFooter = HeaderFooterItem(center=_HeaderFooterPart("&A  &P / &N"))

    def _finish_sheet(self) -> None:
        last = get_column_letter(self._filtered_columns)
        self.sheet.auto_filter.ref = f"A1:{last}{self._last_row}"


def _fitting_widths(columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> list[float]:
    widths = [max(column.min_width, _value_width(column.title, "") + 4) for column in columns]
    for row in rows:
        for index, (value, column) in enumerate(zip(row, columns, strict=False)):
            needed = _value_width(value, column.number_format) + 3
            if needed > widths[index]:
                widths[index] = needed
    return [min(width, MAX_COLUMN_WIDTH) for width in widths]


def _value_width(value: Value, number_format: str) -> int:
    if value is None:
        return 0
    if isinstance(value, str):
        return display_width(value)
    if isinstance(value, date):
        return len(number_format or DATE_FORMAT)
    return len(f"{value:,.2f}") if number_format != "General" else len(str(value))
