"""Text of spreadsheets: XLSX, XLS and CSV. Formulas are read as their stored values."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from io import BytesIO, StringIO
from itertools import islice
from typing import Any
from zipfile import ZipFile

from focuscrawl.files.file_reading import (
    DAMAGED,
    ENCRYPTED,
    MOST_CELLS,
    Deadline,
    FileText,
    UnreadFileError,
)

_Merged = dict[tuple[int, int], tuple[int, int]]
# The texts of a row by column: its own ones, also those of merged cells, and whether some go on from above.
_Row = tuple[dict[int, str], dict[int, str], bool]
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]{0,99}?ref="([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})"')
_NO_VALUE = re.compile(
    rb"<f(?:\s[^>]{0,300})?(?:/>|>[^<]{0,9000}</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
_DECIMALS = re.compile(r"0\.(0+)")
_SEPARATORS = "\t,;|，、"
_MOST_MERGED, _TALLEST, _WIDEST, _HEADER_ROWS = 20_000, 10_000, 500, 3
_NO_VALUES = "formulas without stored values"


def read_xlsx(body: bytes, deadline: Deadline) -> FileText:
    """Return the text of the visible sheets of an XLSX file."""
    from openpyxl import load_workbook
    from openpyxl.utils.cell import range_boundaries

    found = FileText("Excel")
    book: Any = load_workbook(BytesIO(body), read_only=True, data_only=True, keep_links=False)
    sheets: list[tuple[str, list[str]]] = []
    with ZipFile(BytesIO(body)) as archive:
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                continue
            xml = archive.read(sheet._worksheet_path)
            if _NO_VALUE.search(xml) and _NO_VALUES not in found.lacks:
                found.lacks.append(_NO_VALUES)
            merged: _Merged = {}
            for match in islice(_MERGE.finditer(xml), _MOST_MERGED):
                bounds: Any = range_boundaries(match[1].decode())
                left, top, right, bottom = bounds
                merged[top - 1, left - 1] = (right - left + 1, bottom - top + 1)
            # The dimension that a file states may be wrong.
            sheet.reset_dimensions()
            rows = _texts(sheet.iter_rows(max_col=_WIDEST))
            sheets.append((sheet.title, _sheet_lines(rows, merged, found, deadline)))
    return found.take(_all_lines(sheets))


def read_xls(body: bytes, deadline: Deadline) -> FileText:
    """Return the text of the visible sheets of an XLS file."""
    import xlrd

    found = FileText("Excel")
    try:
        book = xlrd.open_workbook(file_contents=body, formatting_info=True, logfile=StringIO())
    except Exception as error:
        raise UnreadFileError(ENCRYPTED if "encrypted" in str(error) else DAMAGED) from None
    sheets = []
    for sheet in book.sheets():
        if sheet.visibility:
            continue
        merged = {
            (top, left): (right - left, end - top) for top, end, left, right in sheet.merged_cells
        }
        rows = (
            [_of_xls(book, cell) for cell in islice(sheet.row(n), _WIDEST)]
            for n in range(sheet.nrows)
        )
        sheets.append((sheet.name, _sheet_lines(rows, merged, found, deadline)))
    return found.take(_all_lines(sheets))


def read_csv(text: str) -> FileText:
    """Return a text whose separator is the one that most lines have equally often."""
    csv.field_size_limit(1 << 20)
    sample = text[:20_000].split("\n")[:50]
    counts = {
        mark: Counter(filter(None, (one.count(mark) for one in sample))) for mark in _SEPARATORS
    }
    best = {mark: max(found.values(), default=0) for mark, found in counts.items()}
    separator = max(best, key=lambda mark: best[mark])
    found = FileText("CSV")
    rows = csv.reader(StringIO(text), delimiter=separator)
    kept = list(islice(rows, MOST_CELLS // 10))
    if next(rows, None) is not None:
        found.cut(f"over {MOST_CELLS // 10:,} rows")
    return found.take(
        "\t".join(" ".join(cell.split()) for cell in row).rstrip("\t") for row in kept
    )


def _sheet_lines(
    rows: Iterable[Sequence[str]], merged: _Merged, found: FileText, deadline: Deadline
) -> list[str]:
    """Return the lines of a sheet, with merged cells repeated where they stand for several."""
    lines: list[str] = []
    block: list[_Row] = []
    # By column: the last row that a merged cell covers, and its text.
    covering: dict[int, tuple[int, str]] = {}
    empty = cells = 0
    for number, row in enumerate(rows):
        if empty > _TALLEST and not (covering or any(row) or number % 100 == 0):
            continue
        covering = {at: one for at, one in covering.items() if one[0] >= number}
        given = {at: text for at, text in enumerate(row) if text}
        cells += len(given.keys() | covering.keys())
        if cells > MOST_CELLS or (number % 100 == 0 and deadline.is_over):
            found.cut(f"over {MOST_CELLS:,} cells" if cells > MOST_CELLS else "takes too long")
            break
        empty = 0 if given or covering else empty + 1
        own: dict[int, str] = {}
        above = {at: text for at, (_, text) in covering.items()}
        for at, text in given.items():
            if (number, at) in merged:
                width, height = merged[number, at]
                columns = range(at, at + min(width, _WIDEST))
                covering |= dict.fromkeys(columns, (number + min(height, _TALLEST) - 1, text))
            elif at in covering:
                continue
            own[at] = text
        shown = above | {at: text for at, (_, text) in covering.items()} | own
        block.append((own, shown, bool(above)))
        # A text between two tables, not the name of a group below a header.
        is_between = len(given) == 1 and len(block) > _HEADER_ROWS
        if empty or is_between:
            lines += _block_lines(block)
            block = []
    return lines + _block_lines(block)


def _block_lines(block: Sequence[_Row]) -> list[str]:
    """Return the lines of a table, without the columns in which nothing but merged cells goes on."""
    rows = [own for own, _, _ in block]
    starts = {at for own in rows if len(own) > 1 for at in own} or {
        at for own in rows for at in own
    }
    order = sorted(starts)
    lines: list[str] = []
    for own, shown, has_above in block:
        if len(own) == 1 and not has_above and min(own) <= order[0]:
            # A title.
            lines += own.values()
            continue
        cells = [shown.get(at, "") for at in order]
        cells += [text for at, text in own.items() if at not in starts]
        lines.append("\t".join(cells).rstrip("\t"))
    return lines


def _all_lines(sheets: Sequence[tuple[str, list[str]]]) -> Iterator[str]:
    full = [(name, lines) for name, lines in sheets if any(map(str.strip, lines))]
    for name, lines in full:
        if len(full) > 1:
            yield name
        yield from lines


def _of_xls(book: Any, cell: Any) -> str:
    import xlrd

    value: Any = cell.value
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return ""
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            value = xlrd.xldate_as_datetime(value, book.datemode)
        except (ValueError, OverflowError):
            return str(value)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        value = bool(value)
    pattern = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
    return shown_value(value, pattern)


def _texts(rows: Iterable[Any]) -> Iterator[list[str]]:
    gap: Any = None
    for row in rows:
        # Rows that a file leaves out are all the same object: there may be a million of them.
        texts = [] if row is gap else [_shown(cell.value, cell) for cell in row]
        if not any(texts):
            gap = row
        yield texts


def _shown(value: object, cell: Any) -> str:
    return "" if value is None else shown_value(value, str(cell.number_format))


def shown_value(value: object, pattern: str) -> str:
    """Return the value of a cell as it is shown with a number format, roughly; errors (#N/A) as nothing."""
    if isinstance(value, datetime):
        is_day = value.time() == time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "minutes")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        decimals = _DECIMALS.search(pattern)
        places = len(decimals[1]) if decimals else 0
        if "%" in pattern:
            return f"{value * 100:.{places}f}%"
        if decimals:
            return f"{value:.{places}f}"
        return (
            f"{value:.0f}"
            if pattern in ("0", "#,##0")
            else f"{value:.10g}"
            if abs(value) < 1e10
            else f"{value:.15g}"
        )
    text = " ".join(str(value).split())
    return "" if re.fullmatch(r"#(?:N/A|REF!|VALUE!|DIV/0!|NAME\?|NUM!|NULL!)", text) else text
