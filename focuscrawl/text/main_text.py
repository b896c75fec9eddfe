"""The main text of a page: what is left without menus, margins and comments."""

from __future__ import annotations

import logging
import re
from configparser import ConfigParser
from functools import cache

from focuscrawl.text.code_markup import plain_listings

# Characters. The largest recorded page of a blog has 710,000 bytes, 3 of 6,137 have more than this;
# a page worse than any on the web (one tag of 75,000 attributes) takes 7 s, a minute at thrice the length.
LONGEST_PAGE = 500_000
# The library gives each row as many cells as the widest has columns: 3,000 rows and a cell of 100
# columns took nine minutes.
_WIDE = re.compile(
    r"""\s(?:col|row)span\s*=\s*(?:"\s*\d{2,}[^"<>]*"|'\s*\d{2,}[^'<>]*'|\d{2,}[^\s<>]*)""",
    re.IGNORECASE,
)
_CELL = re.compile(r"<t[dh]\b[^<>]*", re.IGNORECASE)
# With less text found, the library takes all the page says: half a bulletin where a character is a word.
_SHORTEST_TEXT = 50


def main_text(html: str, url: str) -> str:
    """Return the main text of a page, one line a paragraph, an empty string if there is none.

    Items of lists begin with ``- ``, cells of tables stand between ``|``, listings of programs have
    their lines without numbers. Comments are left out.
    Never raises; what is behind ``LONGEST_PAGE`` characters is not read. ``url`` is but a name for
    the page: nothing is ever fetched.

    By trafilatura (Barbaresi 2021), without its second opinions, which find no more on Chinese
    pages and take half as much time again: some 12 ms a page, so run it in
    :func:`focuscrawl.system.worker_pool.in_worker`.
    """
    # Takes 0.15 s, and is for the worker only.
    from trafilatura import extract

    # One lone surrogate would end the text for libxml2.
    page = html[:LONGEST_PAGE].encode("utf-8", "replace").decode("utf-8")
    if "<html" not in page[:2000].lower():
        # Fragments with one tag, and plain text, are no pages to the library.
        page = "<html>" + page
    try:
        text = extract(
            plain_listings(_without_wide_cells(page)),
            url=url,
            fast=True,
            favor_recall=True,
            include_comments=False,
            include_tables=True,
            config=_settings(),
        )
    except MemoryError:
        raise
    # Whatever it stumbles over on a broken page: there is no text, and the crawl goes on.
    except Exception:
        return ""
    return text or ""


def _without_wide_cells(page: str) -> str:
    if not _WIDE.search(page):
        return page
    return _CELL.sub(lambda cell: _WIDE.sub("", cell[0]), page)


@cache
def _settings() -> ConfigParser:
    from trafilatura.settings import use_config

    # It reports each page without a text as an error.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    settings = use_config()
    settings["DEFAULT"]["MIN_EXTRACTED_SIZE"] = str(_SHORTEST_TEXT)
    return settings
