"""Elements that begin a line, and the parts of a page that contain them."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from selectolax.lexbor import LexborNode

BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre"
    " section summary table tbody td tfoot th thead tr ul button marquee".split()
)
HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6 dt th caption legend".split())


class Place(StrEnum):
    """Part of a page that contains a block."""

    BODY = "body"
    HEADER = "header"
    FOOTER = "footer"
    NAVIGATION = "navigation"
    HIDDEN = "hidden"


_PLACE_OF_TAG = {"footer": Place.FOOTER, "header": Place.HEADER, "nav": Place.NAVIGATION}
_PLACE_OF_NAME = (
    (re.compile(r"(?<![a-z])(?:foot\w*|bottom|copyright|copy|bot)(?![a-z])"), Place.FOOTER),
    (
        re.compile(r"(?<![a-z])(?:nav|navbar|navigation|menu|breadcrumb)s?(?![a-z])"),
        Place.NAVIGATION,
    ),
    (re.compile(r"(?<![a-z])(?:head|header|top|topbar|toper)(?![a-z])"), Place.HEADER),
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:left|top|text-indent)\s*:\s*-\d{3,}"
    r"|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)


class Cell(NamedTuple):
    """Position in a table."""

    table: Block
    row: int
    column: int


class Block:
    """Element that begins a line, with its parent block."""

    __slots__ = ("cell", "columns", "depth", "parent", "place", "rows", "tag")

    def __init__(self, tag: str, parent: Block | None, place: Place = Place.BODY) -> None:
        self.tag = tag
        self.parent = parent
        self.place = place
        self.depth: int = parent.depth + 1 if parent else 0
        self.rows = self.columns = 0  # so far; of a table, and of a row
        self.cell: Cell | None = parent.cell if parent else None


def opened(node: LexborNode, tag: str, around: Block) -> Block:
    """Return the block that an element within ``around`` opens."""
    block = Block(tag, around, _place(node, tag, around.place))
    if tag == "tr":
        if table := _nearest(around, "table"):
            table.rows += 1
    elif tag in ("td", "th"):
        row = _nearest(around, "tr")
        table = _nearest(row, "table") if row else None
        if row and table:
            block.cell = Cell(table, table.rows, row.columns)
            row.columns += _span(node)
    return block


def common_depth(one: Block, other: Block) -> int:
    """Return the depth of the innermost block around both: the deeper, the closer they are."""
    a, b = one, other
    while a is not b:
        deeper, higher = (a, b) if a.depth >= b.depth else (b, a)
        if deeper.parent is None:
            return -1
        a, b = deeper.parent, higher
    return a.depth


def _place(node: LexborNode, tag: str, around: Place) -> Place:
    if around is Place.HIDDEN:
        return around
    own = node.attributes
    if (style := own.get("style")) and _HIDDEN.search(style):
        return Place.HIDDEN
    if place := _PLACE_OF_TAG.get(tag):
        return place
    if around is Place.BODY:
        name = f"{own.get('class') or ''} {own.get('id') or ''}".lower()
        for pattern, place in _PLACE_OF_NAME if name != " " else ():
            if pattern.search(name):
                return place
    return around


def _nearest(block: Block | None, tag: str) -> Block | None:
    while block is not None and block.tag != tag:
        if tag == "tr" and block.tag == "table":
            return None
        block = block.parent
    return block


def _span(node: LexborNode) -> int:
    columns = node.attributes.get("colspan") or ""
    return int(columns) if columns.isascii() and columns.isdigit() and len(columns) < 3 else 1
