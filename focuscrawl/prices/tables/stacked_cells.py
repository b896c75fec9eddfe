"""Tables whose cells stand one below the other, as copied from a page: their lines joined to rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import NamedTuple

from focuscrawl.prices.tables.table_cells import MAX_CELL
from focuscrawl.prices.tables.table_columns import NONE, SUBJECT_HEAD, SUBJECTS, role_of

_NARROWEST, _WIDEST = 2, 12  # columns
_FEWEST_ROWS = 2
_FEWEST_CELLS = 4
_FEWEST_WITHOUT_HEADS = 3  # rows, and columns
_MOST_MORE = 2  # heads than cells in a row
_END = "。"  # no cell
_MOST_EMPTY = 0.4
_FURTHEST = 40  # lines before a first row
_LOOKED_AT = 120  # cells by which the columns are chosen
_WORTH = 2  # of a known head, in cells of rows; a column costs as much
_FIGURE = re.compile(
    r"[<≤≥约¥+±↑↓涨跌升降-]{0,2}\d[\d.,]*(?:[-~至]\d[\d.,]*)?(?:元|万元|%|点|元?/?(?:吨|公斤|千克|斤|kg)|元/[^\W\d]{1,2})?[↑↓]?(?:\([^()]*\))?",
    re.IGNORECASE,
)
_MOVE = re.compile(r"持?平|稳定?|[涨跌↑↓]|不变|上涨|下跌")
_DAY = re.compile(
    r"\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?|\d{1,2}月\d{1,2}日(?:\d{1,2}时)?"
    r"|(?:(?:\d{4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?)?\d{1,2}:\d\d(?::\d\d)?"
)
_SHORT_DAY = re.compile(r"(?:0?[1-9]|1[0-2])[-/](?:0?[1-9]|[12]\d|3[01])")
_IS_UNIT = re.compile(
    r"万?元?/?(?:[百市]斤|(?:50|500)?(?:吨|公斤|千克|斤|kg|克|g|t|m[³3]|立方米?|升|[瓶桶箱盒头只羽袋]))",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。;!?\t]|:(?!\d\d)|,(?!\d{3}).{12}|[^\d.(±+-]\d+(?:\.\d+)?(?:元|块|一斤)")
_BELOW_HEAD = re.compile(r"\(.*\)|[↑↓]+|\(?单位[:是为].{1,12}")
_LIKE_PRICE = re.compile(r"\d{3}|\d\.\d")
_SECTION = re.compile(r"[一二三四五六七八九十]{1,2}、.*|[■◆●▲★].*|【.*】|\[.*\]")
_TEXT, _NUMBER, _EMPTY, _DATE, _UNIT = "text", "number", "empty", "date", "unit"
_NAME = "name of a section"
_FIGURES = frozenset({_NUMBER, _EMPTY})
_SUBJECTS = SUBJECTS | {"grade", "skip", "unit"}
_OF_FIGURES = frozenset({"price", "old", "change", "moisture"})
_KINDS = dict.fromkeys(_OF_FIGURES, _FIGURES) | dict.fromkeys(
    SUBJECTS | {"grade", "unit"}, frozenset({_TEXT, _UNIT, _DATE})
)
"""Kinds of cells below heads by the roles of these; of those that are skipped, anything may be."""
_COUNTS = re.compile("序|编号|排行|.{0,4}项目")


@dataclass(frozen=True, slots=True)
class _Cell:
    number: int  # among the cells that follow each other
    start: int
    end: int
    line: str
    text: str  # without white space
    kind: str


def with_rows(plain: str) -> str:
    """Return a text with tabs between the cells of a row, in place of line ends; its length is the same.

    A table is told by its layout: heads, the first of which names what its rows are about, and figures, or
    marks for none, in the same places of each row; without heads, by several rows with prices. Of
    the possible rows, those with most cells and fewest columns count.

    >>> with_rows("地区\\n价格\\n四平\\n2210\\n通化\\n2230")
    '地区\\t价格\\n四平\\t2210\\n通化\\t2230'
    """
    joined = list(plain)
    for above, cells in _runs(plain):
        for table in _tables(above, cells, 0):
            for cell, following in (pair for row in table.rows for pair in pairwise(row)):
                joined[cell.end : following.start] = " " * (following.start - cell.end)
                is_new = following not in table.below_heads
                joined[cell.end] = "\t" if is_new and plain[cell.end - 1] != "\t" else " "
    return "".join(joined)


def _runs(plain: str) -> Iterator[tuple[str, list[_Cell]]]:
    """Yield the lines that can be cells and follow each other, with the line above them.

    An empty line is an empty cell, unless the cells are set apart by empty lines.
    """
    above, cells, start = "", list[_Cell](), 0
    for line in [*plain.split("\n"), _END]:
        own = line.strip("\t ")
        if len(own) <= MAX_CELL and (_BELOW_HEAD.fullmatch(own) or not _SENTENCE.search(own)):
            text = "".join(own.split())
            cells.append(_Cell(0, start, start + len(line), own, text, _kind(text)))
        else:
            while cells and not cells[-1].text:
                cells.pop()
            if len(cells) >= _FEWEST_CELLS:
                filled = [cell for cell in cells if cell.text]
                are_apart = len(cells) - len(filled) > _MOST_EMPTY * len(cells)
                kept = filled if are_apart else cells
                yield above, [replace(cell, number=n) for n, cell in enumerate(kept)]
            above, cells = own, []
        start += len(line) + 1


def _kind(text: str) -> str:
    if not text or NONE.fullmatch(text) or _MOVE.fullmatch(text):
        return _EMPTY
    if _DAY.fullmatch(text):
        return _DATE
    if _SECTION.fullmatch(text):
        return _NAME
    if _IS_UNIT.fullmatch(text):
        return _UNIT
    return _NUMBER if _FIGURE.fullmatch(text) else _TEXT


class _Heads(NamedTuple):
    """Cells of the heads of a table, their texts, which cells are further lines of the head before, and how many fit."""

    cells: Sequence[_Cell]
    words: Sequence[str]
    below: Sequence[_Cell]
    fitting: int


_NO_HEADS = _Heads([], [], [], 0)


class _Table(NamedTuple):
    """Rows of a table, its heads first if these are cells, and the number of the cell behind it."""

    rows: Sequence[Sequence[_Cell]]
    below_heads: Sequence[_Cell]
    end: int


def _tables(above: str, cells: Sequence[_Cell], at: int) -> Iterator[_Table]:
    """Yield the tables among the cells from a place on, also smaller ones before a larger one."""
    while at < len(cells):
        table = _table_at("" if at else above, cells, at)
        begin = next((row[0].number for row in table.rows if row), at)
        if begin - at >= _FEWEST_CELLS:
            yield from _tables(above, cells[:begin], at)
        yield table
        at = table.end


def _table_at(above: str, cells: Sequence[_Cell], at: int) -> _Table:
    """Return the first table among the cells from a place on, without rows if none is near."""
    near = cells[at : at + _FURTHEST + _LOOKED_AT]
    last = min(at + _FURTHEST, len(cells))
    if sum(cell.kind == _NUMBER for cell in near) >= _FEWEST_ROWS:
        most, best = 0, (0, _NARROWEST, _NO_HEADS)
        for start in range(min(len(near) - _FEWEST_CELLS + 1, _FURTHEST)):
            if _may_begin(near, start):
                for width in range(_NARROWEST, _WIDEST + 1):
                    worth, heads = _worth(above, near, start, width)
                    if worth > most:
                        most, best = worth, (start, width, heads)
        if most:
            start, width, heads = best
            found = _rows(cells, at + start, width)
            rows = [heads.cells, *_trimmed(found, heads)]
            return _Table(rows, heads.below, found[-1][-1].number + 1)
    # Heads of rows further below.
    return _Table([], [], last if last == len(cells) else last - _WIDEST)


def _may_begin(cells: Sequence[_Cell], start: int) -> bool:
    """Return whether a row may begin with a name, a day or a price, or with the number 1 before a name."""
    is_mark = cells[start].kind == _EMPTY and cells[start].text != ""
    is_below_heads = start > 0 and cells[start - 1].kind not in _FIGURES
    is_first_price = is_below_heads and (is_mark or _is_like_price(cells[start]))
    if cells[start].kind in (_TEXT, _DATE) or is_first_price:
        return True
    return cells[start].text.lstrip("0") == "1" and cells[start + 1].kind in (_TEXT, _DATE)


def _worth(above: str, cells: Sequence[_Cell], start: int, width: int) -> tuple[int, _Heads]:
    """Return how much speaks for rows of a width from a cell on, 0 for none, and their heads."""
    first = cells[start : start + width]
    heads = _heads(above, cells[:start], first, cells[start + width : start + 2 * width])
    if not heads.words and not any(map(_is_like_price, first)):
        return 0, _NO_HEADS
    is_priced = first[0].kind in _FIGURES and first[0].text.lstrip("0") != "1"
    if is_priced and not (heads.words and _is_of_figures(heads.words[0])):
        return 0, _NO_HEADS
    rows = _rows(cells[: start + _LOOKED_AT], start, width)
    if len(rows) < _FEWEST_ROWS or not (heads.words or _are_prices(rows)):
        return 0, _NO_HEADS
    longest = max(map(len, rows))
    covered = 2 * sum(map(len, rows)) - 2 * sum(len(row) < longest for row in rows)
    covered -= rows[-1][-1].number + 1 - rows[0][0].number  # names between rows count less, too
    texts = [cell.text for row in rows for cell in row if cell.kind == _TEXT]
    named = sum(map(_is_head, texts))
    return covered + _WORTH * (heads.fitting - named - width), heads


def _is_like_price(cell: _Cell) -> bool:
    return cell.kind == _NUMBER and _LIKE_PRICE.search(cell.text) is not None


def _are_prices(rows: Sequence[Sequence[_Cell]]) -> bool:
    """Return whether rows are a table, though it has no heads: all of one length, with prices in a column."""
    widths = {len(row) for row in rows}
    if len(rows) < _FEWEST_WITHOUT_HEADS or min(widths) < _FEWEST_WITHOUT_HEADS or len(widths) > 1:
        return False
    return any(
        all(_is_like_price(cell) or cell.kind == _EMPTY for cell in column)
        and sum(map(_is_like_price, column)) * 2 > len(column)
        for column in zip(*rows, strict=True)
    )


def _heads(
    above: str, before: Sequence[_Cell], first: Sequence[_Cell], second: Sequence[_Cell]
) -> _Heads:
    """Return the heads of rows: the line above them, or the cells before, from one that names their subject on.

    A name of several rows may stand between. Heads may be some more than the cells of a row, or one less if the
    rows end with the same word (查看). Of several choices the one counts that fits the cells best.
    """
    filled = [cell for cell in before if cell.text]
    best = _NO_HEADS
    for end in (len(filled), max(0, len(filled) - 1)):
        if best.words and role_of(filled[-1].text, False) != "unknown":
            break
        line = filled[end - 1].line if end else above
        if fitting := _fitting(words := line.split(), first, second):
            return _Heads([], words, [], fitting)
        near = list(takewhile(_may_be_head, reversed(filled[:end])))[: 2 * _WIDEST][::-1]
        here = [_stacked_heads(near[begin:], first, second) for begin in range(len(near))]
        best = max([best, *here], key=lambda h: (h.fitting, -len(h.words)))
    return best


def _may_be_head(cell: _Cell) -> bool:
    is_text = cell.kind not in (_NUMBER, _NAME) or _SHORT_DAY.fullmatch(cell.text) is not None
    return is_text or _is_below_head(cell)


def _stacked_heads(
    cells: Sequence[_Cell], first: Sequence[_Cell], second: Sequence[_Cell]
) -> _Heads:
    """Return some cells as heads, if they can be."""
    if _is_below_head(cells[0]):
        return _NO_HEADS
    # Units may be heads themselves: 品种, 元/公斤, 元/斤.
    for below in ([cell for cell in cells if _is_below_head(cell)], []):
        words = [cell.text for cell in cells if cell not in below]
        if fitting := _fitting(words, first, second):
            return _Heads(cells, words, below, fitting)
    return _NO_HEADS


def _fitting(words: Sequence[str], first: Sequence[_Cell], second: Sequence[_Cell]) -> int:
    """Return how many words fit the cells of the first row below them, 0 if they cannot be its heads.

    The first one names the subject, and any beyond the cells are known.
    """
    width = len(first)
    is_same = bool(second) and first[-1].text == second[-1].text and first[-1].kind == _TEXT
    is_fit = width - is_same <= len(words) <= width + _MOST_MORE
    is_priced = bool(words) and _is_of_figures(words[0]) and first[0].kind in _FIGURES
    if not is_fit or not (_is_subject(words[0]) or (is_priced and any(map(_is_subject, words)))):
        return 0
    if any(role_of(word, False) == "unknown" for word in words[width:]):
        return 0
    pairs = zip(words, first, strict=False)
    return sum(cell.kind in _KINDS.get(role_of(word, False), ()) for word, cell in pairs)


def _is_below_head(cell: _Cell) -> bool:
    return cell.kind == _UNIT or _BELOW_HEAD.fullmatch(cell.line) is not None


def _is_of_figures(head: str) -> bool:
    return role_of(head, False) in _OF_FIGURES or _DAY.fullmatch(head) is not None


def _is_subject(head: str) -> bool:
    return _COUNTS.match(head) is not None or role_of(head, False) in _SUBJECTS


def _is_head(text: str) -> bool:
    """Return whether a text in a row says that it is none."""
    is_subject = role_of(text, False) in _SUBJECTS and SUBJECT_HEAD.fullmatch(text) is not None
    return _is_of_figures(text) or is_subject


def _trimmed(rows: Sequence[Sequence[_Cell]], heads: _Heads) -> list[Sequence[_Cell]]:
    """Return rows without the word behind the last head."""
    width = len(heads.words) or len(rows[0])
    return [row[: max(width, len(row) - 1)] for row in rows]


def _rows(cells: Sequence[_Cell], start: int, width: int) -> list[Sequence[_Cell]]:
    """Return the rows of a width from a cell on; one may lack its first cell, or a last one without figures."""
    first, second = cells[start : start + width], cells[start + width : start + 2 * width]
    own = [cell.kind == _NUMBER for cell in first[1:]]
    if len(second) < width:
        return []
    is_priced = _is_like_price(first[0]) or _is_like_price(second[0])
    is_counted = first[0].kind == _NUMBER and not is_priced
    if is_counted and (first[0].text.lstrip("0"), second[0].text.lstrip("0")) != ("1", "2"):
        return []
    # A specification may look like a figure in the first row.
    of_both = [
        {a.kind, b.kind} in ({_NUMBER}, {_NUMBER, _EMPTY})
        for a, b in zip(first[1:], second[1:], strict=True)
    ]
    found = [
        _Columns(figures, _NUMBER if is_priced else first[0].kind).rows(cells[start:])
        for figures in (own, of_both)
        if is_priced or any(figures)
    ]
    return max(found, key=lambda rows: sum(map(len, rows)), default=[])


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which columns behind the first one have figures, and the kind of the first one."""

    figures: Sequence[bool]
    kind: str

    def fit(self, row: Sequence[_Cell]) -> bool:
        """Return whether cells are a row: a name or a price, and figures or only marks for none."""
        is_whole = len(row) == len(self.figures) + 1
        return is_whole and self._is_first(row[0]) and self._fit(row[1:])

    def _is_first(self, cell: _Cell) -> bool:
        if self.kind == _NUMBER and not any(self.figures):
            return _is_like_price(cell) or (cell.kind == _EMPTY and cell.text != "")
        is_mark = self.kind == _NUMBER and cell.kind == _EMPTY
        return cell.kind == self.kind or is_mark or not cell.text

    def _fit(self, cells: Sequence[_Cell]) -> bool:
        if any(cell.kind == _NAME for cell in cells):
            return False
        own = {cell.kind for cell, is_figure in zip(cells, self.figures, strict=True) if is_figure}
        if not any(self.figures):  # the only ones are the first of each row
            return self.kind == _NUMBER and all(cell.kind != _NUMBER for cell in cells)
        return bool(own) and own <= _FIGURES

    def rows(self, cells: Sequence[_Cell]) -> list[Sequence[_Cell]]:
        """Return the rows that some cells begin with; a name of several rows may stand between two."""
        found: list[Sequence[_Cell]] = []
        width, at = len(self.figures) + 1, 0
        while at < len(cells):
            ahead = cells[at : at + 2 * width]
            is_name = found and ahead[0].kind in (_TEXT, _NAME) and self.fit(ahead[1 : width + 1])
            if is_name and not self.fit(ahead[:width]):
                at += 1
            elif row := self.row(ahead, is_first=not found):
                found.append(row)
                at += len(row)
            else:
                break
        return found

    def row(self, ahead: Sequence[_Cell], *, is_first: bool) -> Sequence[_Cell]:
        """Return the row that some cells begin with, [] if they do not."""
        width = len(self.figures) + 1
        whole, short = ahead[:width], ahead[: width - 1]
        is_whole = self.fit(whole)
        if is_whole and (len(ahead) == width or self._begins(ahead[width:])):
            return whole
        lacks_last = not self.figures[-1] and _Columns(self.figures[:-1], self.kind).fit(short)
        if lacks_last and (len(ahead) < width or self._begins(ahead[width - 1 :])):
            return short
        if is_whole:
            return whole
        lacks_first = not is_first and len(short) == width - 1 > 1 and short[0].kind == _TEXT
        return short if lacks_first and self._fit(short) else []

    def _begins(self, cells: Sequence[_Cell]) -> bool:
        """Return whether cells may be the beginning of a row."""
        pairs = zip(cells[1:], self.figures, strict=False)
        fits = all(cell.kind in _FIGURES for cell, is_figure in pairs if is_figure)
        return bool(cells) and self._is_first(cells[0]) and fits
