"""Program listings in HTML, stripped of the markup of syntax highlighters."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAG = re.compile(r"<(/?)(pre|code|span|table|td)(?![a-z0-9-])([^<>]*+)>", re.IGNORECASE)
_LISTING = re.compile(r"<(?:pre|code)(?![a-z0-9-])", re.IGNORECASE)
# The column of line numbers of Hexo, Pygments, Rouge and similar highlighters.
_GUTTER = re.compile(
    r"""class\s*=\s*["']?(?:[^"'>]{0,300}[\s-])?(?:gutter|linenos?)(?=["'\s]|$)""", re.IGNORECASE
)


def plain_listings(html: str) -> str:
    """Return a page without ``<span>`` in ``<pre>`` and ``<code>``, and without their line numbers.

    A line of code may have ten spans of classes such as ``meta``, which mislead the extraction of
    the main text: lines beginning with ``@`` or ``#`` were dropped like the author's name. The table
    of numbers and code side by side is marked as a layout table.
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
            # Kept within a tag, where the text around it could become a tag without it.
            if depth and html.rfind("<", *between) <= html.rfind(">", *between):
                yield html[begin : tag.start()]
                begin = tag.end()
        elif is_end:
            # Elements left open in a listing end with it.
            depth = 0 if name == "pre" else max(depth - 1, 0)
        else:
            depth += 1
    yield html[begin:]
