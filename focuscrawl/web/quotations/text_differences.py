"""Differences of two texts, by line and within changed lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal, NamedTuple

_MOST_COMPARISONS = 4_000_000
"""Product of the lengths of two sequences that are compared element by element."""
_MOST_IN_LINE = 2000 * 2000
_CONTEXT = 1
"""Unchanged lines shown around a change."""

Change = Literal["same", "removed", "added"]


class Run(NamedTuple):
    """A part of a line: unchanged, removed or added."""

    change: Change
    text: str


class Line(NamedTuple):
    """A line of a comparison in its parts; ``skipped`` counts unchanged lines that are not shown."""

    runs: list[Run]
    skipped: int = 0


def differences(before: str, after: str) -> list[Line]:
    """Return the changed lines of two texts with those around them, nothing for equal texts."""
    if before == after:
        return []
    old, new = before.split("\n"), after.split("\n")
    found: list[Line] = []
    codes = list(_codes(old, new, _MOST_COMPARISONS))
    for place, (kind, first, last, start, end) in enumerate(codes):
        if kind == "equal":
            found += _shortened(old[first:last], place > 0, place < len(codes) - 1)
        else:
            found += _changed(old[first:last], new[start:end])
    return found


def _codes(
    old: Sequence[str], new: Sequence[str], most: int
) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield opcodes; what is too long to be compared counts as replaced, but for its ends."""
    begin = _shared(old, new)
    rest = min(len(old), len(new)) - begin
    tail = _shared(old[::-1][:rest], new[::-1][:rest])
    middle = old[begin : len(old) - tail], new[begin : len(new) - tail]
    if begin:
        yield "equal", 0, begin, 0, begin
    if len(middle[0]) * len(middle[1]) <= most:
        for kind, *places in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
            first, last, start, end = (place + begin for place in places)
            yield kind, first, last, start, end
    else:
        yield "replace", begin, len(old) - tail, begin, len(new) - tail
    if tail:
        yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many elements two sequences share at their beginning."""
    for place, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return place
    return min(len(one), len(other))


def _shortened(lines: Sequence[str], has_before: bool, has_after: bool) -> list[Line]:
    head = _CONTEXT if has_before else 0
    tail = _CONTEXT if has_after else 0
    if len(lines) <= head + tail + 1:
        return [_line("same", line) for line in lines]
    ends = [_line("same", line) for line in lines[:head]]
    begins = [_line("same", line) for line in lines[len(lines) - tail :]] if tail else []
    return [*ends, Line([], len(lines) - head - tail), *begins]


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    if len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            yield Line(_within(before, after))
        return
    for before, after in zip_longest(old, new):
        if before is not None:
            yield _line("removed", before)
        if after is not None:
            yield _line("added", after)


def _line(change: Change, text: str) -> Line:
    return Line([Run(change, text)])


def _within(before: str, after: str) -> list[Run]:
    """Return the differences within a line."""
    runs = []
    for kind, first, last, start, end in _codes(before, after, _MOST_IN_LINE):
        if kind == "equal":
            runs.append(Run("same", before[first:last]))
            continue
        if last > first:
            runs.append(Run("removed", before[first:last]))
        if end > start:
            runs.append(Run("added", after[start:end]))
    return runs
