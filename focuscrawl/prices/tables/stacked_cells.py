"""Tables whose cells stand one below the other, one a line, as copied from a page."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tables.table_cells import MAX_CELL, Cell, Column, begins_header, header_of
from focuscrawl.prices.tokens.figures import PRICE_LIKE
from focuscrawl.prices.tokens.line_tokens import tokenise

_NARROWEST, _WIDEST = 3, 10  # columns


def stacked_at(
    document: Document, lines: Sequence[tuple[int, int]], index: int
) -> tuple[list[Column], list[list[Cell]]]:
    """Return the columns and rows of the table that begins at a line, ``([], [])`` if none does."""
    if not begins_header(document.plain[slice(*lines[index])].strip()):
        return [], []
    cells = _cells(document, lines, index, 2 * _WIDEST)
    before = next((i for i, cell in enumerate(cells) if _is_priced(cell)), 0)
    for width in range(_NARROWEST, min(before, _WIDEST) + 1):
        columns = header_of(document, cells[:width])
        if len(columns) == width and columns[before % width].role == "price":
            rows = _rows(document, lines, index + width, columns)
            if len(rows) > 1:
                return columns, rows
    return [], []


def _rows(
    document: Document, lines: Sequence[tuple[int, int]], index: int, columns: Sequence[Column]
) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    while True:
        cells = _cells(document, lines, index + len(rows) * len(columns), len(columns))
        is_named = bool(cells) and not any(t.figure for t in cells[0].tokens)
        is_row = is_named and len(cells) == len(columns)
        priced = [
            _is_priced(c)
            for c, column in zip(cells, columns, strict=False)
            if column.role == "price"
        ]
        if not is_row or not all(priced):
            return rows
        rows.append(cells)


def _cells(
    document: Document, lines: Sequence[tuple[int, int]], index: int, most: int
) -> list[Cell]:
    """Return the lines from ``index`` on as cells, up to one that is too long for a cell."""
    cells: list[Cell] = []
    for start, end in lines[index : index + most]:
        if not 0 < end - start <= MAX_CELL:
            break
        tokens = tokenise(document.plain, start, end, document.words)
        if any(t.kind == "stop" for t in tokens) or any(t.kind == "tab" for t in tokens[:-1]):
            break
        cells.append(Cell(start, end, [t for t in tokens if t.kind != "tab"]))
    return cells


def _is_priced(cell: Cell) -> bool:
    return any(t.kind in PRICE_LIKE for t in cell.tokens)
