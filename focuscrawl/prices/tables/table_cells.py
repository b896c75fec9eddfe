"""Cells of table rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from focuscrawl.prices.quote_drafts import Document
from focuscrawl.prices.tables.table_columns import NONE, SUBJECT_HEAD, Cell, role_of
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.prices.tokens.figures import find_figures
from focuscrawl.prices.tokens.line_tokens import Token, has_kind
from focuscrawl.prices.tokens.price_units import weight_named
from focuscrawl.prices.tokens.token_kinds import PLACES, PRICE_LIKE, SENTENCE_ENDS, TokenKind
from focuscrawl.text.places.gazetteer import gazetteer

_TIME, _DAY = (
    re.compile(r"\d{1,2}:\d\d(?::\d\d)?"),
    re.compile(r"(?:\d{2,4}[-/.])?\d{1,2}[-/.]\d{1,2}"),
)
_NUMBER_AND_UNIT = 2
_FEWEST_PAIRS = 2
_INDENT = 4  # characters before heads that have none above the first column
_BLANK = re.compile(r"([\d.]+)\s+(-{1,2}|/)\s+([\d.]+)")
_BLANK_OR_UNIT = re.compile(r"([\d.]+(?:-[\d.]+)?)(?:\s+(-{1,2}|/)\s+([\d.]+))?\s+([^\d\s]\S*)")
_PIECE, _WIDE_GAP = re.compile(r"[^\s]+"), re.compile(r"\s{2,}")
_ITEM = re.compile(r"\s*\d{1,3}[.、]\s")
_SENTENCE = SENTENCE_ENDS | {TokenKind.COMMA}
_MARKS, _WORDS = (",", " / "), re.compile(r"[\s(]+")
_FEWEST_CELLS, _LONGEST_HEAD = 3, 14
_IS_FIGURE = re.compile(r"[-+]?\d[\d.]*(?:[-~]\d[\d.]*)?(?:元/\w{1,4})?")
MAX_CELL = 40
_NAMES = PLACES | {TokenKind.BRAND, TokenKind.NAME, TokenKind.ACTOR}


def with_tabs(plain: str) -> str:
    """Return a text with tabs in place of commas or slashes between the cells of tables; its length is the same.

    Before lines are read, since 120,125 below two heads are no 120125. The heads of a table are a line of short words,
    most of them known ones, and the line below has as many cells, one of them a figure.
    """
    if "," not in plain and " / " not in plain:
        return plain
    lines, mark, width = plain.split("\n"), "", 0
    for number, line in enumerate(lines):
        # The name of a group of rows may stand between.
        below = lines[number + 1 : number + 3]
        heads = (m for m in _MARKS for row in below if _is_head(line.split(m), row.split(m)))
        if head := next(heads, ""):
            mark, width = head, line.count(head) + 1
        cells = line.split(mark) if mark else []
        if head or _is_row(cells, width):
            lines[number] = line.replace(mark, mark.replace(mark.strip(), "\t"))
        elif len(line) > _LONGEST_HEAD:  # shorter ones may be names of groups of rows
            mark = ""
    return "\n".join(lines)


def _is_head(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether pieces of a line are heads of those of the next line."""
    if len(cells) < _FEWEST_CELLS or len(below) != len(cells) or not _is_row(below, len(cells)):
        return False
    if SUBJECT_HEAD.fullmatch(cells[0].strip()):
        return True
    is_short = all(len(cell.strip()) <= _LONGEST_HEAD for cell in cells)
    return is_short and sum(map(_is_known_head, cells)) * 2 > len(cells)


def _is_known_head(cell: str) -> bool:
    """Return whether a piece of a line is goods, a place, or a word of heads."""
    text = "".join(cell.split())
    is_name = any(word in commodities() or word in gazetteer() for word in _WORDS.split(cell))
    return is_name or role_of(text, False) != "unknown"


def _is_row(cells: Sequence[str], width: int) -> bool:
    """Return whether pieces of a line are cells of a row of this width or less, and one a figure or a mark for none."""
    texts = [cell.strip() for cell in cells]
    has_figure = any(_IS_FIGURE.fullmatch(text) or NONE.fullmatch(text) for text in texts)
    return 1 < len(texts) <= width and has_figure


def cells_of(document: Document, start: int, end: int, tokens: Sequence[Token]) -> list[Cell]:
    """Return the cells of a line, or [] if it is running text."""
    line = document.plain[start:end]
    has_tabs = "\t" in line.strip("\t ")
    is_latin = line.isascii() and len(_WIDE_GAP.findall(line.strip())) > 1
    body = tokens[2:] if _ITEM.match(line) and _WIDE_GAP.search(line) else tokens
    is_sentence = any(t.kind in _SENTENCE for t in body) and not is_latin
    if is_sentence and not (has_tabs and _are_apart(line)):
        return []
    if has_tabs:
        pieces = _tab_pieces(document, start, end)
    else:
        pieces = _blank_pieces(line, start, tokens, is_latin)
    cells = _filled(pieces, tokens)
    if len(cells) < document.width:
        for pattern in (_BLANK, _BLANK_OR_UNIT):
            apart = _apart(pattern, document.plain, cells)
            cells = apart if len(apart) == document.width else cells
    is_indented = line[:_INDENT].isspace() and _WIDE_GAP.search(line.strip()) is not None
    if len(cells) < (2 if has_tabs or document.lists_pairs or is_indented else 3):
        return []
    return [] if any(c.end - c.start > MAX_CELL for c in cells) else cells


def _filled(pieces: Sequence[tuple[int, int]], tokens: Sequence[Token]) -> list[Cell]:
    """Return the pieces of a line as cells with their tokens."""
    cells = [Cell(a, b, []) for a, b in pieces]
    position = 0
    for token in tokens:
        while position + 1 < len(cells) and cells[position + 1].start <= token.start:
            position += 1
        if token.kind is not TokenKind.TAB and token.start < cells[position].end:
            cells[position].tokens.append(token)
    return cells


def _are_apart(line: str) -> bool:
    """Return whether tabs, not the commas and stops in the cells, divide a line."""
    marks = sum(line.count(mark) for mark in ",;。")
    return line.count("\t") > max(1, marks)


def _tab_pieces(document: Document, start: int, end: int) -> list[tuple[int, int]]:
    """Return the pieces between tabs or vertical lines, without those around the whole row."""
    pieces = []
    for piece in document.plain[start:end].split("\t"):
        begin = start + len(piece) - len(piece.lstrip())
        pieces.append((begin, begin + len(piece.strip())))
        start += len(piece) + 1
    (a, b), (c, d) = pieces[0], pieces[-1]
    is_framed = document.text[b] != "\t" and not document.plain[a:b].strip()
    if is_framed and len(pieces) > 2 and not document.plain[c:d].strip():
        return pieces[1:-1]
    return pieces


def _blank_pieces(
    line: str, base: int, tokens: Sequence[Token], is_latin: bool
) -> list[tuple[int, int]]:
    """Return the pieces between spaces; a figure with its unit, and 莘 县, are one piece.

    Latin words with one space between them are one, too, in a row with wider gaps (``is_latin``).
    """
    inside = {t.start - base + i for t in tokens for i in range(1, t.end - t.start)}
    pieces: list[tuple[int, int]] = []
    for match in _PIECE.finditer(line):
        start, end = match.span()
        if pieces:
            first, last = pieces[-1]
            is_time = _TIME.fullmatch(line, start, end) and _DAY.fullmatch(line, first, last)
            is_phrase = is_latin and start == last + 1 and line[start].isalpha()
            if start in inside or is_time or is_phrase:
                pieces[-1] = (first, end)
                continue
        pieces.append((start, end))
    return [(base + a, base + b) for a, b in pieces]


def with_wide_gaps(plain: str, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a row, those joined that have only one space between them: 二等 15水."""
    found: list[Cell] = []
    for cell in cells:
        if found and plain[found[-1].end : cell.start] == " ":
            last = found.pop()
            found.append(Cell(last.start, cell.end, [*last.tokens, *cell.tokens]))
        else:
            found.append(cell)
    return found


def _apart(pattern: re.Pattern[str], plain: str, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a row, those divided that are several by a pattern.

    0.99 - 1.38 may be two prices and a mark for none, and 2560-2600 元/吨 a price and its unit.
    """
    found: list[Cell] = []
    for cell in cells:
        parts = pattern.fullmatch(plain, cell.start, cell.end) if len(cell.tokens) == 1 else None
        if parts is None:
            found.append(cell)
            continue
        places = (parts.span(n) for n, part in enumerate(parts.groups(), 1) if part)
        found += [Cell(start, end, _figure(plain[start:end], start)) for start, end in places]
    return found


def _figure(text: str, start: int) -> list[Token]:
    """Return a number without a unit, or a unit, as a token, [] for a mark."""
    end = start + len(text)
    return [Token(figure.kind, start, end, text, figure) for figure in find_figures(text)[:1]]


def with_units_apart(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a row in which 2.40 公斤 are a price and its unit, not a weight."""
    found: list[Cell] = []
    for cell in cells:
        token = cell.tokens[0] if len(cell.tokens) == 1 else None
        parts = (
            token.text.split() if token and token.kind is TokenKind.OTHER and token.figure else []
        )
        if token and len(parts) == _NUMBER_AND_UNIT and weight_named(parts[1]):
            split, begin = token.start + len(parts[0]), token.end - len(parts[1])
            found.append(Cell(token.start, split, _figure(parts[0], token.start)))
            found.append(
                Cell(begin, token.end, [Token(TokenKind.NAME, begin, token.end, parts[1])])
            )
        elif cell.tokens or not found or found[-1].end < cell.start:
            found.append(cell)
    return found


def are_pairs(cells: Sequence[Cell]) -> bool:
    """Return whether names and bare prices stand in turn: 北京, 22.6, 上海, 23.4."""
    names, prices = cells[::2], cells[1::2]
    if len(prices) < _FEWEST_PAIRS or len(names) > len(prices):
        return False
    return all(c.tokens and c.tokens[0].kind in _NAMES and not c.is_priced for c in names) and all(
        len(c.tokens) == 1 and c.is_priced for c in prices[:-1]
    )


def is_list(cells: Sequence[Cell]) -> bool:
    """Return whether a line is a list of names and prices (沈阳 7.1元/斤 铁岭 7.0元/斤), not a row."""
    is_named = [bool(c.tokens) and c.tokens[0].kind in _NAMES for c in cells]
    is_priced = [any(t.kind in PRICE_LIKE for t in c.tokens) for c in cells]
    if sum(a and b for a, b in zip(is_named, is_priced, strict=True)) > 1:
        return True
    amounts = [i for i, c in enumerate(cells) if has_kind(c.tokens, TokenKind.AMOUNT)]
    return len(amounts) > 1 and any(is_named[amounts[0] : amounts[-1]])
