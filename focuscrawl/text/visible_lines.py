"""Plain text of a part of a page, in lines as rendered."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.etree import _Element

_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "iframe", "select"})
_CELLS = frozenset({"td", "th"})
_BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre"
    " section summary table tbody tfoot thead tr ul".split()
)
_SPACES = re.compile(r"[^\S\t\n]+")
_SPACE_AROUND_TAB = re.compile(r" *\t *")


def block_text(root: _Element) -> str:
    """Return the text under ``root``: one line per paragraph, list item or table row.

    Cells of a row are separated by tabs; runs of other white space (including no-break and
    ideographic spaces) are folded into one space; empty lines are omitted.
    """
    raw = "".join(_pieces(root))
    folded = _SPACE_AROUND_TAB.sub("\t", _SPACES.sub(" ", raw))
    lines = (line.strip(" ") for line in folded.split("\n"))
    return "\n".join(line for line in lines if line.strip())


def _pieces(root: _Element) -> Iterable[str]:
    # An explicit stack because a page may nest deeper than Python's recursion limit.
    stack: list[_Element | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag if isinstance(node.tag, str) else ""
        after = (node.tail or "").replace("\n", " ").replace("\t", " ") if node is not root else ""
        if not tag or tag in _SKIPPED:
            yield after
            continue
        is_cell = tag in _CELLS
        stack.append(after)
        if tag in _BLOCKS:
            yield "\n"
            stack.append("\n")
        elif is_cell and _has_earlier_cell(node):
            yield "\t"
        stack.extend(reversed(node))
        if node.text:
            stack.append(node.text.replace("\n", " ").replace("\t", " "))


def _has_earlier_cell(cell: _Element) -> bool:
    return any(sibling.tag in _CELLS for sibling in cell.itersiblings(preceding=True))
