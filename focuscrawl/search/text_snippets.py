"""The passage of a text that shows most of what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.search.search_results import Passage, Span

WIDTH = 120
"""How many characters a snippet has at most, but for the dots at its ends."""

_LEAD = 20  # what is shown before the first of the words
_DOTS = "…"


def snippet(text: str, spans: Sequence[Span], folded: str) -> Passage:
    """Return the part of ``text`` with the most different words, or its beginning without ``spans``.

    ``folded`` is the text as the words were looked for in it, and as long. The part is on one line:
    line breaks and what else no terminal shows are blanks.
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
    """Return a text of the same length with a blank for whatever moves a cursor."""
    return "".join(character if character.isprintable() else " " for character in text)


def _best_start(spans: Sequence[Span], folded: str) -> int:
    """Return where the first of the words stands that share a window with the most others."""
    best, most = 0, 0
    for first, (start, _) in enumerate(spans):
        reach = start + WIDTH - _LEAD
        inside = {folded[a:b] for a, b in spans[first : first + WIDTH] if b <= reach}
        if len(inside) > most:
            best, most = start, len(inside)
    return best
