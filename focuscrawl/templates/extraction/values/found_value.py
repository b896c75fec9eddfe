"""A value found in a text, with its place and type."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """``text[start:end]`` holds a value; ``value`` is its normal form, ``sure`` from 0 to 1.

    ``key`` is the same for two forms of one value.
    """

    start: int
    end: int
    value: str
    sure: float
    key: str
