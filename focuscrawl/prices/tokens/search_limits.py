"""Limits of the search for a price in a line, so that reading takes time linear in the line.

Each limit is at least twice what any recorded bulletin needs; what a line repeats beyond it is read
as if a comma stood there.
"""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.tokens.line_tokens import Token

MOST_TOKENS = 120
"""Of a clause."""
MOST_FIGURES = 24
"""Of a clause. Every figure is judged by all that stands before it in its clause."""
MOST_CLAUSES, MOST_TOKENS_BEFORE = 12, 240
"""Clauses before a price, and their tokens, that are looked through for its subject."""
MOST_SUBJECTS = 20
"""That share one price."""
MOST_PLACES = 8
"""Of a region."""
MOST_DRAFTS = 100
"""Prices before a move, a moisture or a note that it can belong to."""
MOST_CONDITIONS = 20
"""Of a price."""
LONGEST_SPAN, LONGEST_ROW = 80, 500
"""Characters of the text, or of the table row, from which a price was read."""


def nearest(clauses: Sequence[list[Token]], last: list[Token]) -> list[list[Token]]:
    """Return the last of ``clauses`` and ``last`` behind them, in their order, within the limits."""
    found, left = [last], MOST_TOKENS_BEFORE
    for clause in reversed(clauses[-MOST_CLAUSES:]):
        left -= len(clause)
        if left < 0:
            break
        found.append(clause)
    return found[::-1]


def is_too_long(clause: Sequence[Token]) -> bool:
    """Return whether a clause is over a limit."""
    if len(clause) <= MOST_FIGURES:
        return False
    return len(clause) > MOST_TOKENS or sum(t.figure is not None for t in clause) > MOST_FIGURES
