"""Lines of a page as rendered, each with its place in the tree of elements."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from focuscrawl.templates.extraction.label_words import (
    INPUT,
    Label,
    LabelKind,
    Labels,
    icon_of,
    icon_of_class,
    icons_of_emoji,
)
from focuscrawl.templates.extraction.page_values import PlacedValue
from focuscrawl.templates.keywords import fold
from focuscrawl.text.seen_text import as_seen

# Elements that begin a line, and the parts of a page that contain them.

BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre"
    " section summary table tbody td tfoot th thead tr ul button marquee".split()
)
HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6 dt th caption legend".split())


class PagePlace(StrEnum):
    """Part of a page that contains a block."""

    BODY = "body"
    HEADER = "header"
    FOOTER = "footer"
    NAVIGATION = "navigation"
    HIDDEN = "hidden"


_PLACE_OF_TAG = {
    "footer": PagePlace.FOOTER,
    "header": PagePlace.HEADER,
    "nav": PagePlace.NAVIGATION,
}
_PLACE_OF_NAME = (
    (re.compile(r"(?<![a-z])(?:foot\w*|bottom|copyright|copy|bot)(?![a-z])"), PagePlace.FOOTER),
    (
        re.compile(r"(?<![a-z])(?:nav|navbar|navigation|menu|breadcrumb)s?(?![a-z])"),
        PagePlace.NAVIGATION,
    ),
    (re.compile(r"(?<![a-z])(?:head|header|top|topbar|toper)(?![a-z])"), PagePlace.HEADER),
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:left|top|text-indent)\s*:\s*-\d{3,}"
    r"|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)


class TablePosition(NamedTuple):
    """Position in a table."""

    table: LineBlock
    row: int
    column: int


class LineBlock:
    """Element that begins a line, with its parent block."""

    __slots__ = ("cell", "columns", "depth", "parent", "place", "rows", "tag")

    def __init__(
        self, tag: str, parent: LineBlock | None, place: PagePlace = PagePlace.BODY
    ) -> None:
        self.tag = tag
        self.parent = parent
        self.place = place
        self.depth: int = parent.depth + 1 if parent else 0
        self.rows = self.columns = 0  # so far; of a table, and of a row
        self.cell: TablePosition | None = parent.cell if parent else None


def opened(node: LexborNode, tag: str, around: LineBlock) -> LineBlock:
    """Return the block that an element within ``around`` opens."""
    block = LineBlock(tag, around, _place(node, tag, around.place))
    if tag == "tr":
        if table := _nearest(around, "table"):
            table.rows += 1
    elif tag in ("td", "th"):
        row = _nearest(around, "tr")
        table = _nearest(row, "table") if row else None
        if row and table:
            block.cell = TablePosition(table, table.rows, row.columns)
            row.columns += _span(node)
    return block


def common_depth(one: LineBlock, other: LineBlock) -> int:
    """Return the depth of the innermost block around both: the deeper, the closer they are."""
    a, b = one, other
    while a is not b:
        deeper, higher = (a, b) if a.depth >= b.depth else (b, a)
        if deeper.parent is None:
            return -1
        a, b = deeper.parent, higher
    return a.depth


def _place(node: LexborNode, tag: str, around: PagePlace) -> PagePlace:
    if around is PagePlace.HIDDEN:
        return around
    own = node.attributes
    if (style := own.get("style")) and _HIDDEN.search(style):
        return PagePlace.HIDDEN
    if place := _PLACE_OF_TAG.get(tag):
        return place
    if around is PagePlace.BODY:
        name = f"{own.get('class') or ''} {own.get('id') or ''}".lower()
        for pattern, place in _PLACE_OF_NAME if name != " " else ():
            if pattern.search(name):
                return place
    return around


def _nearest(block: LineBlock | None, tag: str) -> LineBlock | None:
    while block is not None and block.tag != tag:
        if tag == "tr" and block.tag == "table":
            return None
        block = block.parent
    return block


def _span(node: LexborNode) -> int:
    columns = node.attributes.get("colspan") or ""
    return int(columns) if columns.isascii() and columns.isdigit() and len(columns) < 3 else 1


# E-mail addresses encoded by Cloudflare for decoding by its script.

_PATH = "/cdn-cgi/l/email-protection#"


def protected_email(node: LexborNode) -> str:
    """Return the e-mail address encoded in an element, ``""`` for any other element.

    The first byte of ``data-cfemail`` (hexadecimal) is the key; each of the others is a character
    xor the key.
    """
    own = node.attributes
    if code := own.get("data-cfemail"):
        return decoded(code)
    _, _, code = (own.get("href") or "").partition(_PATH)
    return decoded(code) if code else ""


def decoded(code: str) -> str:
    """Return the e-mail address of a hexadecimal code, ``""`` if it is invalid."""
    try:
        key, *characters = bytes.fromhex(code)
        email = bytes(character ^ key for character in characters).decode()
    except (ValueError, UnicodeDecodeError):
        return ""
    return email.partition("?")[0] if "@" in email and email.isprintable() else ""


_LONGEST_LINE = 20_000
_MOST_TEXT = 100_000
_MOST_LINES = 6_000
_MOST_NODES = 150_000
_LONGEST_ALT = 60
_LONGEST_LABEL = 10
_NODES_OF_ICON = 50

_SKIPPED = frozenset(
    "script style noscript template iframe svg object video audio head select".split()
)
_INPUTS = frozenset({"input", "textarea"})
_NO_TYPING = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
_BLANKS = re.compile(r"\s+")
_LONGEST_NUMBER = 7  # one digit more than _PART_OF_NUMBER matches
_PART_OF_NUMBER = re.compile(r"(?<!\d)\d{1,6}$")
# The text of a picture of a number or an e-mail address.
_VALUE = re.compile(r"\+?[\d\s()-]{7,24}|[\w.+-]{1,64}@[\w-]{1,40}\.[\w.]{2,24}", re.ASCII)
# The halves of an e-mail address in two elements.
_MAILBOX, _HOST = re.compile(r"[\w.+-]{1,64}", re.ASCII), re.compile(r"@[\w.-]{4,80}", re.ASCII)
# A whole number begins behind that of a room: 1902 | 0574-87654320.
_WHOLE_NUMBER = re.compile(r"0\d{2,3}-\d|(?:0\d{9,11}|1[3-9]\d{9})(?!\d)")
# 宁波校区 | 宁波市海曙区…: the name of a branch before its address.
_BRANCH = re.compile(r"(?:校区|院区|园区|店|分公司|办事处|总部)$")
_LATIN = re.compile(r"[A-Za-z0-9]")


@dataclass(slots=True)
class PrintedLine:
    """A line as printed, with whitespace folded; ``links`` are start, end and ``href`` of each."""

    text: str
    block: LineBlock
    links: list[tuple[int, int, str]] = field(default_factory=list)


class _Step(NamedTuple):
    """A node to enter, or an element to leave if ``node`` is None."""

    node: LexborNode | None
    block: LineBlock
    href: str | None = None
    start: int = 0


def page_lines(body: LexborNode | None, is_label: Callable[[str], bool]) -> list[PrintedLine]:
    """Return the lines of a page in order, up to limits of their number and size.

    An image whose ``alt`` or ``title`` is a label by ``is_label`` counts as that text; other icons,
    and input fields, are replaced by the marks of :mod:`focuscrawl.templates.extraction.label_words`.
    """
    walk = _Walk(is_label)
    if body is not None:
        walk.run(body)
    return walk.lines


class _Walk:
    def __init__(self, is_label: Callable[[str], bool]) -> None:
        self.is_label = is_label
        self.lines: list[PrintedLine] = []
        self.size = 0
        self._begin(LineBlock("body", None))

    def _begin(self, block: LineBlock) -> None:
        self.block = block
        self.text = self.piece = ""
        self.links: list[tuple[int, int, str]] = []

    def run(self, body: LexborNode) -> None:
        """Walk the nodes without recursion: a page may nest deeper than Python's limit."""
        steps = [_Step(body.child, self.block)]
        for _ in range(_MOST_NODES):
            if not steps or self.size > _MOST_TEXT or len(self.lines) > _MOST_LINES:
                break
            step = steps.pop()
            if step.node is None:
                self._leave(step)
                continue
            if (following := step.node.next) is not None:
                steps.append(_Step(following, step.block))
            self._enter(step.node, step.block, steps)
        self._flush(self.block)

    def _enter(self, node: LexborNode, block: LineBlock, steps: list[_Step]) -> None:
        if node.is_text_node:
            self._add_text(node.text_content or "", block)
            return
        tag = node.tag or ""
        if not node.is_element_node or tag in _SKIPPED:
            return
        if email := protected_email(node):
            self._add(email)
            return
        child = node.child
        if tag == "br":
            self._flush(block)
        elif tag in _INPUTS:
            if (node.attributes.get("type") or "").lower() not in _NO_TYPING:
                self.text += INPUT
        elif tag in BLOCK_TAGS:
            inner = opened(node, tag, block)
            self._flush(inner)
            self.text += icon_of_class(node)
            steps.append(_Step(None, block))
            if child is not None:
                steps.append(_Step(child, inner))
        else:
            self._enter_inline(node, tag, block, steps)

    def _enter_inline(
        self, node: LexborNode, tag: str, block: LineBlock, steps: list[_Step]
    ) -> None:
        child = node.child
        if tag == "a":
            href = (node.attributes.get("href") or "").strip()
            steps.append(_Step(None, block, href, len(self.text)))
        elif tag == "img":
            self._picture(node)
        elif tag in ("i", "span", "em", "b") and _is_empty(node):
            self.text += icon_of(node, tag)
        if child is not None:
            steps.append(_Step(child, block))

    def _picture(self, node: LexborNode) -> None:
        own = node.attributes
        for name in (own.get("alt"), own.get("title")):
            if name and len(name) <= _LONGEST_ALT and self.is_label(name):
                self._add(name if ":" in name or "：" in name else f"{name}：")
                return
        alt = (own.get("alt") or "").strip()
        if alt == "@" or _VALUE.fullmatch(alt):
            self._add(alt)
            return
        self.text += icon_of(node, "img")

    def _leave(self, step: _Step) -> None:
        if step.href is None:
            self._flush(step.block)
        elif step.href:
            # A line may have ended within the link.
            self.links.append((min(step.start, len(self.text)), len(self.text), step.href))

    def _add_text(self, text: str, block: LineBlock) -> None:
        if block.tag == "pre":
            for line in text.split("\n"):
                self._add(line)
                self._flush(block)
            return
        # <b>地址</b>文三路: a word alone in an element is a label without a colon.
        piece = self.piece
        if 0 < len(piece) <= _LONGEST_LABEL and self.text.endswith(piece):
            self.text += " " if _BRANCH.search(piece) or self.is_label(piece) else ""
        text = as_seen(text)
        self._add(text)
        self.piece = text.strip()

    def _add(self, text: str) -> None:
        text = icons_of_emoji(_BLANKS.sub(" ", text))
        if not text or len(self.text) > _LONGEST_LINE:
            return
        self.size += len(text)
        if self.text.endswith(" ") or not self.text:
            text = text.lstrip(" ")
        elif _LATIN.match(text) and _begins_word(self.text, text):
            self.text += " "
        self.text += text[:_LONGEST_LINE]

    def _flush(self, block: LineBlock) -> None:
        if _HOST.fullmatch(self.text) and self.lines and _MAILBOX.fullmatch(self.lines[-1].text):
            self.lines[-1].text += self.text
        elif self.text.strip() or self.links:
            self.lines.append(PrintedLine(self.text.rstrip(), self.block, self.links))
        self._begin(block)


def _is_empty(node: LexborNode) -> bool:
    """Return whether an element contains no text and few nodes, since elements may nest without end."""
    if node.child is None:
        return True
    for number, inner in enumerate(node.traverse(include_text=True)):
        is_text = inner.is_text_node and (inner.text_content or "").strip()
        if is_text or number > _NODES_OF_ICON:
            return False
    return True


def _begins_word(before: str, text: str) -> bool:
    """Return whether an element boundary separates words, <b>ACME</b><i>Glass</i>, not parts of a number."""
    if not _LATIN.match(before[-1]):
        return False
    if _WHOLE_NUMBER.match(text):
        return True
    return not (text[0].isdigit() and _PART_OF_NUMBER.search(before[-_LONGEST_NUMBER:]))


# Lines split at their labels into scopes, with the values extracted from them.

TAKEN = "\ue90f"
"""Replacement of each character already extracted, in the result of :meth:`Row.rest`."""
TAKEN_RUN = re.compile(f"{TAKEN}+")
CODE_AT_TAKEN = re.compile(
    rf"{TAKEN}[\s,，(（\[/-]{{0,4}}([0-8]\d{{5}})(?![\d-])|(?<!\d)([0-8]\d{{5}})[\s,，]{{1,3}}{TAKEN}"
)
"""A postcode directly before or after a value, in the result of :meth:`Row.rest`."""
_TEXT_OF_LABEL = 100  # characters
_AROUND = 120
_LOOSEST = 0.6
_MOST_LABELS = 100  # per line
_HIDDEN_LABEL = 0.7


@dataclass(slots=True)
class LineScope:
    """Part of a line from ``start`` to ``end``, behind ``label``; None before the first label."""

    label: Label | None
    start: int
    end: int

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields of the label."""
        return self.label.fields if self.label else ()

    @property
    def is_free(self) -> bool:
        """Return whether the label assigns the text neither to a field nor to none."""
        return self.label is None or self.label.kind is LabelKind.OTHER


@dataclass(slots=True)
class PageRow:
    """A line, its scopes, and the spans of values extracted from it (``taken``)."""

    line: PrintedLine
    text: str
    scopes: list[LineScope]
    taken: list[tuple[int, int]] = field(default_factory=list)
    labelled: int = 0
    values: int = 0

    @property
    def has_label(self) -> bool:
        """Return whether the line has a label, of a field or of other data."""
        return any(not scope.is_free for scope in self.scopes)

    def density(self, part: LineScope) -> float:
        """Return 1 for a scope among many labels, less in a long text with few of them."""
        first, last = max(0, part.start - _AROUND), min(len(self.text), part.end + _AROUND)
        labels = sum(bool(s.fields) and first <= s.start <= last for s in self.scopes)
        return max(_LOOSEST, min(1.0, max(labels, 1) * _TEXT_OF_LABEL / max(last - first, 1)))

    @property
    def visibility(self) -> float:
        """Return 1 for a visible line, less for a hidden one, which may be spam or may unfold."""
        return _HIDDEN_LABEL if self.line.block.place is PagePlace.HIDDEN else 1.0

    def is_blank(self, scope: LineScope) -> bool:
        """Return whether a scope contains neither text nor an input field."""
        text = self.text[scope.start : scope.end]
        return INPUT not in text and not any(map(str.isalnum, text))

    def is_form(self, scope: LineScope) -> bool:
        """Return whether a scope contains an input field."""
        return INPUT in self.text[scope.start : scope.end]

    def rest(self, scope: LineScope) -> str:
        """Return the printed text of a scope with extracted values masked by ``TAKEN``."""
        text = self.line.text[scope.start : scope.end]
        if not self.taken:
            return text
        letters = list(text)
        for start, end in self.taken:
            a, b = max(start - scope.start, 0), min(end, scope.end) - scope.start
            if a < b:
                letters[a:b] = TAKEN * (b - a)
        return "".join(letters)

    def take(self, scope: LineScope, values: Sequence[PlacedValue]) -> None:
        """Mark the values, with offsets relative to ``scope``, as extracted."""
        self.taken += [(scope.start + v.start, scope.start + v.end) for v in values]


def rows_of(lines: Sequence[PrintedLine], labels: Labels) -> list[PageRow]:
    """Return the lines with their scopes."""
    rows = []
    for line in lines:
        text = fold(line.text)
        rows.append(PageRow(line, text, _scopes(text, labels.find(text)[:_MOST_LABELS])))
    return rows


def _scopes(text: str, labels: Sequence[Label]) -> list[LineScope]:
    scopes = []
    first = labels[0].start if labels else len(text)
    if first or not labels:
        scopes.append(LineScope(None, 0, first))
    for at, label in enumerate(labels):
        end = labels[at + 1].start if at + 1 < len(labels) else len(text)
        scopes.append(LineScope(label, label.end, end))
    return scopes


# Neighbouring lines of a page, in its tables and in its tree.

_MOST_ROWS = 100
_WIDEST = 10  # columns that the label, and a cell for its colon, may span


class Neighbours:
    """Index of the table cells of a page."""

    def __init__(self, rows: Sequence[PageRow]) -> None:
        self._rows = rows
        self._cells: dict[LineBlock, dict[tuple[int, int], list[int]]] = defaultdict(dict)
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

    def _below(self, cell: TablePosition) -> list[int]:
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

    def _right_of(self, cell: TablePosition) -> list[int]:
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


def is_adjacent(rows: Sequence[PageRow], at: int) -> bool:
    """Return whether a row is in the same element as the one before, or in a sibling of the same tag."""
    here, before = rows[at].line.block, rows[at - 1].line.block
    return here is before or (here.parent is before.parent and here.tag == before.tag)
