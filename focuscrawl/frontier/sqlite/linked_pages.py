"""Unfinished pages whose links are in the frontier already, so that no link counts twice."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.frontier.sqlite.frontier_rows import Rows
from focuscrawl.frontier.update_score import UpdateRule


class LinkedPages:
    """Arrival numbers of the pages whose links were found under an earlier lease.

    A run that dies leaves such pages behind: they are fetched again, and their links are found again.
    Under ``max`` that changes nothing, so no page is stored. Call methods that write in a transaction.
    """

    def __init__(self, rows: Rows, rule: UpdateRule) -> None:
        self._rows = rows
        self._is_needed = rule is not UpdateRule.MAX
        self._earlier: set[int] = set()
        self._current: set[int] = set()

    def __contains__(self, page: object) -> bool:
        return page in self._earlier

    def load(self) -> None:
        """Read the pages of earlier runs."""
        self._earlier = self._rows.linked()

    def must_add(self, page: int) -> bool:
        """Return whether a leased page has to be added when its links are pushed; page 0 has none."""
        return self._is_needed and page > 0 and page not in self._current

    def add(self, page: int) -> None:
        """Record that links of a leased page are in the frontier."""
        if self.must_add(page):
            self._rows.add_linked(page)
            self._current.add(page)

    def lease(self, pages: Iterable[int]) -> None:
        """Count the links found so far as those of an earlier lease."""
        again = self._current.intersection(pages)
        self._earlier |= again
        self._current -= again

    def end(self, pages: Iterable[int]) -> None:
        """Remove pages that have ended."""
        if ended := (self._earlier | self._current).intersection(pages):
            self._rows.end_linked(ended)
            self._earlier -= ended
            self._current -= ended
