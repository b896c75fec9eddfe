"""Text of PDF files: lines in reading order, tables as grids, without headers, footers and page numbers."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from statistics import median
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect

from focuscrawl.files.file_reading import (
    DAMAGED,
    ENCRYPTED,
    MOST_PAGES,
    SCANNED,
    Deadline,
    FileText,
    UnreadFileError,
    grid_lines,
    joined,
)
from focuscrawl.files.text_columns import Word, table_cells
from focuscrawl.text.visible_lines import GridCell

# It reports each font that it takes another for.
logging.getLogger("pdfminer").setLevel(logging.ERROR)
# Gaps between characters in units of their size: between words without a space, a space, and another column.
_PART, _SPACE, _COLUMN = 0.12, 0.3, 1.2
_SAME_LINE, _SAME_ROW = 0.2, 0.5
# Parts of the height of a page that may be a header or a footer.
_MARGIN = 0.13
# Of three digits at most: four may be a price in yuan per ton.
_PAGE_NUMBER = re.compile(
    r"[-–—―·•~\s第页共|/\\.]*(?:page|p\.)?\s*\d{1,3}\s*(?:(?:of|/|页|,|，|共|\s)+\d{0,4}\s*页?)?[-–—―·•~\s页|]*",
    re.IGNORECASE,
)
_OF_PRICES = re.compile("[元吨斤]|单位|价格")
_BEGINS_ITEM = re.compile(
    r"[(（]?[\d一二三四五六七八九十]{1,3}[)）、.．](?!\d)|[●■◆▪•·★※☆◎○□➢-]|第.{1,3}[章节条]"
)
_UNMAPPED = re.compile(r"\(cid:\d+\)|\ufffd")
_MOST_LINES, _MOST_CHARACTERS, _MOST_TABLES = 3000, 30_000, 50
_PROSE, _LEAST_OF_COLUMN = 10, 3
_LONG_CELL = _FEW = 60


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text between two gaps of a line, by its place on the page; or the lines of a table."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    base: float
    grid: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()


@dataclass(slots=True)
class _Page:
    pieces: list[_Piece]
    width: float
    height: float
    is_scanned: bool = False
    unmapped: int = 0
    characters: int = 0


def read_pdf(body: bytes, deadline: Deadline) -> FileText:
    """Return the text of a PDF; raises UnreadFileError if it is encrypted, damaged or scanned."""
    found = FileText("PDF")
    pages: list[_Page] = []
    try:
        with pdfplumber.open(BytesIO(body), pages=list(range(1, MOST_PAGES + 2))) as pdf:
            for page in pdf.pages:
                if len(pages) == MOST_PAGES or deadline.is_over:
                    over = len(pages) == MOST_PAGES
                    found.cut(f"over {MOST_PAGES} pages" if over else "takes too long")
                    break
                pages.append(_read_page(page))
                page.close()
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        causes = (error, *error.args)
        if any(isinstance(one, (PDFPasswordIncorrect, PDFEncryptionError)) for one in causes):
            raise UnreadFileError(ENCRYPTED) from None
        if not pages:
            raise UnreadFileError(DAMAGED) from None
        found.lacks.append(DAMAGED)
    if not pages:
        raise UnreadFileError(DAMAGED)
    scanned = sum(page.is_scanned for page in pages)
    characters, unmapped = sum(p.characters for p in pages), sum(p.unmapped for p in pages)
    if scanned:
        found.lacks.append(SCANNED)
    if unmapped * 50 > characters:
        found.lacks.append("fonts without characters")
    _drop_margins(pages)
    return found.take(_paragraphs(pages))


def _read_page(page: Any) -> _Page:
    printed = page.chars[:_MOST_CHARACTERS]
    # One alone is a bullet.
    marks = [_UNMAPPED.fullmatch(char["text"]) is not None for char in printed]
    unmapped = sum(a and b for a, b in pairwise(marks))
    # Turned text is a watermark, or stands on the margin.
    seen = (c for c in printed if c["upright"] and c["size"] > 0)
    chars = _once(c for c in seen if not _UNMAPPED.fullmatch(c["text"]))
    size = float(page.width), float(page.height)
    # Programs that scan print their name, or a number, on each page.
    is_scanned = len(chars) < _FEW and _is_picture(page)
    tables = []
    if len(page.lines) + len(page.rects) + len(page.curves) <= _MOST_LINES:
        tables = page.find_tables({"explicit_vertical_lines": _open_sides(page)})[:_MOST_TABLES]
    pieces: list[_Piece] = []
    for table in tables:
        if (grid := _grid(table, chars)) is not None:
            lines, inside = grid
            taken = {id(char) for char in inside}
            chars = [char for char in chars if id(char) not in taken]
            x0, top, x1, bottom = table.bbox
            pieces.append(
                _Piece("", x0, x1, top, bottom, 0, top - float(page.height), tuple(lines))
            )
    pieces += _pieces(chars)
    return _Page(pieces, *size, is_scanned, unmapped, len(printed))


def _open_sides(page: Any) -> list[dict[str, Any]]:
    """Return the outer sides of the rules between rows, which tables are often printed without."""
    rules = page.horizontal_edges
    sides = []
    for x in (min((r["x0"] for r in rules), default=0), max((r["x1"] for r in rules), default=0)):
        ends = [r["top"] for r in rules if min(abs(r["x0"] - x), abs(r["x1"] - x)) < 1]
        if len(ends) >= _LEAST_OF_COLUMN:
            place = {"x0": x, "x1": x, "top": min(ends), "bottom": max(ends)}
            sides.append({**place, "height": max(ends) - min(ends), "object_type": "line"})
    return sides


def _once(chars: Iterable[Any]) -> list[Any]:
    """Return characters without copies printed beside themselves, which make text look bold."""
    seen: set[tuple[str, int, int]] = set()
    kept = []
    for char in chars:
        # The same letter twice is a width apart, in any size of text.
        step = max(0.2 * char["width"], 0.1)
        x, y = round(char["x0"] / step), round(char["top"] / (0.1 * char["size"]))
        spots = {(char["text"], x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        if not spots & seen:
            kept.append(char)
        seen.add((char["text"], x, y))
    return kept


def _is_picture(page: Any) -> bool:
    area = sum((i["x1"] - i["x0"]) * (i["bottom"] - i["top"]) for i in page.images[:100])
    return bool(area * 2 > page.width * page.height)


# Lines and tables of a page.


def _pieces(chars: Iterable[Any]) -> list[_Piece]:
    """Return the pieces of the lines that characters stand in, from top to bottom."""
    rows: list[list[Any]] = []
    for char in sorted(chars, key=_base):
        if rows and _base(char) - _base(rows[-1][0]) < _SAME_LINE * char["size"]:
            rows[-1].append(char)
        else:
            rows.append([char])
    return [piece for row in rows for piece in _split(sorted(row, key=lambda c: c["x0"]))]


def _base(char: Any) -> float:
    """Return the height of the line that a character stands on, which is the same for all fonts."""
    return -float(char["matrix"][5])


def _middle(char: Any) -> float:
    return float(char["top"] + char["bottom"]) / 2


def _split(row: Sequence[Any]) -> Iterator[_Piece]:
    """Yield the pieces of a row of characters, which wide gaps separate."""
    kept: list[Any] = []
    words: list[Word] = []
    is_space = False
    for char in row:
        if not (text := char["text"]).strip():
            is_space = True
            continue
        gap = char["x0"] - kept[-1]["x1"] if kept else 0.0
        size = min(char["size"], kept[-1]["size"]) if kept else 1.0
        if gap > _COLUMN * size:
            yield _piece(words, kept)
            kept, words, is_space = [], [], False
        is_apart = is_space or (gap > _SPACE * size and text not in "，。、；：）")
        if words and not is_apart and gap <= _PART * size:
            words[-1] = words[-1]._replace(text=words[-1].text + text, x1=char["x1"])
        else:
            words.append(Word(text, char["x0"], char["x1"], is_apart or not kept, is_space))
        kept.append(char)
        is_space = False
    if kept:
        yield _piece(words, kept)


def _piece(words: Sequence[Word], chars: Sequence[Any]) -> _Piece:
    return _Piece(
        "".join(word.shown for word in words).strip(),
        chars[0]["x0"],
        max(c["x1"] for c in chars),
        min(c["top"] for c in chars),
        max(c["bottom"] for c in chars),
        median(c["size"] for c in chars),
        _base(chars[0]),
        words=tuple(words),
    )


def _grid(table: Any, chars: Sequence[Any]) -> tuple[list[str], list[Any]] | None:
    """Return the lines of a ruled table and the characters in it; None for a frame around a text."""
    rows = table.rows
    lefts = sorted({cell[0] for row in rows for cell in row.cells if cell})
    tops = sorted({row.bbox[1] for row in rows})
    if len(lefts) < 2 or len(tops) < 2:
        return None
    x0, top, x1, bottom = table.bbox
    inside = [
        c for c in chars if x0 <= (c["x0"] + c["x1"]) / 2 <= x1 and top <= _middle(c) <= bottom
    ]
    grid: list[list[GridCell]] = []
    for row in rows:
        cells = []
        for cell in row.cells:
            if cell is None:
                continue
            left, upper, right, lower = cell
            own = [
                c
                for c in inside
                if left <= (c["x0"] + c["x1"]) / 2 < right and upper <= _middle(c) < lower
            ]
            text = joined(" ".join(p.text for p in line) for line in _rows(_pieces(own)))
            width = sum(left <= x < right - 1 for x in lefts)
            cells.append(
                GridCell(text, max(1, width), max(1, sum(upper <= y < lower - 1 for y in tops)))
            )
        grid.append(cells)
    texts = [cell.text for row in grid for cell in row]
    if sum(len(text) > _LONG_CELL for text in texts) * 10 > len(texts) or not any(texts):
        return None
    return grid_lines(grid), inside


def _rows(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """Yield pieces that stand beside each other, from left to right."""
    row: list[_Piece] = []
    for piece in sorted(pieces, key=lambda p: p.base):
        if row and (
            piece.grid
            or row[0].grid
            or piece.base - row[0].base > _SAME_ROW * max(piece.size, row[0].size)
        ):
            yield sorted(row, key=lambda p: p.x0)
            row = []
        row.append(piece)
    if row:
        yield sorted(row, key=lambda p: p.x0)


# Headers and footers.


def _drop_margins(pages: Sequence[_Page]) -> None:
    """Remove page numbers, and what stands on the margin of several pages at the same place."""
    counts: Counter[tuple[str, int]] = Counter()
    for page in pages:
        counts.update({_key(p) for p in page.pieces if _is_marginal(p, page)})
    enough = max(2, 0.4 * len(pages))
    seen: set[tuple[str, int]] = set()
    for page in pages:
        kept = []
        for piece in page.pieces:
            if _is_marginal(piece, page):
                is_repeated = counts[_key(piece)] >= enough
                # A heading of prices stands for the pages behind it, too.
                is_first = _key(piece) not in seen and _OF_PRICES.search(piece.text)
                seen.add(_key(piece))
                if (is_repeated and not is_first) or _PAGE_NUMBER.fullmatch(piece.text):
                    continue
            kept.append(piece)
        page.pieces = kept


def _is_marginal(piece: _Piece, page: _Page) -> bool:
    is_outside = piece.bottom < _MARGIN * page.height or piece.top > (1 - _MARGIN) * page.height
    return is_outside and not piece.grid


def _key(piece: _Piece) -> tuple[str, int]:
    return re.sub(r"\d+", "0", piece.text), round(piece.top / 6)


# Reading order.


def _paragraphs(pages: Sequence[_Page]) -> Iterator[str]:
    """Yield the lines of all pages, wrapped ones joined also from page to page."""
    held = ""
    last: _Piece | None = None
    for page in pages:
        for block in _blocks(page.pieces, 0.0, page.width):
            for piece in _lines(_rows(block)):
                if isinstance(piece, str) or piece.grid:
                    yield held
                    held, last = "", None
                    yield from (piece,) if isinstance(piece, str) else piece.grid
                    continue
                if last is not None and _goes_on(last, piece, block, page):
                    held = joined((held, piece.text))
                else:
                    yield held
                    held = piece.text
                last = piece
    yield held


def _goes_on(last: _Piece, piece: _Piece, block: Sequence[_Piece], page: _Page) -> bool:
    """Return whether a line is the rest of the one before, which reaches the right margin."""
    size = piece.size
    left, right = min(p.x0 for p in block), max(p.x1 for p in block)
    is_wide = right - left > 0.25 * page.width and right - left > 12 * size
    is_full = last.x1 > right - 2 * size and abs(last.size - size) < 0.15 * size
    is_below = 0 < piece.top - last.top < 3 * size or piece.top < last.top
    # A sentence that ends at the margin by chance ends its line, too.
    is_new = piece.x0 > left + 1.2 * size or last.text.endswith(("。", "！", "？"))
    is_new = is_new or _BEGINS_ITEM.match(piece.text) is not None
    is_margin = right > 0.8 * page.width or right - left < 0.55 * page.width
    return is_wide and is_full and is_below and is_margin and not is_new


def _blocks(
    pieces: Sequence[_Piece], left: float, right: float, depth: int = 0
) -> Iterator[list[_Piece]]:
    """Yield the pieces of a part of a page in reading order: columns of prose one after the other."""
    gutter = _gutter(pieces, left, right) if depth < 3 else None
    if gutter is None:
        if pieces:
            yield list(pieces)
        return
    run: list[_Piece] = []
    kept: list[_Piece] = []
    for row in [*_rows(pieces), []]:
        if row and not any(piece.x0 < gutter < piece.x1 for piece in row):
            run += row
            continue
        sides = [[p for p in run if p.x1 <= gutter], [p for p in run if p.x0 >= gutter]]
        if min(map(len, sides)) >= _LEAST_OF_COLUMN and _are_columns(*sides):
            if kept:
                yield kept
            kept = []
            yield from _blocks(sides[0], left, gutter, depth + 1)
            yield from _blocks(sides[1], gutter, right, depth + 1)
        else:
            kept += run
        kept += row
        run = []
    if kept:
        yield kept


def _gutter(pieces: Sequence[_Piece], left: float, right: float) -> float | None:
    """Return where the right one of two columns begins, None if there is one column."""
    starts = Counter(round(p.x0 / 3) for p in pieces if not p.grid)
    width = right - left
    inner = {x: n for x, n in starts.items() if 0.25 * width < 3 * x - left < 0.75 * width}
    x = max(inner, key=lambda one: inner[one], default=0)
    return 3.0 * x - 3 if inner.get(x, 0) >= 2 * _LEAST_OF_COLUMN else None


def _are_columns(left: Sequence[_Piece], right: Sequence[_Piece]) -> bool:
    """Return whether texts beside each other are columns to read one by one, not cells of rows."""
    if not _is_prose(left):
        return False
    heights = [p.base for p in left]
    beside = sum(any(abs(p.base - one) < _SAME_LINE * p.size for one in heights) for p in right)
    return _is_prose(right) or beside * 2 < len(right)


def _is_prose(pieces: Sequence[_Piece]) -> bool:
    texts = [p.text for p in pieces if not p.grid]
    short = sum(len(text) < _PROSE and any(map(str.isdigit, text)) for text in texts)
    lines = len({round(p.base) for p in pieces})
    is_long = bool(texts) and median(map(len, texts)) >= _PROSE
    return is_long and short * 4 < len(texts) and lines * 4 > len(pieces) * 3


def _lines(rows: Iterable[Sequence[_Piece]]) -> Iterator[str | _Piece]:
    """Yield single pieces, and rows of several as lines: with cells if they share columns."""
    run: list[Sequence[_Piece]] = []
    for row in [*rows, ()]:
        if len(row) > 1:
            run.append(row)
            continue
        if run:
            words = [[word for piece in one for word in piece.words] for one in run]
            cells = table_cells(words, median(piece.size for one in run for piece in one))
            glue = "\t" if cells or len(run) < _LEAST_OF_COLUMN else " "
            texts = cells or ([piece.text for piece in one] for one in run)
            yield from (glue.join(one).rstrip("\t") for one in texts)
        run = []
        yield from row
