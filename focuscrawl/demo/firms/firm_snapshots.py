"""Changes of the firms from window to window: new, gone and moved ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from focuscrawl.demo.firms.firm_facts import Kind, kind_of
from focuscrawl.demo.repeatable_chance import draw

SHARE_NEW, SHARE_CHANGED, SHARE_GONE = 0.10, 0.10, 0.05


@dataclass(frozen=True, slots=True)
class FirmSnapshot:
    """The firms of one window: ``versions`` by number, and the changes since the last window.

    In the first window, all firms are new. Only useful firms change; new and gone ones may be useful
    or not.
    """

    versions: dict[int, int]
    new: frozenset[int]
    changed: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()


class FirmSnapshots:
    """All windows of a web that started with ``count`` firms, numbered from 1."""

    def __init__(self, seed: int, count: int) -> None:
        self._seed = seed
        self._known = [FirmSnapshot(dict.fromkeys(range(count), 0), frozenset(range(count)))]
        self._next_number = count

    def __getitem__(self, number: int) -> FirmSnapshot:
        while len(self._known) < number:
            self._known.append(self._after(self._known[-1], len(self._known) + 1))
        return self._known[number - 1]

    def _after(self, last: FirmSnapshot, window: int) -> FirmSnapshot:
        useful = {n for n in last.versions if kind_of(self._seed, n) is Kind.USEFUL}
        gone = self._some(useful, SHARE_GONE, "gone", window)
        gone |= self._some(last.versions.keys() - useful, SHARE_GONE, "gone", window)
        changed = self._some(useful - gone, SHARE_CHANGED, "changed", window, of=len(useful))
        start = self._next_number
        self._next_number += round(SHARE_NEW * len(last.versions))
        new = range(start, self._next_number)
        versions = {n: v + (n in changed) for n, v in last.versions.items() if n not in gone}
        versions.update(dict.fromkeys(new, 0))
        return FirmSnapshot(versions, frozenset(new), changed, gone)

    def _some(
        self, numbers: Iterable[int], share: float, what: str, window: int, of: int = 0
    ) -> frozenset[int]:
        drawn = sorted(numbers, key=lambda number: draw(self._seed, what, window, number))
        return frozenset(drawn[: round(share * (of or len(drawn)))])
