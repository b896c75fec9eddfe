"""Files of flat rows, written row by row: CSV, JSON lines, Parquet and workbook."""

from __future__ import annotations

import csv
import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from focuscrawl.exports.flat_records import Cell, Columns, Row

if TYPE_CHECKING:
    import pyarrow

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_FIRST_SIGNS = frozenset(FORMULA_STARTS)
# The writer makes of them what csv_cell does.
_WRITTEN_ALIKE = {int, float, type(None)}
_iso_day = lru_cache(4096)(date.isoformat)
_ROWS_A_GROUP = 10_000


class RowFile(Protocol):
    """A file that is open for rows."""

    def append(self, row: Row) -> None:
        """Add a row; columns that it lacks are empty."""


class CsvRows:
    """CSV rows; texts, and names of columns, that a spreadsheet would take for a formula get an apostrophe before them."""

    def __init__(self, out: IO[str], columns: Columns) -> None:
        self._columns = columns
        self._writer = csv.writer(out, lineterminator="\r\n")
        self._writer.writerow(map(csv_cell, columns))

    def append(self, row: Row) -> None:
        """Add a row."""
        # Most cells need no change: calling csv_cell for them took half of the time.
        self._writer.writerow(
            [
                cell
                if (type(cell) is str and cell[:1] not in _FIRST_SIGNS)
                or type(cell) in _WRITTEN_ALIKE
                else csv_cell(cell)
                for cell in map(row.get, self._columns)
            ]
        )


def csv_cell(value: Cell) -> str:
    """Return a value as CSV has it: decimals without exponent, 1 or 0 for a truth value, ISO dates."""
    if isinstance(value, Decimal):
        # To format it takes three times as long.
        return text if "E" not in (text := str(value)) else f"{value:f}"
    if type(value) is date:
        return _iso_day(value)
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    if isinstance(value, bool):
        return "1" if value else "0"
    return value.isoformat() if isinstance(value, date) else str(value)


class JsonLines:
    """One JSON object a line; prices are numbers, dates ISO texts."""

    def __init__(self, out: IO[str], columns: Columns) -> None:
        self._out = out
        self._columns = columns

    def append(self, row: Row) -> None:
        """Add a row."""
        whole = {name: json_value(row.get(name)) for name in self._columns}
        self._out.write(json.dumps(whole, ensure_ascii=False) + "\n")


def json_value(value: Any) -> Any:
    """Return a value as JSON has it: a decimal as a number, a date as ISO text."""
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


class ParquetRows:
    """Rows of a Parquet file, in groups of ``_ROWS_A_GROUP``; prices are 64-bit floats."""

    def __init__(
        self, writer: pyarrow.parquet.ParquetWriter, schema: pyarrow.Schema, columns: Columns
    ) -> None:
        self._columns = columns
        self._writer = writer
        self._schema = schema
        self._rows: list[Row] = []

    def append(self, row: Row) -> None:
        """Add a row."""
        self._rows.append(
            {name: _parquet_cell(row.get(name), kind) for name, kind in self._columns.items()}
        )
        if len(self._rows) == _ROWS_A_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are waiting."""
        import pyarrow

        self._writer.write_table(pyarrow.Table.from_pylist(self._rows, self._schema))
        self._rows = []


def _parquet_cell(value: Cell, kind: type) -> Cell:
    if kind is str and value is not None and not isinstance(value, str):
        return csv_cell(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return float(value) if isinstance(value, Decimal) else value


@contextmanager
def parquet_file(path: Path, columns: Columns) -> Iterator[ParquetRows]:
    """Write a Parquet file. Needs the package pyarrow; raises OSError."""
    import pyarrow
    import pyarrow.parquet

    types = {
        str: pyarrow.string(),
        bool: pyarrow.bool_(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        Decimal: pyarrow.float64(),
        date: pyarrow.date32(),
        datetime: pyarrow.timestamp("ms", tz="UTC"),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        rows = ParquetRows(writer, schema, columns)
        yield rows
        rows.flush()


class WorkbookRows:
    """Rows of a worksheet, which goes on in further ones beyond Excel's 1,048,576 rows."""

    def __init__(self, path: Path, columns: Columns, title: str) -> None:
        from openpyxl import Workbook

        from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
        from focuscrawl.reports.sheets.worksheets import DATE_FORMAT, TIME_FORMAT, add_sheet

        formats: dict[type, str] = {date: DATE_FORMAT, datetime: TIME_FORMAT}
        self._path = path
        self._columns = columns
        self._workbook = Workbook(write_only=True)
        shown = [SheetColumn(name, formats.get(kind, "General")) for name, kind in columns.items()]
        self._table = Table(add_sheet(self._workbook, title), shown)

    def append(self, row: Row) -> None:
        """Add a row."""
        self._table.append([row.get(name) for name in self._columns])

    def save(self) -> None:
        """Write the file. Raises OSError."""
        from focuscrawl.reports.workbook_file import save

        self._table.close()
        save(self._workbook, self._path)

    def discard(self) -> None:
        """Remove the rows that were spooled to disk."""
        from focuscrawl.reports.sheets.worksheets import Sheet

        for sheet in self._workbook.worksheets:
            if isinstance(sheet, Sheet):
                sheet.discard()


@contextmanager
def workbook_file(path: Path, columns: Columns, title: str) -> Iterator[WorkbookRows]:
    """Write a workbook. Raises OSError."""
    from lxml.etree import LxmlError

    rows = WorkbookRows(path, columns, title)
    try:
        yield rows
        rows.save()
    except LxmlError as error:
        # lxml has only the name of the error number, in its message: IO_ENOSPC.
        number = getattr(errno, str(error).removeprefix("IO_"), errno.EIO)
        raise OSError(number, os.strerror(number)) from error
    finally:
        rows.discard()
