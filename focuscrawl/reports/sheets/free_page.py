"""Pages of a workbook whose rows have cells of different styles, as on a printed page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

from focuscrawl.reports.sheets.hyperlinks import add_link, is_target
from focuscrawl.reports.sheets.sheet_cells import Value, display_width, row_xml
from focuscrawl.reports.sheets.worksheets import LINK_COLOUR, Sheet

LINE_POINTS = 15
MAX_LINES = 2


@dataclass(frozen=True, slots=True)
class Style:
    """Look of a cell. ``wrapped`` text takes up to ``MAX_LINES`` lines and is cut then.

    A text that ``is_name`` is cut in its middle, and never to the same text as another one.
    """

    size: float = 10
    bold: bool = False
    colour: str = "FF000000"
    fill: str = ""
    number_format: str = "General"
    horizontal: str = "left"
    wrapped: bool = False
    is_name: bool = False
    indent: int = 0
    underlined: bool = False


@dataclass(frozen=True, slots=True)
class PageCell:
    """A value, its style, and the URL that it leads to ("" if none)."""

    value: Value
    style: Style = Style()
    url: str = ""


class FreePage:
    """Rows written one after the other to a sheet with columns of fixed widths."""

    def __init__(self, sheet: Sheet, widths: Sequence[float]) -> None:
        self.rows = 0
        self._sheet = sheet
        self._widths = widths
        self._letters = [get_column_letter(number) for number in range(1, len(widths) + 1)]
        self._numbers = count(1)
        self._styles: dict[Style, tuple[int, int]] = {}
        self._names: dict[str, str] = {}
        for letter, width in zip(self._letters, widths, strict=True):
            sheet.column_dimensions[letter].width = width

    def add(self, cells: Sequence[PageCell], height: float | None = None) -> None:
        """Add a row; a cell with a link is underlined."""
        self.rows = number = next(self._numbers)
        values, styles, lines = [], [], 1
        for cell, letter, width in zip(cells, self._letters, self._widths, strict=False):
            value, style = cell.value, cell.style
            if style.wrapped and isinstance(value, str):
                cut = self._cut_name if style.is_name else _cut
                value = cut(" ".join(value.split()), int(MAX_LINES * (width - 3)))
                lines = max(lines, -(-display_width(value) // int(width - 3)))
            if is_target(cell.url):
                add_link(self._sheet, f"{letter}{number}", cell.url)
                style = replace(style, colour=LINK_COLOUR, underlined=True)
            values.append(value)
            styles.append(self._numbers_of(style))
        tall = height or LINE_POINTS * lines
        self._sheet.append_row(row_xml(number, values, self._letters, styles, tall))

    def _cut_name(self, name: str, width: int) -> str:
        """Return a name, or its two ends; a number tells apart those of which the ends are the same."""
        for number in count(1):
            suffix = f"({number})" if number > 1 else ""
            found = _cut_middle(name, width - len(suffix)) + suffix
            if self._names.setdefault(found, name) == name:
                return found
        raise AssertionError("count never ends")

    def _numbers_of(self, style: Style) -> tuple[int, int]:
        if style not in self._styles:
            self._styles[style] = _style_numbers(self._sheet, style)
        return self._styles[style]


def _style_numbers(sheet: Sheet, style: Style) -> tuple[int, int]:
    """Return the number of the style, and that of the same for text that looks like a formula."""
    found = []
    for is_like_formula in (False, True):
        cell = WriteOnlyCell(sheet)
        cell.font = Font(
            name="Calibri",
            sz=style.size,
            bold=style.bold,
            color=style.colour,
            underline="single" if style.underlined else None,
        )
        if style.fill:
            cell.fill = PatternFill("solid", start_color=style.fill)
        cell.alignment = Alignment(
            horizontal=style.horizontal,
            vertical="center",
            wrap_text=style.wrapped,
            indent=style.indent,
        )
        cell.number_format = "@" if is_like_formula else style.number_format
        if is_like_formula:
            cell.quotePrefix = True
        found.append(cell.style_id)
    return found[0], found[1]


def _cut(text: str, width: int) -> str:
    """Return the text, or its beginning with a mark if it is wider than ``width`` half-width columns."""
    if display_width(text) <= width:
        return text
    text = text[:width]
    while display_width(text) > width - 2:
        text = text[:-1]
    return f"{text}…"


def _cut_middle(text: str, width: int) -> str:
    if display_width(text) <= width:
        return text
    half = (width - 2) // 2
    end = text[-half:]
    while display_width(end) > half:
        end = end[1:]
    return _cut(text, width - display_width(end)) + end
