"""Tables streamed row by row into worksheets that openpyxl spools to disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count

from openpyxl.utils import get_column_letter

from focuscrawl.reports.sheets.sheet_cells import Value, display_width, row_xml
from focuscrawl.reports.sheets.worksheets import (
    DATE_FORMAT,
    LINK_FORMAT,
    LinkColumn,
    Sheet,
    add_sheet,
    header_style,
    set_up_page,
    style_pair,
)

MAX_ROWS = 1_048_576
MAX_COLUMN_WIDTH = 60
SAMPLE_CELLS = 40_000
LINE_POINTS = 18


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column: its header, the number format of its cells, and the limits of its width.

    The format ``LINK_FORMAT`` makes links of its URLs.
    """

    title: str | date
    number_format: str = "General"
    min_width: float = 0
    max_width: float = MAX_COLUMN_WIDTH


class Table:
    """A table with header, autofilter and frozen panes, on as many sheets as it needs.

    Column widths follow the header and the first rows (``SAMPLE_CELLS`` cells), which are buffered
    until then. The first ``frozen_columns`` stay visible when scrolling to the right, the first
    ``printed_columns`` (default: all) are printed.
    """

    def __init__(
        self,
        sheet: Sheet,
        columns: Sequence[SheetColumn],
        *,
        frozen_columns: int = 0,
        filtered_columns: int | None = None,
        printed_columns: int | None = None,
    ) -> None:
        self.sheet = sheet
        self.rows = 0
        self._columns = columns
        self._frozen_columns = frozen_columns
        self._filtered_columns = filtered_columns or len(columns)
        self._printed_columns = printed_columns
        self._letters = [get_column_letter(index) for index in range(1, len(columns) + 1)]
        self._styles = [style_pair(sheet, column.number_format) for column in columns]
        self._links = {
            index: LinkColumn(self._letters[index])
            for index, column in enumerate(columns)
            if column.number_format == LINK_FORMAT
        }
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
        for index, links in self._links.items():
            links.add(number, row[index] if index < len(row) else None)
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
        # Only two kinds, and openpyxl takes long to look up a style.
        kinds = [isinstance(title, date) for title in header]
        style_of = {kind: header_style(sheet, kind) for kind in dict.fromkeys(kinds)}
        styles = [style_of[kind] for kind in kinds]
        self._last_row = 1
        self._numbers = count(2)
        lines = max(str(title).count("\n") + 1 for title in header)
        sheet.append_row(row_xml(1, header, self._letters, styles, LINE_POINTS * lines))

    def _set_up_print(self) -> None:
        set_up_page(self.sheet, landscape=True)
        self.sheet.print_title_rows = "1:1"

    def _finish_sheet(self) -> None:
        last = get_column_letter(self._filtered_columns)
        self.sheet.auto_filter.ref = f"A1:{last}{self._last_row}"
        if self._printed_columns:
            last = get_column_letter(self._printed_columns)
            self.sheet.print_area = f"A1:{last}{self._last_row}"
        for links in self._links.values():
            links.attach(self.sheet)


def _fitting_widths(columns: Sequence[SheetColumn], rows: Sequence[Sequence[Value]]) -> list[float]:
    widths = [max(column.min_width, _value_width(column.title, "") + 4) for column in columns]
    for row in rows:
        for index, (value, column) in enumerate(zip(row, columns, strict=False)):
            needed = _value_width(value, column.number_format) + 3
            if needed > widths[index]:
                widths[index] = needed
    return [min(width, column.max_width) for width, column in zip(widths, columns, strict=True)]


def _value_width(value: Value, number_format: str) -> int:
    if value is None:
        return 0
    if isinstance(value, str):
        return display_width(value)
    if isinstance(value, date):
        return len(number_format or DATE_FORMAT)
    return len(f"{value:,.2f}") if number_format != "General" else len(str(value))
