"""Columns of a table without ruling lines, found by the gaps that its rows share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

# Gaps in units of the size of the text: one that parts columns, and those that may do so beside numbers.
_WIDE, _NARROW, _OF_NUMBERS, _SPACED = 1.2, 0.15, 0.4, 0.8
_LEAST_ROWS, _ROWS_A_TIGHT_CELL, _ROWS_A_LONG_CELL = 3, 6, 12
# Names of columns may be wider than these, and a note below a table may cover them all.
_HEADERS, _NOTES = 3, 2
_NUMBER = re.compile(r"[-+−–±↑↓]?[.\d][\d.,:/%~～—–-]*[↑↓]?|[-–—]+")
_LEADER = re.compile(r"(?:\s?[.…·]){4,}\s*$")
_UNIT = re.compile(r"[(（]?(?:元|吨|公斤|千克|斤|[%％]|月|日|年|时|分|水)")


class Word(NamedTuple):
    """A text without gaps by its place in a line.

    ``is_apart`` says that a gap as wide as a space is before it, ``is_spaced`` that a space is.
    """

    text: str
    x0: float
    x1: float
    is_apart: bool
    is_spaced: bool

    @property
    def shown(self) -> str:
        """The text behind others of its line."""
        return f" {self.text}" if self.is_apart else self.text


def table_cells(rows: Sequence[Sequence[Word]], size: float) -> list[list[str]] | None:
    """Return the cells of rows of words, or None where they share no columns.

    ``size`` is that of the text. Columns are parted where all rows have a gap that is wide, or that
    is narrow and behind a number: spaces, too, stand below each other by chance, and word processors
    leave gaps between Chinese and numbers.
    """
    inner = [
        rows[head : len(rows) - foot]
        for foot in range(_NOTES)
        for head in range(_HEADERS)
        if head + foot == 0 or len(rows) - head - foot >= _LEAST_ROWS
    ]
    cuts = max((_cuts(some, size) for some in inner), key=len)
    grid = [_cells(row, cuts) for row in rows]
    # Numbers that do not reach below the name of their column are no other column.
    cuts = [cut for n, cut in enumerate(cuts) if any(row[n] and row[n + 1] for row in grid)]
    return [_cells(row, cuts) for row in rows] if cuts else None


def _cuts(rows: Sequence[Sequence[Word]], size: float) -> list[float]:
    """Return where columns part, from left to right."""
    most = len(rows) // _ROWS_A_LONG_CELL
    found: list[tuple[float, float, int]] = []
    for left, right, inked in _inked(word for row in rows for word in row):
        if inked > most or right - left <= _NARROW * size:
            continue
        # Beside a gap in all rows, what one cell leaves of it is no gap of its own.
        if found and left - found[-1][1] <= _NARROW * size and found[-1][2] != inked:
            if inked > found[-1][2]:
                continue
            found.pop()
        found.append((left, right, inked))
    middles = ((left + right) / 2 for left, right, _ in found)
    return [middle for middle in middles if _is_cut(middle, rows, size)]


def _inked(words: Iterable[Word]) -> Iterator[tuple[float, float, int]]:
    """Yield the stretches of the lines with the number of words in each."""
    ends = sorted(end for word in words for end in ((word.x0, 1), (word.x1, -1)))
    inked = 0
    for (left, change), (right, _) in pairwise(ends):
        inked += change
        yield left, right, inked


def _is_cut(at: float, rows: Sequence[Sequence[Word]], size: float) -> bool:
    pairs = [(a, b) for row in rows for a, b in pairwise(row) if a.x1 <= at <= b.x0]
    wide = sum(b.x0 - a.x1 > _WIDE * size for a, b in pairs)
    parted = sum(_are_parted(a, b, size) for a, b in pairs)
    if wide < min(2, len(rows)) and parted < _LEAST_ROWS:
        return False
    return (len(pairs) - parted) * _ROWS_A_TIGHT_CELL <= len(pairs)


def _are_parted(left: Word, right: Word, size: float) -> bool:
    """Return whether a gap is wide, or unlike one inside of a text, such as in ``2360 元/吨``."""
    gap = right.x0 - left.x1
    if gap > _WIDE * size:
        return True
    if (right.is_spaced and gap < _SPACED * size) or _UNIT.match(right.text):
        return False
    numbers = [_NUMBER.fullmatch(word.text) is not None for word in (left, right)]
    return any(numbers) and (numbers == [True, False] or gap > _OF_NUMBERS * size)


def _cells(row: Sequence[Word], cuts: Sequence[float]) -> list[str]:
    edges = [float("-inf"), *cuts, float("inf")]
    texts = [""] * (len(cuts) + 1)
    for word in row:
        shares = [min(word.x1, b) - max(word.x0, a) for a, b in pairwise(edges)]
        at = shares.index(max(shares))
        texts[at] += word.shown
    return [_LEADER.sub("", text).strip() for text in texts]
