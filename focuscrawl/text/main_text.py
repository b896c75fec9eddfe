"""Main text of a page, without menus, margins and comments."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from configparser import ConfigParser
from functools import cache

from lxml import etree
from lxml.html import HtmlElement

from focuscrawl.text.page_repair import repaired
from focuscrawl.text.seen_text import as_seen, drop_unseen, may_hide
from focuscrawl.text.visible_lines import grid_of

# Program listings in HTML, stripped of the markup of syntax highlighters.

_TAG = re.compile(r"<(/?)(pre|code|span|table|td)(?![a-z0-9-])([^<>]*+)>", re.IGNORECASE)
_LISTING = re.compile(r"<(?:pre|code)(?![a-z0-9-])", re.IGNORECASE)
# The column of line numbers of Hexo, Pygments, Rouge and similar highlighters.
_GUTTER = re.compile(
    r"""class\s*=\s*["']?(?:[^"'>]{0,300}[\s-])?(?:gutter|linenos?)(?=["'\s]|$)""", re.IGNORECASE
)


def plain_listings(html: str) -> str:
    """Return a page without seen ``<span>`` in ``<pre>`` and ``<code>``, and without line numbers.

    A line of code may have ten spans of classes such as ``meta``, which mislead the extraction of
    the main text: lines beginning with ``@`` or ``#`` were dropped like the author's name. The table
    of numbers and code side by side is marked as a layout table.
    """
    return "".join(_kept(html)) if _LISTING.search(html) else html


def _kept(html: str) -> Iterator[str]:
    begin = depth = 0
    table = last_end = 0
    gutter: int | None = None
    hiding: list[bool] = []
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
            if depth and not is_end:
                hiding.append(may_hide(tag[3]))
            # Hidden parts are dropped with the element.
            is_kept = depth and hiding and (hiding.pop() if is_end else hiding[-1])
            # Kept within a tag, where the text around it could become a tag without it.
            if depth and not is_kept and html.rfind("<", *between) <= html.rfind(">", *between):
                yield html[begin : tag.start()]
                begin = tag.end()
        elif is_end:
            # Elements left open in a listing end with it.
            depth = 0 if name == "pre" else max(depth - 1, 0)
            hiding = hiding if depth else []
        else:
            depth += 1
    yield html[begin:]


# Characters. The largest recorded page of a blog has 710,000 bytes, 3 of 6,137 have more than this.
# The worst constructed page (one tag of 75,000 attributes) takes 7 s, at thrice the length a minute.
LONGEST_PAGE = 500_000
_SPAN = re.compile(r"\s(?:col|row)span\s*=", re.IGNORECASE)
_MERGED = etree.XPath("descendant::*[@colspan or @rowspan]")
# The library pads each row to the columns of the widest: 3,000 rows and a cell of 100 columns took
# nine minutes.
_WIDE = re.compile(r"\s*\d{2}")
# If it finds less, the library falls back to all text of the page. Its default is meant for Latin
# text: in Chinese, where a character is a word, it is half a bulletin.
_SHORTEST_TEXT = 50


def main_text(html: str, url: str) -> str:
    """Return the main text of a page, one line per paragraph, an empty string if there is none.

    List items begin with ``- ``, table cells are delimited by ``|``, program listings have no line
    numbers. Comments are omitted. Never raises; text after ``LONGEST_PAGE`` characters is ignored.
    ``url`` only identifies the page: nothing is fetched.

    Uses trafilatura (Barbaresi 2021) without its fallback extractors, which find no more on Chinese
    pages and take half as much time again. Takes about 12 ms per page, so run it in
    :func:`focuscrawl.system.worker_pool.in_worker`.
    """
    # The import takes 0.15 s, and only the worker needs it.
    from trafilatura import extract, load_html

    settings = _settings()
    # One lone surrogate would end the text for libxml2.
    page = repaired(html[:LONGEST_PAGE].encode("utf-8", "replace").decode("utf-8"))
    if "<html" not in page[:2000].lower():
        # The library rejects plain text and fragments with a single tag.
        page = "<html>" + page
    try:
        # A title over line numbers and code makes their table one of data, until these are removed.
        is_titled = _SPAN.search(page) is not None and _LISTING.search(page) is not None
        tree = load_html(page if is_titled else plain_listings(page))
        if tree is None:
            return ""
        drop_unseen(tree)
        _repeat_merged_cells(tree)
        if is_titled:
            repeated = etree.tostring(tree, encoding="unicode", method="html")
            tree = load_html(plain_listings(repeated))
        text = extract(
            tree,
            url=url,
            fast=True,
            favor_recall=True,
            include_comments=False,
            include_tables=True,
            config=settings,
        )
    except MemoryError:
        raise
    # Any exception of the library on a broken page must not stop the crawl.
    except Exception:
        return ""
    return as_seen(text or "")


def _repeat_merged_cells(root: HtmlElement) -> None:
    """Repeat each merged cell of a page, since the library leaves the places of others empty."""
    merged: list[HtmlElement] = _MERGED(root)  # type: ignore[assignment]
    if not merged:
        return
    for table in list(root.iter("table")):
        grid = grid_of(table)
        for row in list(table) if grid else ():
            table.remove(row)
        for cells in grid:
            row = etree.SubElement(table, "tr")
            for cell in cells:
                etree.SubElement(row, "td").text = cell
    for left in merged:
        for name in ("colspan", "rowspan"):
            if _WIDE.match(left.get(name, "")):
                del left.attrib[name]


@cache
def _settings() -> ConfigParser:
    from trafilatura.settings import use_config

    # The library logs each page without text as an error.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    settings = use_config()
    settings["DEFAULT"]["MIN_EXTRACTED_SIZE"] = str(_SHORTEST_TEXT)
    return settings
