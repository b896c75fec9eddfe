"""Comparison of two databases by the MD5 of every row."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from focuscrawl.stores.database_copies import Line

_NAMED = 5


@dataclass(slots=True)
class Difference:
    """Result of a comparison: counts of equal rows, rows only in the target, and wrong rows.

    ``named`` has the keys of the first wrong ones.
    """

    alike: int = 0
    others: int = 0
    wrong: int = 0
    named: list[str] = field(default_factory=list)

    def add_wrong(self, key: str) -> None:
        """Count a row of the source that is missing in the target or differs there."""
        self.wrong += 1
        if len(self.named) < _NAMED:
            self.named.append(key)


async def compare(source: AsyncIterator[Line], target: AsyncIterator[Line]) -> Difference:
    """Compare two streams of key and MD5, both ordered by key."""
    found = Difference()
    theirs = await anext(target, None)
    async for key, digest in source:
        while theirs is not None and theirs[0] < key:
            found.others += 1
            theirs = await anext(target, None)
        if theirs == (key, digest):
            found.alike += 1
        else:
            found.add_wrong(key)
        if theirs is not None and theirs[0] == key:
            theirs = await anext(target, None)
    while theirs is not None:
        found.others += 1
        theirs = await anext(target, None)
    return found
