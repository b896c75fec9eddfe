"""Pages nested without end, which would take the parser minutes."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

# At the begin of each block the parser looks for an open <p> through all that is open: 10,000
# nested blocks take it 0.2 s, 100,000 take 20 s. Browsers stop at 512.
DEEPEST = 2000
# Pages with fewer tags are not looked through: they cannot take more than half a second. A block
# has four characters at least, and to count them takes longer than to measure the page.
_SUSPICIOUS = 15_000
_BLOCK = re.compile(
    rb"<(/?)(?:address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset"
    rb"|fig(?:caption|ure)|footer|h(?:eader|group)|main|menu|nav|ol|optgroup|pre|search|section"
    rb"|summary|ul)(?![a-z0-9])",
    re.IGNORECASE,
)


def shallow(html: bytes) -> bytes:
    """Return a page up to where more than ``DEEPEST`` blocks are open; no page for people has that."""
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
    """Parse a page; one nested without end is cut where it becomes too deep."""
    return LexborHTMLParser(shallow(html.encode("utf-8", "replace")))
