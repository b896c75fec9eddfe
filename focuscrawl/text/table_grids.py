"""Grids of tables with merged cells: each cell repeated in every row and column that it covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_MOST_COPIES = 3
"""Maximum per cell in a row and in the table: attributes of a small page can ask for millions."""


class GridCell(NamedTuple):
    """A cell with the numbers of columns and rows that it covers."""

    text: str
    columns: int = 1
    rows: int = 1


def expanded(rows: Sequence[Sequence[GridCell]]) -> list[list[str]]:
    """Return the texts of all cells, the merged ones repeated; a title of full width is one cell.

    Only so far as it makes the widest row and the whole table ``_MOST_COPIES`` times as large.
    """
    left = _MOST_COPIES * sum(map(len, rows))
    widest = _MOST_COPIES * max(map(len, rows), default=0)
    hanging: dict[int, GridCell] = {}  # cells of earlier rows by their column
    grid: list[list[str]] = []
    for given in rows:
        cells = list(given)
        if left > 0 and (len(given) > 1 or hanging):
            cells = _row(given, hanging, widest)
        left -= len(cells)
        hanging = {i: c._replace(rows=c.rows - 1) for i, c in enumerate(cells) if c.rows > 1}
        grid.append([cell.text for cell in cells])
    return grid


def _row(given: Sequence[GridCell], hanging: dict[int, GridCell], widest: int) -> list[GridCell]:
    """Return the cells of a row, with those that hang into it from above."""
    cells: list[GridCell] = []
    last = max(hanging, default=-1)
    following = iter(given)
    while len(cells) < widest:
        if (above := hanging.get(len(cells))) is not None:
            cells.append(above)
        elif (own := next(following, None)) is not None:
            cells += [own] * max(1, min(own.columns, widest - len(cells)))
        elif len(cells) <= last:
            cells.append(GridCell(""))
        else:
            break
    return [*cells, *following]
