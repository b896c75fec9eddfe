"""Tables whose cells stand one below the other, as copied from a page: their lines joined to rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from focuscrawl.prices.tables.table_cells import MAX_CELL
from focuscrawl.prices.tables.table_columns import role_of

_NARROWEST, _WIDEST = 2, 12  # columns
_FEWEST_ROWS = 2
_FEWEST_CELLS = 4
_END = "。"  # no cell
_MOST_EMPTY = 0.4
_FURTHEST = 40  # lines of names before a first row
_LOOKED_AT = 120  # cells by which the columns are chosen
_WEIGHT_OF_HEADS = 2  # of a known one, in cells of rows
_FIGURE = re.compile(
    r"[<≤≥约¥+±↑↓涨跌升降-]{0,2}\d[\d.,]*(?:[-~至]\d[\d.,]*)?(?:元|万元|%|元?/?(?:吨|公斤|千克|斤|kg))?[↑↓]?(?:\([^()]*\))?",
    re.IGNORECASE,
)
_NONE = re.compile(r"[-/\\*~无—]{1,4}|暂无|暂停报价|停收|未报|无报价|缺货?")
_MOVE = re.compile(r"持?平|稳定?|[涨跌↑↓]|不变|上涨|下跌")
_DAY = re.compile(
    r"\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?|\d{1,2}月\d{1,2}日(?:\d{1,2}时)?"
    r"|(?:(?:\d{4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?)?\d{1,2}:\d\d(?::\d\d)?"
)
_IS_UNIT = re.compile(r"万?元?/?(?:[百市]斤|(?:50|500)?(?:吨|公斤|千克|斤|kg|克|g))", re.IGNORECASE)
_SENTENCE = re.compile(r"[。;!?\t]|:(?!\d\d)|,(?!\d{3}).{12}")
_TEXT, _NUMBER, _EMPTY, _DATE, _UNIT = "text", "number", "empty", "date", "unit"
_FIGURES = frozenset({_NUMBER, _EMPTY})


@dataclass(frozen=True, slots=True)
class _Cell:
    start: int
    end: int
    line: str
    text: str  # without white space
    kind: str


def with_rows(plain: str) -> str:
    """Return a text with tabs between the cells of a row, in place of line ends; its length is the same.

    A table is told by its layout alone: figures, or marks for none, in the same places of each row.
    Of the possible rows, those with most cells count, and with heads above them.

    >>> with_rows("地区\\n价格\\n四平\\n2210\\n通化\\n2230")
    '地区\\t价格\\n四平\\t2210\\n通化\\t2230'
    """
    joined = list(plain)
    for above, cells in _runs(plain):
        at = 0
        while at < len(cells):
            table = _table_at(above if not at else "", cells[at:])
            for cell, following in (pair for row in table for pair in pairwise(row)):
                joined[cell.end : following.start] = " " * (following.start - cell.end)
                joined[cell.end] = " " if plain[cell.end - 1] == "\t" else "\t"
            last = table[-1][-1] if table else cells[min(at + _FURTHEST, len(cells)) - 1]
            at += 1 + next(n for n, cell in enumerate(cells[at:]) if cell is last)
            at -= 0 if table or at == len(cells) else _WIDEST  # heads of the next rows
    return "".join(joined)


def _runs(plain: str) -> Iterator[tuple[str, list[_Cell]]]:
    """Yield the lines that can be cells and follow each other, with the line above them.

    An empty line is an empty cell, unless the cells are set apart by empty lines.
    """
    above, cells, start = "", list[_Cell](), 0
    for line in [*plain.split("\n"), _END]:
        own = line.strip("\t ")
        if len(own) <= MAX_CELL and not _SENTENCE.search(own):
            text = "".join(own.split())
            cells.append(_Cell(start, start + len(line), own, text, _kind(text)))
        else:
            while cells and not cells[-1].text:
                cells.pop()
            if len(cells) >= _FEWEST_CELLS:
                filled = [cell for cell in cells if cell.text]
                are_apart = len(cells) - len(filled) > _MOST_EMPTY * len(cells)
                yield above, filled if are_apart else cells
            above, cells = own, []
        start += len(line) + 1


def _kind(text: str) -> str:
    if not text or _NONE.fullmatch(text) or _MOVE.fullmatch(text):
        return _EMPTY
    if _DAY.fullmatch(text):
        return _DATE
    if _IS_UNIT.fullmatch(text):
        return _UNIT
    return _NUMBER if _FIGURE.fullmatch(text) else _TEXT


def _table_at(above: str, cells: Sequence[_Cell]) -> list[Sequence[_Cell]]:
    """Return the rows of the first table among some cells, with its heads if these are cells; [] if there is none."""
    if sum(cell.kind == _NUMBER for cell in cells) < _FEWEST_ROWS:
        return []
    most, best = 0, (0, _NARROWEST, list[_Cell]())
    for start in range(min(len(cells) - _FEWEST_CELLS + 1, _FURTHEST)):
        line = next((c.line for c in reversed(cells[:start]) if c.text), above).split()
        for width in range(_NARROWEST, _WIDEST + 1):
            rows = _rows(cells[: start + _LOOKED_AT], start, width)
            if len(rows) < _FEWEST_ROWS:
                continue
            heads = [] if len(line) == width else _heads(cells, start, width)
            words = [cell.text for cell in heads] or (line if len(line) == width else [])
            known = sum(role_of(word, False) != "unknown" for word in words)
            known -= role_of(rows[0][0].text, False) != "unknown"
            covered = _WEIGHT_OF_HEADS * known + _covered(rows)
            if covered > most:
                most, best = covered, (start, width, heads)
    start, width, heads = best
    return [heads] * bool(heads) + _rows(cells, start, width) if most else []


def _covered(rows: Sequence[Sequence[_Cell]]) -> int:
    """Return the number of cells in rows; those of rows that lack one count less."""
    width = max(map(len, rows))
    return sum(len(row) - (len(row) < width) for row in rows)


def _heads(cells: Sequence[_Cell], start: int, width: int) -> list[_Cell]:
    """Return the cells above a row, if they are as many and none is a figure."""
    found = cells[max(0, start - width) : start]
    is_head = len(found) == width and all(cell.kind in (_TEXT, _DATE, _UNIT) for cell in found)
    return [*found] if is_head else []


def _rows(cells: Sequence[_Cell], start: int, width: int) -> list[Sequence[_Cell]]:
    """Return the rows of a width from a cell on; one may lack its first cell, or a last one without figures."""
    first, second = cells[start : start + width], cells[start + width : start + 2 * width]
    if len(second) < width:
        return []
    numbers = [cell.text for cell in (first[0], second[0])]
    is_counted = all(text.isdigit() for text in numbers) and [*map(int, numbers)] == [1, 2]
    kind = _NUMBER if is_counted else first[0].kind
    if not (first[0].text and (is_counted or kind in (_TEXT, _DATE))):
        return []
    own = [cell.kind == _NUMBER for cell in first[1:]]
    # A specification may look like a figure in the first row.
    of_both = [
        {a.kind, b.kind} in ({_NUMBER}, {_NUMBER, _EMPTY})
        for a, b in zip(first[1:], second[1:], strict=True)
    ]
    found = [_Columns(figures, kind).rows(cells[start:]) for figures in (own, of_both)]
    return max(filter(None, found), key=_covered, default=[])


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which columns behind the first one have figures, and the kind of the first one."""

    figures: Sequence[bool]
    kind: str

    def fit(self, row: Sequence[_Cell]) -> bool:
        """Return whether cells are a row: a name, and figures or only marks for none."""
        is_whole = len(row) == len(self.figures) + 1
        is_named = is_whole and row[0].kind == self.kind
        return (is_named or (is_whole and not row[0].text)) and self._fit(row[1:])

    def _fit(self, cells: Sequence[_Cell]) -> bool:
        own = {cell.kind for cell, is_figure in zip(cells, self.figures, strict=True) if is_figure}
        return bool(own) and own <= _FIGURES

    def rows(self, cells: Sequence[_Cell]) -> list[Sequence[_Cell]]:
        """Return the rows that some cells begin with."""
        found: list[Sequence[_Cell]] = []
        at = 0
        while row := self.row(cells[at : at + 2 * len(self.figures) + 2], is_first=not at):
            found.append(row)
            at += len(row)
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
        return bool(cells) and (cells[0].kind == self.kind or not cells[0].text) and fits
