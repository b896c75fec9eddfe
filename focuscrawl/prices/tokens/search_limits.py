"""Limits of the search for a price in a line, which keep the time linear in its length.

Each limit is at least twice the maximum in recorded bulletins; a longer clause is split as if by a
comma.
"""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.tokens.line_tokens import Token

MOST_TOKENS = 120
"""Maximum per clause."""
MOST_FIGURES = 24
"""Maximum per clause, because each figure is classified by all tokens before it in its clause."""
MOST_CLAUSES, MOST_TOKENS_BEFORE = 12, 240
"""Maximum numbers of clauses before a price, and of their tokens, searched for its subject."""
MOST_SUBJECTS = 20
"""Maximum number of subjects that share one price."""
MOST_PLACES = 8
"""Maximum per region."""
MOST_DRAFTS = 100
"""Maximum number of preceding prices to which a change, a moisture or a note can apply."""
MOST_CONDITIONS = 20
"""Maximum per price."""
LONGEST_SPAN, LONGEST_ROW = 80, 500
"""Maximum characters of the span of a price in running text, and in a table row."""


def nearest(clauses: Sequence[list[Token]], last: list[Token]) -> list[list[Token]]:
    """Return the last of ``clauses`` followed by ``last``, in order, within the limits."""
    found, left = [last], MOST_TOKENS_BEFORE
    for clause in reversed(clauses[-MOST_CLAUSES:]):
        left -= len(clause)
        if left < 0:
            break
        found.append(clause)
    return found[::-1]


def is_too_long(clause: Sequence[Token]) -> bool:
    """Return whether a clause exceeds a limit."""
    if len(clause) <= MOST_FIGURES:
        return False
    return len(clause) > MOST_TOKENS or sum(t.figure is not None for t in clause) > MOST_FIGURES
