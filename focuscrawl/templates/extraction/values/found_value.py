"""Value found in a text, with its offsets and confidence."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """A value at ``text[start:end]``; ``value`` is its normal form, ``sure`` is from 0 to 1.

    ``key`` is equal for two forms of one value.
    """

    start: int
    end: int
    value: str
    sure: float
    key: str
