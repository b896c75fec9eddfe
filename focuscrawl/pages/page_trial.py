"""Trial parse of a page that may be too heavy, for a process that can be killed."""

from __future__ import annotations

import time

from parsel import Selector
from selectolax.lexbor import LexborHTMLParser

from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.system.worker_process import memory_of
from focuscrawl.text.page_depth import shallow
from focuscrawl.text.page_repair import repaired

# For all parses together; an ordinary page of 8 MB takes one second.
_MOST_SECONDS = 5.0
_MOST_BYTES = 320 << 20


def is_bearable(html: bytes) -> bool:
    """Return whether the parsers can read a page (UTF-8) in the crawler's own process.

    Meant for :func:`focuscrawl.system.worker_pool.try_in_worker`: other pages may take minutes and
    all available memory.
    """
    begin, before = time.process_time(), memory_of("self")
    # Both trees are kept, since freed memory would not be measured.
    trees = [
        LexborHTMLParser(shallow(html)),
        Selector(text=repaired(html.decode("utf-8", "replace")), type="html").root,
    ]
    held = memory_of("self") - before
    del trees
    parse_page(html, "http://a.example/")
    return held < _MOST_BYTES and time.process_time() - begin < _MOST_SECONDS
