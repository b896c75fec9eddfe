"""Records of lines with a label and a value (公司名称：…, 价格：…), equivalent to a table row."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tables.table_columns import Cell, labelled
from focuscrawl.prices.tokens.line_tokens import tokenise

_MAX_LABEL, _MAX_FIELD, _MOST_FIELDS = 8, 50, 40
_OWNERS = ("entity", "region")


def record_at(
    document: Document, lines: Sequence[tuple[int, int]], index: int
) -> tuple[list[Cell], int]:
    """Return the fields of the record that begins at a line as cells, and its number of lines.

    A record begins with the field for its firm, market or place and contains a price; ``([], 0)``
    if no record begins here.
    """
    cells: list[Cell] = []
    roles: list[str] = []
    # An unbounded slice would copy all lines for every line.
    for start, end in lines[index : index + _MOST_FIELDS]:
        cell, role = _field(document, start, end)
        is_next = bool(cells) and role in _OWNERS and role in roles
        if cell is None or is_next or (not cells and role not in _OWNERS):
            break
        cells.append(cell)
        roles.append(role)
    return (cells, len(cells)) if "price" in roles else ([], 0)


def _field(document: Document, start: int, end: int) -> tuple[Cell | None, str]:
    """Return a line as a cell, and its role by its label; None if it is not a field."""
    plain = document.plain
    colon = plain.find(":", start, min(end, start + _MAX_LABEL + 1))
    if colon < 0 or end - start > _MAX_FIELD:
        return None, ""
    cell = Cell(start, end, tokenise(plain, start, end, document.words))
    column = labelled(document, cell, None)[1]
    return cell, column.role if column else ""
