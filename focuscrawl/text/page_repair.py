"""Repair of pages that libxml2 reads in another way than browsers do.

It drops what stands behind ``</html>``, which include files bring into the middle of pages, and puts all
later rows into one whose link or font is not closed.
"""

from __future__ import annotations

import re

_END = re.compile(r"</(?:body|html)\b[^<>]*>", re.IGNORECASE)
_END_OR_TEXT = re.compile(
    r"</(?:body|html)\b[^<>]*>"
    r"|(<!--(?:-?>|.*?(?:--!?>|\Z))|<(script|style|textarea|title|xmp)\b.*?(?:</\2|\Z))",
    re.IGNORECASE | re.DOTALL,
)
_ROW_TAG = re.compile(r"<(/?(?:li|tr|d[td]))[\s>]", re.IGNORECASE)
_ROWS = {
    names: re.compile(rf"(?=<(?:{'|'.join(names)})[\s>])", re.IGNORECASE)
    for names in (("li",), ("tr",), ("dt", "dd"))
}
# A row with one of these is closed, or has rows of its own.
_CLOSED = re.compile(r"</(?:li|tr|d[td])\b|</?(?:[uod]l|table|menu)\b", re.IGNORECASE)


def repaired(page: str) -> str:
    """Return the HTML of a page with the end tags where browsers see them.

    Those of the body are removed if anything follows them, those of rows (``li``, ``tr``, ``dt``, ``dd``)
    are added where the next row begins. Takes linear time, about 0.1 ms for 40 KB.
    """
    end = _END.search(page)
    if end and _END.sub("", page[end.start() :]).strip():
        page = _END_OR_TEXT.sub(lambda match: match[1] or "", page)
    tags = [tag.lower() for tag in _ROW_TAG.findall(page)]
    for names, start in _ROWS.items():
        if any(tags.count(name) > tags.count(f"/{name}") for name in names):
            before, *rows, last = start.split(page)
            page = before + "".join(map(_closed, rows)) + last
    return page


def _closed(row: str) -> str:
    return row if _CLOSED.search(row) else f"{row}</{row[1:3]}>"
