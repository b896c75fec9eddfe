"""Listings of programs as their authors wrote them, without what a highlighter put around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAG = re.compile(r"<(/?)(pre|code|span|table|td)(?![a-z0-9-])([^<>]*+)>", re.IGNORECASE)
_LISTING = re.compile(r"<(?:pre|code)(?![a-z0-9-])", re.IGNORECASE)
# The column of line numbers: Hexo, Pygments, Rouge and their likes.
_GUTTER = re.compile(
    r"""class\s*=\s*["']?(?:[^"'>]{0,300}[\s-])?(?:gutter|linenos?)(?=["'\s]|$)""", re.IGNORECASE
)


def plain_listings(html: str) -> str:
    """Return a page without ``<span>`` in ``<pre>`` and ``<code>``, and without their line numbers.

    A line of code may hold ten spans of classes such as ``meta``, which mean something else to
    whoever looks for the main text: lines beginning with ``@`` or ``#`` went with the author's name.
    The table that holds numbers and code side by side is marked as one of layout.
    """
    return "".join(_kept(html)) if _LISTING.search(html) else html


def _kept(html: str) -> Iterator[str]:
    begin = depth = 0
    table = last_end = 0
    gutter: int | None = None
    for tag in _TAG.finditer(html):
        name, is_end = tag[2].lower(), bool(tag[1])
        between, last_end = (last_end, tag.start()), tag.end()
        if name == "td":
            if is_end and gutter is not None:
                if table > begin:
                    yield f'{html[begin:table]} role="presentation"'
                    begin = table
                yield html[begin:gutter]
                begin = tag.end()
            gutter = None if is_end or not _GUTTER.search(tag[3]) else tag.start()
        elif gutter is not None:
            continue
        elif name == "table":
            table = 0 if is_end else tag.end() - 1
        elif name == "span":
            # Within a tag, what stands around it could become one without it.
            if depth and html.rfind("<", *between) <= html.rfind(">", *between):
                yield html[begin : tag.start()]
                begin = tag.end()
        elif is_end:
            # What was left open in a listing ends with it.
            depth = 0 if name == "pre" else max(depth - 1, 0)
        else:
            depth += 1
    yield html[begin:]
