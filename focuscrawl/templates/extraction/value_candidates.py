"""Candidate values of a field, with their confidence."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.templates.extraction.values.found_value import Found


class Candidate(NamedTuple):
    """A value of ``field`` in row ``row`` of a page; ``sure`` (0 to 1) before weighting by the row."""

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
"""Confidence that a value belongs to a label, by its position relative to the label."""
