"""Values that may be those of a field, and what speaks for them."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.templates.extraction.values.found_value import Found


class Candidate(NamedTuple):
    """A value of ``field`` in row ``row`` of a page; ``sure`` (0..1) without regard to the place."""

    field: str
    found: Found
    raw: str
    row: int
    sure: float


SAME_LINE = 1.0
OPEN_LABEL = 0.9
NEXT_CELL = 0.95
NEXT_LINE = 0.9
LINE_BEFORE = 0.8
GOES_ON = 0.8
"""How sure it is that a label belongs to a value, by where the value stands."""
