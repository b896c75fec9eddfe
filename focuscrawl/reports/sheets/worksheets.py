"""Worksheets that openpyxl spools to disk, and the styles of their cells."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Generator, Sequence
from contextlib import suppress
from datetime import timedelta, timezone
from itertools import chain, count
from pathlib import Path
from typing import Any, cast

from lxml import etree
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.chart import LineChart
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet._write_only import WriteOnlyWorksheet
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.header_footer import HeaderFooterItem, _HeaderFooterPart
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.page import PageMargins

from focuscrawl.reports.sheets.sheet_cells import clean_text

BEIJING = timezone(timedelta(hours=8))
DATE_FORMAT = "yyyy-mm-dd"
TIME_FORMAT = "yyyy-mm-dd hh:mm"
LINK_FORMAT = "link"
"""Stands for the format of the cells of links, which are text."""
CHANGE_FORMAT = "+#,##0;-#,##0;0"
RATIO_FORMAT = "+0.0%;-0.0%;0.0%"
RISE_COLOUR, FALL_COLOUR = "FFC00000", "FF00803C"
_CENTERED = Alignment(horizontal="center", vertical="center")
ALIGNMENTS = {
    DATE_FORMAT: _CENTERED,
    TIME_FORMAT: _CENTERED,
    "General": Alignment(horizontal="left", vertical="center", indent=1),
    LINK_FORMAT: Alignment(horizontal="left", vertical="center", indent=1),
}
LINK_COLOUR = "FF0563C1"
PAPER_A4 = 9
MAX_TITLE_UNITS = 31
_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\]")
# Excel keeps this title for its own list of changes, and repairs a file that has it.
_RESERVED_TITLE = "history"
_SPOOL_BUFFER = 2**16


class _SpoolWriter(WorksheetWriter):
    """Writer of a spool file, to which finished XML may be written as well."""

    def get_stream(self) -> Generator[Any, Any, None]:
        """Open the spool file, and write what is sent to it."""
        path: Any = self.out
        with open(path, "wb", buffering=_SPOOL_BUFFER) as self.file:
            self.out = self.file
            stream = super().get_stream()
            next(stream)
            self.out = path
            yield from stream


class Sheet(WriteOnlyWorksheet):
    """A write-only sheet that takes finished rows of XML, which go to its spool file as they are.

    openpyxl uses an exception and four context managers for every styled cell: whole rows took a
    quarter of the time (22 columns, 200,000 rows). Parsing these rows took as long as making them.
    """

    # Missing in types-openpyxl for write-only sheets.
    parent: Workbook
    auto_filter: Any
    column_dimensions: Any
    page_setup: Any
    conditional_formatting: Any
    page_margins: Any
    sheet_properties: Any
    _rows: Any
    _writer: Any
    _hyperlinks: list[Hyperlink]
    continues: Sheet | None = None
    """The first sheet of a table that does not fit on one sheet."""
    is_discarded = False

    def _write_rows(self) -> Generator[None, Sequence[str], None]:
        stream, file = self._writer.xf.send(True), self._writer.file
        with stream.element("sheetData"), suppress(GeneratorExit):
            # The rows come after what the stream has written so far.
            stream.flush()
            while True:
                (xml,) = yield
                file.write(xml.encode())
        self._writer.xf.send(None)

    def _get_writer(self) -> None:
        if self._writer is None:
            self._writer = _SpoolWriter(self)
            self._writer.write_top()

    def append_row(self, xml: str) -> None:
        """Add a row as :func:`~focuscrawl.reports.sheets.sheet_cells.row_xml` makes it."""
        if self._rows is None:
            self.append((xml,))
        else:
            self._writer.file.write(xml.encode())

    @property
    def hyperlinks(self) -> list[Hyperlink]:
        """The links of the cells, to append to."""
        return self._hyperlinks

    def place_chart(self, chart: LineChart, cell: str) -> None:
        """Lay a chart over the sheet, its upper left corner on ``cell``."""
        cast(Any, self).add_chart(chart, cell)

    def discard(self) -> None:
        """Close and remove the spool file of a sheet that will not be saved."""
        self.is_discarded = True
        if self._writer is None or not Path(self._writer.out).exists():
            return
        for stream in (self._rows, self._writer.xf):
            # An incomplete file cannot be closed properly, and need not be.
            with suppress(etree.LxmlError, OSError):
                if stream is not None:
                    stream.close()
        self._writer.cleanup()


def sheet_title(text: str, taken: Collection[str] = ()) -> str:
    """Return the text as a sheet title that Excel allows beside the titles ``taken``.

    Excel allows 31 UTF-16 units, none of ``[]:*?/\\``, and no two titles that differ in case only:
    a title that exists, or that Excel reserves, gets a number at its end.
    """
    title = _NOT_IN_TITLES.sub("_", clean_text(text)).replace("\n", " ")
    folded = {_RESERVED_TITLE, *(name.casefold() for name in taken)}
    for suffix in chain([""], map(str, count(1))):
        found = _cut(title, MAX_TITLE_UNITS - len(suffix)) + suffix
        if found.casefold() not in folded:
            return found
    raise AssertionError("count never ends")


def _cut(title: str, units: int) -> str:
    cut = title.encode("utf-16-le")[: units * 2].decode("utf-16-le", "ignore")
    return cut.strip("' \t") or "_"


def add_sheet(workbook: Workbook, title: str, place: int | None = None) -> Sheet:
    """Add a sheet at ``place`` (from 0; None is the end), titled as :func:`sheet_title` allows."""
    sheet = Sheet(workbook, sheet_title(title, workbook.sheetnames))
    cast(Any, workbook)._add_sheet(sheet, place)
    return sheet


def set_up_page(sheet: Sheet, *, landscape: bool, pages_high: int = 0) -> None:
    """Print a sheet on A4, one page wide and ``pages_high`` (0: as many as it takes), with a footer.

    To be called before the first row: part of it stands before the rows in the file.
    """
    sheet.page_setup.orientation = "landscape" if landscape else "portrait"
    sheet.page_setup.paperSize = PAPER_A4
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.page_setup.fitToWidth = 1
    sheet.page_setup.fitToHeight = pages_high
    sheet.page_margins = PageMargins(left=0.4, right=0.4, top=0.5, bottom=0.8)
    left, middle, right = "&A", "第 &P 页，共 &N 页", "打印日期 &D"
    sheet.oddFooter = HeaderFooterItem(
        left=_HeaderFooterPart(left),
        center=_HeaderFooterPart(middle),
        right=_HeaderFooterPart(right),
    )


def style_pair(sheet: Sheet, number_format: str) -> tuple[int, int]:
    """Return the style numbers of a column's cells: the usual one, and that of formula-like text."""
    is_link = number_format == LINK_FORMAT
    cell = WriteOnlyCell(sheet)
    cell.number_format = "General" if is_link else number_format
    cell.alignment = ALIGNMENTS.get(number_format, Alignment(vertical="center"))
    if is_link:
        cell.font = Font(name="Calibri", sz=11, color=LINK_COLOUR, underline="single")
    plain = cell.style_id
    quoted = WriteOnlyCell(sheet)
    quoted.alignment = ALIGNMENTS["General"]
    quoted.number_format = "@"
    quoted.quotePrefix = True
    return plain, quoted.style_id


def header_style(sheet: Sheet, is_date: bool) -> tuple[int, int]:
    """Return the style numbers of a header cell, the same for every text."""
    cell = WriteOnlyCell(sheet)
    cell.font = Font(name="Calibri", sz=11, bold=True, color="FFFFFFFF")
    cell.fill = PatternFill("solid", start_color="FF1F4E78")
    cell.border = Border(right=Side("thin", color="FFBFBFBF"))
    cell.alignment = Alignment(horizontal="center", vertical="center", wrap_text=True)
    if is_date:
        cell.number_format = DATE_FORMAT
    return cell.style_id, cell.style_id


# Hyperlinks of cells to web pages, one for all cells of a column that show the same page in a row.


MAX_LINKS = 5_000
"""Number of links of a column; Excel allows 65,530 on a sheet, and each takes memory until the end."""
# Excel repairs, that is, damages a workbook with a target that is no URL or longer than 2,079.
_TARGET = re.compile(r"https?://[a-z0-9\[][a-z0-9.\-:\[\]]*(?:[/?#][!#-;=?-\[\]_a-z~]*)?", re.I)
_MAX_TARGET = 2_079


def is_target(url: str) -> bool:
    """Return whether Excel takes the URL as the target of a link."""
    return len(url) <= _MAX_TARGET and _TARGET.fullmatch(url) is not None


def add_link(sheet: Sheet, cells: str, url: str) -> None:
    """Let cells such as ``B2`` or ``B2:B9`` lead to a URL, if it can be the target of a link."""
    if is_target(url):
        sheet.hyperlinks.append(Hyperlink(ref=cells, target=url))


class LinkColumn:
    """The links of one column of a sheet, of which the last ``MAX_LINKS`` are kept."""

    def __init__(self, letter: str) -> None:
        self._letter = letter
        self._runs: deque[tuple[int, int, str]] = deque(maxlen=MAX_LINKS)

    def add(self, row: int, url: object) -> None:
        """Add the URL that a row shows; rows come in ascending order."""
        if self._runs and self._runs[-1][1:] == (row - 1, url):
            first, _, url = self._runs.pop()
            self._runs.append((first, row, url))
        elif isinstance(url, str) and is_target(url):
            self._runs.append((row, row, url))

    def attach(self, sheet: Sheet) -> None:
        """Add the links to the sheet and forget them."""
        for first, last, url in self._runs:
            add_link(sheet, f"{self._letter}{first}:{self._letter}{last}", url)
        self._runs.clear()
