"""Truncation of pages with excessively nested blocks, which would take the parser minutes."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.text.seen_text import remove_unseen

# At each block the parser searches all open elements for a <p>: 10,000 nested blocks take 0.2 s,
# 100,000 take 20 s. Browsers stop at 512.
DEEPEST = 2000
# Pages with fewer tags are not scanned: they take at most half a second. A block tag has at least
# four characters, and the length of the page is checked first because it is faster than counting.
_SUSPICIOUS = 15_000
_BLOCK = re.compile(
    rb"<(/?)(?:address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset"
    rb"|fig(?:caption|ure)|footer|h(?:eader|group)|main|menu|nav|ol|optgroup|pre|search|section"
    rb"|summary|ul)(?![a-z0-9])",
    re.IGNORECASE,
)


def shallow(html: bytes) -> bytes:
    """Return a page up to the point where more than ``DEEPEST`` blocks are open.

    No page written for readers has so many.
    """
    if len(html) < 4 * _SUSPICIOUS or html.count(b"<") < _SUSPICIOUS:
        return html
    depth = 0
    for tag in _BLOCK.finditer(html):
        depth += -1 if tag[1] else 1
        if depth > DEEPEST:
            return html[: tag.start()]
        depth = max(depth, 0)
    return html


def parse(html: str) -> LexborHTMLParser:
    """Return the parsed page, cut where it is nested too deeply, without its struck-out and hidden parts."""
    parser = LexborHTMLParser(shallow(html.encode("utf-8", "replace")))
    remove_unseen(parser)
    return parser
