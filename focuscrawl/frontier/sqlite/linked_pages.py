"""Pages whose links are in the frontier before they are over, so that no link counts twice."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.frontier.sqlite.frontier_rows import Rows
from focuscrawl.frontier.update_score import UpdateRule


class LinkedPages:
    """The pages whose links were found under an earlier lease, by arrival number.

    A run that dies leaves such pages behind: they are fetched again, and their links are found again.
    Under ``max`` that changes nothing, so none is kept then. What writes is called in a transaction.
    """

    def __init__(self, rows: Rows, rule: UpdateRule) -> None:
        self._rows = rows
        self._is_kept = rule is not UpdateRule.MAX
        self._earlier: set[int] = set()
        self._now: set[int] = set()

    def __contains__(self, page: object) -> bool:
        return page in self._earlier

    def load(self) -> None:
        """Read what earlier runs have left."""
        self._earlier = self._rows.linked()

    def is_news(self, page: int) -> bool:
        """Whether it is to be written that links of a leased page are known; 0: no page."""
        return self._is_kept and page > 0 and page not in self._now

    def add(self, page: int) -> None:
        """Write that links of a leased page are known."""
        if self.is_news(page):
            self._rows.add_linked(page)
            self._now.add(page)

    def lease(self, pages: Iterable[int]) -> None:
        """Take what was found before for that of an earlier lease."""
        again = self._now.intersection(pages)
        self._earlier |= again
        self._now -= again

    def end(self, pages: Iterable[int]) -> None:
        """Forget pages that are over."""
        if over := (self._earlier | self._now).intersection(pages):
            self._rows.end_linked(over)
            self._earlier -= over
            self._now -= over
