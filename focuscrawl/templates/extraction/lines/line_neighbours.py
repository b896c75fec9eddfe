"""Neighbouring lines of a page, in its tables and in its tree."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from focuscrawl.templates.extraction.lines.label_scopes import Row
from focuscrawl.templates.extraction.lines.page_blocks import Block, Cell, common_depth

_MOST_ROWS = 100
_WIDEST = 10  # columns that the label, and a cell for its colon, may span


class Neighbours:
    """Index of the table cells of a page."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._cells: dict[Block, dict[tuple[int, int], list[int]]] = defaultdict(dict)
        for at, row in enumerate(rows):
            if cell := row.line.block.cell:
                self._cells[cell.table].setdefault((cell.row, cell.column), []).append(at)

    def nearness(self, one: int, other: int) -> int:
        """Return the depth of the innermost element around both lines."""
        return common_depth(self._rows[one].line.block, self._rows[other].line.block)

    def are_in_cells(self, one: int, other: int) -> bool:
        """Return whether two lines are in different cells of one table."""
        a, b = self._rows[one].line.block.cell, self._rows[other].line.block.cell
        return a is not None and b is not None and a != b and a.table is b.table

    def cells_of_value(self, at: int) -> tuple[list[int], list[int]]:
        """Return the lines that may contain the value of a label in a table cell.

        Those of the cell to the right, unless it is also a label; and those of the cells below.
        """
        line = self._rows[at].line
        cell = line.block.cell
        if cell is None:
            return [], []
        own = self._cells[cell.table].get((cell.row, cell.column), [])
        right = self._right_of(cell)
        if self._is_label(right) or (line.block.tag == "th" and self._is_heading(right)):
            right = []
        elif len(own) > 1:
            # A cell of several labels next to a cell of as many values.
            right = [right[bisect_left(own, at)]] if len(own) == len(right) else []
        return right, self._below(cell) if len(own) == 1 else []

    def _below(self, cell: Cell) -> list[int]:
        cells, found = self._cells[cell.table], list[int]()
        for row in range(cell.row + 1, cell.row + 1 + _MOST_ROWS):
            lines = cells.get((row, cell.column), [])
            before = cells.get((row, cell.column - 1), [])
            if self._is_label(lines) or self._is_label(before):
                break
            found += lines
        return found

    def _is_heading(self, lines: Sequence[int]) -> bool:
        return any(self._rows[at].line.block.tag == "th" for at in lines)

    def _right_of(self, cell: Cell) -> list[int]:
        """Return the lines of the next cell of the row that is not blank."""
        cells = self._cells[cell.table]
        for column in range(cell.column + 1, cell.column + 1 + _WIDEST):
            lines = cells.get((cell.row, column), [])
            if self._holds_text(lines):
                return lines
        return []

    def _holds_text(self, lines: Sequence[int]) -> bool:
        return any(any(map(str.isalnum, self._rows[at].text)) for at in lines)

    def _is_label(self, lines: Sequence[int]) -> bool:
        return any(self._rows[at].has_label for at in lines)


def is_adjacent(rows: Sequence[Row], at: int) -> bool:
    """Return whether a row is in the same element as the one before, or in a sibling of the same tag."""
    here, before = rows[at].line.block, rows[at - 1].line.block
    return here is before or (here.parent is before.parent and here.tag == before.tag)
