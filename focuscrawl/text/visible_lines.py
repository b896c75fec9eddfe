"""Plain text of a part of a page, in lines as rendered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lxml.etree import _Element

from focuscrawl.text.seen_text import as_seen, is_unseen

# Grids of tables with merged cells: each cell repeated in every row and column that it covers.

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


_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "iframe", "select"})
_CELLS = frozenset({"td", "th"})
_BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre"
    " section summary table tbody tfoot thead tr ul".split()
)
_LONGEST_CELL = 60  # characters; tables of layout have longer ones
_PRE = re.compile(r"white-space\s{0,9}:\s{0,9}(?:pre|break-spaces)", re.IGNORECASE)
_GAP = "\x1f"  # between columns of preformatted text: the unit separator of ASCII
_GAPS = re.compile(r"[ \t\u3000\xa0]{2,}|\t")
_NO_TEXT = re.compile(r"(?is)\W*(?:\w\W*){0,4}|.{0,20}(?:加载|载入|loading).{0,20}")
_SPACES = re.compile(r"[^\S\t\n\x1f]+")
_SPACE_AROUND_TAB = re.compile(r" *([\t\x1f])[ \x1f]*")


def lacks_text(text: str) -> bool:
    """Return whether a text has at most four letters, or only says that a script loads it."""
    return _NO_TEXT.fullmatch(text) is not None


def block_text(root: _Element) -> str:
    """Return the text under ``root``: one line per paragraph, list item or table row.

    Cells of a row are separated by tabs, merged cells repeated where they stand for several; runs of
    other white space (including no-break and ideographic spaces) are folded into one space; empty lines
    are omitted. In preformatted parts lines are kept, and tabs stand for runs of spaces between columns.
    Struck-out and hidden parts are left out, unless there is nothing else.
    """
    return _lines(root, is_unseen) or _lines(root, _never)


def _never(_: _Element) -> bool:
    return False


def _lines(root: _Element, is_left_out: Callable[[_Element], bool]) -> str:
    raw = as_seen("".join(_pieces(root, is_left_out)))
    folded = _SPACE_AROUND_TAB.sub(r"\1", _SPACES.sub(" ", raw))
    lines = (_in_columns(line.strip(" ")) for line in folded.split("\n"))
    return "\n".join(line for line in lines if line.strip())


def _in_columns(line: str) -> str:
    """Return a line with tabs between the columns of preformatted text, without its indent."""
    if _GAP not in line:
        return line
    line = line.rstrip(_GAP)
    return (line if line.count(_GAP) > 1 else line.lstrip(_GAP)).replace(_GAP, "\t")


def _pieces(root: _Element, is_left_out: Callable[[_Element], bool]) -> Iterable[str]:
    # An explicit stack because a page may nest deeper than Python's recursion limit; None ends a pre.
    stack: list[_Element | str | None] = [root]
    kept = 0
    while stack:
        node = stack.pop()
        if node is None:
            kept -= 1
            continue
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag if isinstance(node.tag, str) else ""
        after = _own(node.tail, kept) if node is not root else ""
        if not tag or tag in _SKIPPED or (node is not root and is_left_out(node)):
            yield after
            continue
        stack.append(after)
        if tag == "table" and (grid := grid_of(node, is_left_out)):
            yield from ("\n", "\n".join(map("\t".join, grid)), "\n")
            continue
        if tag in _BLOCKS:
            yield "\n"
            stack.append("\n")
        elif tag in _CELLS and _has_earlier_cell(node):
            yield "\t"
        if tag == "pre" or ((style := node.get("style")) and _PRE.search(style)):
            kept += 1
            stack.append(None)
        stack.extend(reversed(node))
        stack.append(_own(node.text, kept))


def _own(text: str | None, kept: int) -> str:
    text = text or ""
    return _GAPS.sub(_GAP, text) if kept else text.replace("\n", " ").replace("\t", " ")


def _has_earlier_cell(cell: _Element) -> bool:
    return any(sibling.tag in _CELLS for sibling in cell.itersiblings(preceding=True))


def grid_of(
    table: _Element, is_left_out: Callable[[_Element], bool] = is_unseen
) -> list[list[str]]:
    """Return the cells of a table of data by rows, each as one line; [] for a table of layout.

    Layout holds another table, or paragraphs in its cells.
    """
    if next(table.iterdescendants("table"), None) is not None:
        return []
    rows = [
        [
            GridCell(_line(c, is_left_out), _span(c, "colspan"), _span(c, "rowspan"))
            for c in row
            if c.tag in _CELLS and not is_left_out(c)
        ]
        for row in table.iterdescendants("tr")
        if not is_left_out(row)
    ]
    cells = [cell for row in rows for cell in row]
    long = sum(len(cell.text) > _LONGEST_CELL for cell in cells)
    is_data = len(rows) > 1 and max(map(len, rows)) > 1 and long * 10 <= len(cells)
    captions = [[_line(caption, is_left_out)] for caption in table.iterchildren("caption")]
    return captions + expanded(rows) if is_data else []


def _line(node: _Element, is_left_out: Callable[[_Element], bool]) -> str:
    return " ".join("".join(_pieces(node, is_left_out)).split())


def _span(cell: _Element, name: str) -> int:
    digits = (cell.get(name) or "").strip()
    return int(digits) if digits.isdecimal() and len(digits) < 6 else 1
