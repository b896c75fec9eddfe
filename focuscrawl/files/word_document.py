"""Text of Word documents (DOCX): paragraphs and tables in their order, without headers and footers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

from docx import Document
from docx.oxml.ns import qn

from focuscrawl.files.file_reading import DAMAGED, FileText, UnreadFileError, grid_lines
from focuscrawl.text.visible_lines import GridCell

_P, _TABLE, _ROW, _CELL = map(qn, ("w:p", "w:tbl", "w:tr", "w:tc"))
_TEXT, _TAB = qn("w:t"), qn("w:tab")
_BREAKS = frozenset({qn("w:br"), qn("w:cr")})
# Deleted text, the copy of a text box for old programs, and the definition of tab stops.
_LEFT_OUT = frozenset(
    {
        qn("w:del"),
        qn("w:moveFrom"),
        qn("w:pPr"),
        qn("w:rPr"),
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    }
)
_TEXT_BOX = qn("w:txbxContent")


def read_docx(body: bytes) -> FileText:
    """Return the text of a document; raises UnreadFileError if it is damaged."""
    try:
        document = Document(BytesIO(body))
    except (KeyError, ValueError, BadZipFile, OSError, SyntaxError):
        raise UnreadFileError(DAMAGED) from None
    return FileText("Word").take(_lines(document.element.body))


def _lines(holder: Any) -> Iterator[str]:
    """Yield the lines of the paragraphs and tables under an element; lxml bounds how deep they nest."""
    for node in holder:
        if node.tag == _P:
            yield from "".join(_pieces(node)).split("\n")
            for box in node.iter(_TEXT_BOX):
                if not any(above.tag in _LEFT_OUT for above in box.iterancestors()):
                    yield from _lines(box)
        elif node.tag == _TABLE:
            yield from _table_lines(node)
        elif isinstance(node.tag, str) and node.tag not in _LEFT_OUT:
            yield from _lines(node)


def _pieces(node: Any) -> Iterator[str]:
    for child in node:
        tag = child.tag
        if tag in _LEFT_OUT or tag == _TEXT_BOX:
            continue
        if tag == _TEXT:
            yield (child.text or "").replace("\n", " ")
        elif tag == _TAB or tag in _BREAKS:
            yield "\t" if tag == _TAB else "\n"
        else:
            yield from _pieces(child)


def _table_lines(table: Any) -> Iterator[str]:
    rows = [row for row in table.iter(_ROW) if next(row.iterancestors(_TABLE)) is table]
    cells = [[c for c in row.iter(_CELL) if next(c.iterancestors(_ROW)) is row] for row in rows]
    if max(map(len, cells), default=0) > 1 and next(table.iterdescendants(_TABLE), None) is None:
        yield from grid_lines(list(_grid(rows, cells)))
        return
    # A frame around texts, or around other tables.
    for cell in (one for row in cells for one in row):
        yield from _lines(cell)


def _grid(rows: Iterable[Any], cells: Iterable[Iterable[Any]]) -> Iterator[list[GridCell]]:
    """Yield the cells of each row with their widths in columns; those that go on from above repeat it."""
    above: dict[int, str] = {}
    for row, given in zip(rows, cells, strict=True):
        at = int(getattr(row, "grid_before", 0) or 0)
        found = [GridCell("")] * at
        for cell in given:
            width = max(1, min(int(cell.grid_span or 1), 100))
            if cell.vMerge != "continue" or at not in above:
                above[at] = " ".join(" ".join(_lines(cell)).split())
            found.append(GridCell(above[at], width))
            at += width
        yield found
