"""Sheets that could not be made: they get a notice, and the other sheets are written."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import ParamSpec, TypeVar

from lxml.etree import SerialisationError
from openpyxl import Workbook

from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import Sheet, add_sheet
from focuscrawl.reports.workbook import SheetFault

T = TypeVar("T")
P = ParamSpec("P")
NOTICE_TITLE = "未能生成"
# A full disk or memory affects the whole workbook.
_OF_THE_MACHINE = (OSError, SerialisationError, MemoryError)


class SheetFaults:
    """The faults of one workbook, in the order in which they happened.

    Errors of reading, of the disk and of memory do not count: they are raised.
    """

    def __init__(self, workbook: Workbook) -> None:
        self.found: list[SheetFault] = []
        self._workbook = workbook
        self._read_error: Exception | None = None

    def reading(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items; an error while reading them is not a fault of a sheet."""
        try:
            yield from items
        except Exception as error:
            self._read_error = error
            raise

    def guard(self, *sheets: Sheet) -> SheetGuard:
        """Return the guard for the functions that make ``sheets``."""
        return SheetGuard(self, sheets)

    def is_of_a_sheet(self, error: Exception) -> bool:
        """Return whether a notice may replace the sheet because of this error."""
        return error is not self._read_error and not isinstance(error, _OF_THE_MACHINE)

    def replace(self, sheet: Sheet, error: Exception) -> None:
        """Replace a sheet, and the sheets that continue it, by a notice, unless it is one already."""
        if sheet.is_discarded:
            return
        place = self._workbook.index(sheet)
        for part in self._workbook.worksheets:
            if isinstance(part, Sheet) and sheet in (part, part.continues):
                part.discard()
                self._workbook.remove(part)
        name = type(error).__name__
        notice = Table(add_sheet(self._workbook, sheet.title, place), [SheetColumn(NOTICE_TITLE)])
        notice.append([f"本工作表未能生成（{name}）。这是程序的错误，请向开发者报告。"])
        notice.close()
        lines = "".join(traceback.format_exception(error))
        self.found.append(SheetFault(sheet.title, name, lines))


class SheetGuard:
    """Runs functions that make some sheets, until one fails; notices then replace the sheets."""

    def __init__(self, faults: SheetFaults, sheets: tuple[Sheet, ...]) -> None:
        self._faults = faults
        self._sheets = sheets
        self._has_failed = False

    def run(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return the result of the function, or None if it or an earlier one failed."""
        if self._has_failed:
            return None
        try:
            return make(*args, **kwargs)
        except Exception as error:
            if not self._faults.is_of_a_sheet(error):
                raise
            self._has_failed = True
            for sheet in self._sheets:
                self._faults.replace(sheet, error)
            return None
