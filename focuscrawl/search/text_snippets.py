"""Snippets: the passage of a text that contains most words of a query."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.search.search_results import Passage, Span

WIDTH = 120
"""Maximum number of characters of a snippet, without the ellipses at its ends."""

_LEAD = 20  # characters before the first of the words
_DOTS = "…"


def snippet(text: str, spans: Sequence[Span], folded: str) -> Passage:
    """Return the part of ``text`` with the most distinct words, or its beginning without ``spans``.

    ``folded`` is the text in which the words were searched, of the same length. The part is on one
    line: line breaks and other unprintable characters are replaced by spaces.
    """
    start = max(0, _best_start(spans, folded) - _LEAD)
    end = min(len(text), start + WIDTH)
    start = max(0, end - WIDTH)
    before = _DOTS if start else ""
    shift = len(before) - start
    inside = tuple((a + shift, b + shift) for a, b in spans if start <= a and b <= end)
    after = _DOTS if end < len(text) else ""
    return Passage(f"{before}{on_one_line(text[start:end])}{after}", inside)


def on_one_line(text: str) -> str:
    """Return a text of the same length with spaces in place of unprintable characters."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


def _best_start(spans: Sequence[Span], folded: str) -> int:
    """Return the start of the first word of the window with the most distinct words."""
    best, most = 0, 0
    for first, (start, _) in enumerate(spans):
        reach = start + WIDTH - _LEAD
        inside = {folded[a:b] for a, b in spans[first : first + WIDTH] if b <= reach}
        if len(inside) > most:
            best, most = start, len(inside)
    return best
