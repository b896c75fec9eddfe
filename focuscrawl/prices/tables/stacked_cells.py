"""Tables whose cells stand one below the other, as copied from a page, and those with heads in their first column."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.names.price_subjects import PLACES
from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tables.table_cells import MAX_CELL, cells_of
from focuscrawl.prices.tables.table_columns import Cell, Column, begins_header, role_of
from focuscrawl.prices.tables.table_heads import header_of, turned_header
from focuscrawl.prices.tokens.figures import DATE
from focuscrawl.prices.tokens.line_tokens import tokenise

_NARROWEST, _WIDEST = 2, 10  # columns
_FEWEST_ROWS = 2
_NAMED = frozenset({"entity", "region", "commodity"})
_BUYERS = PLACES | {"name", "brand", "name_end", "actor"}
_VALUES = frozenset({"price", "change", "old", "moisture", "skip", "grade", "unit"})
_MAY_BE_EMPTY = frozenset({"skip", "grade", "unknown"})


def stacked_at(
    document: Document, lines: Sequence[tuple[int, int]], index: int
) -> tuple[list[Column], list[list[Cell]], int]:
    """Return columns, rows and number of lines of the table that begins at a line.

    ``([], [], 0)`` if none does. The columns are as many as leave the most lines to rows.
    """
    if not begins_header(document.plain[slice(*lines[index])]):
        return [], [], 0
    cells = _cells(document, lines, index, 2 * _WIDEST)
    best: tuple[list[Column], list[list[Cell]], int] = ([], [], 0)
    for width in range(_NARROWEST, min(len(cells) - 1, _WIDEST) + 1):
        columns = header_of(document, cells[:width])
        if len(columns) == width:
            rows, taken = _rows(document, lines, index + width, columns)
            if len(rows) >= _FEWEST_ROWS and width + taken > best[2]:
                best = columns, rows, width + taken
    return best


def turned_at(
    document: Document, lines: Sequence[tuple[int, int]], index: int
) -> tuple[list[Column], list[list[Cell]], int]:
    """Return the same for a table that has the buyers as heads, and prices and moves in its rows."""
    names = _tabbed(document, lines[index])
    roles = [role_of(_plain(document, cell), False) for cell in names]
    named = sum(any(t.kind in _BUYERS for t in cell.tokens) for cell in names[1:])
    if named < _FEWEST_ROWS or named * 2 <= len(names) - 1 or any(c.is_priced for c in names):
        return [], [], 0
    if roles[0] == "commodity" or any(role in _VALUES for role in roles[1:]):
        return [], [], 0
    below: list[list[Cell]] = []
    for line in lines[index + 1 : index + 1 + _WIDEST]:
        cells = _tabbed(document, line)
        if len(cells) != len(names) or any(t.kind in _BUYERS for t in cells[0].tokens):
            break
        below.append(cells)
    if below and all(t.kind == DATE for row in below for t in row[0].tokens):
        columns = turned_header(document, [names[0]], dated=True)
        days = [[names[i], row[0], row[i]] for row in below for i in range(1, len(names))]
        return columns, days, 1 + len(below)
    columns = turned_header(document, [row[0] for row in (names, *below)])
    if any(c.role not in _VALUES or c.places for c in columns[1:]):
        return [], [], 0
    several = sum(c.role == "price" for c in columns) > 1
    for column in columns if several else ():  # a move would be that of every price of the buyer
        column.role = "skip" if column.role == "change" else column.role
    rows = [[row[i] for row in (names, *below)] for i in range(1, len(names))]
    return columns, rows if columns else [], 1 + len(below)


def _tabbed(document: Document, line: tuple[int, int]) -> list[Cell]:
    """Return the cells of a line with tabs, [] for any other."""
    if "\t" not in document.plain[slice(*line)]:
        return []
    return cells_of(document, *line, tokenise(document.plain, *line, document.words))


def _plain(document: Document, cell: Cell) -> str:
    return "".join(document.plain[cell.start : cell.end].split())


def _rows(
    document: Document, lines: Sequence[tuple[int, int]], index: int, columns: Sequence[Column]
) -> tuple[list[list[Cell]], int]:
    """Return the rows from a line on, and their number of lines.

    A row may lack its first cell, if that is merged with the one above it, or an empty last one.
    """
    rows: list[list[Cell]] = []
    taken = 0
    looked_at = (2 if columns[-1].role in _MAY_BE_EMPTY else 1) * len(columns)
    while True:
        ahead = _cells(document, lines, index + taken, looked_at)
        cells = ahead[: len(columns)]
        if _lacks_last(ahead, columns):
            rows.append(cells[: len(columns) - 1])
            taken += len(columns) - 1
        elif _is_row(cells, columns):
            rows.append(cells)
            taken += len(columns)
        elif rows and _is_row(cells[:-1], columns[1:]) and columns[1].role in _NAMED:
            rows.append([Cell(cells[0].start, cells[0].start, []), *cells[:-1]])
            taken += len(columns) - 1
        elif rows and len(cells) == len(columns) - 1 and _is_row(cells, columns[1:]):
            rows.append([Cell(cells[0].start, cells[0].start, []), *cells])
            taken += len(columns) - 1
        else:
            return rows, taken


def _lacks_last(ahead: Sequence[Cell], columns: Sequence[Column]) -> bool:
    """Return whether a row ends before its last column: only then does another row follow."""
    if columns[-1].role not in _MAY_BE_EMPTY:
        return False
    short = len(columns) - 1
    parts = (ahead[:short], ahead[short : 2 * short], ahead[short + 1 : 2 * short + 1])
    return [_is_row(part, columns[:-1]) for part in parts] == [True, True, False]


def _is_row(cells: Sequence[Cell], columns: Sequence[Column]) -> bool:
    """Return whether there is a cell for each column, of its kind, with a price or a mark for none."""
    if len(cells) != len(columns):
        return False
    pairs = list(zip(cells, columns, strict=True))
    prices = [cell for cell, column in pairs if column.role == "price"]
    is_marked = all(not any(t.text.isalnum() for t in cell.tokens) for cell in prices)
    return all(map(_is_of, cells, columns)) and (is_marked or any(c.is_priced for c in prices))


def _is_of(cell: Cell, column: Column) -> bool:
    """Return whether a cell can stand in a column."""
    return column.role not in _NAMED or not cell.is_priced


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
