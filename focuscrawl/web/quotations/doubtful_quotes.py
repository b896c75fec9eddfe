"""Quotes that an editor should look at: those with a flag, and those far from their series."""

from __future__ import annotations

import asyncio
import logging
import time
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

from focuscrawl.stores.database_urls import database_at, located
from focuscrawl.system.worker_pool import in_worker


class Doubt(NamedTuple):
    """A quote to look at: its flag, or the usual price in yuan per ton that it is far from."""

    day: date
    article_md5: str
    seq: int
    kind: Literal["flag", "jump"]
    flag: str = ""
    usual: float = 0.0

    @property
    def key(self) -> str:
        """Its place in the list, newest day first."""
        return f"{date.max.toordinal() - self.day.toordinal():07}-{self.article_md5}-{self.seq:09}"


_log = logging.getLogger(__name__)
MOST = 5000
"""Newest doubts that are listed."""
FRESH_SECONDS, PATIENCE_SECONDS = 300.0, 5.0


@dataclass(slots=True)
class DoubtList:
    """The doubts of a store, found in a process of its own, at most ``FRESH_SECONDS`` ago.

    ``decisions`` counts those that editors have made here since the start.

    An older list is still shown while a new one is made.
    """

    found_at: float = 0.0
    decisions: int = 0
    _doubts: list[Doubt] = field(default_factory=list)
    _keys: list[str] = field(default_factory=list)
    _places: dict[tuple[str, int], int] = field(default_factory=dict)
    _removed: dict[tuple[str, int], Doubt] = field(default_factory=dict)
    _task: asyncio.Task[None] | None = None

    async def refresh(self, url: str) -> None:
        """Find the doubts, unless there is a list; if it is old, begin to make another.

        For the first list, wait ``PATIENCE_SECONDS``: of a million quotes it takes a minute.
        """
        if self._task is None or self._task.done():
            # The clock may have been set back meanwhile.
            age = abs(time.time() - self.found_at)
            if age < FRESH_SECONDS:
                return
            self._task = asyncio.create_task(self._find(url))
            self._task.add_done_callback(_log_failure)
        if not self.found_at:
            await asyncio.wait([self._task], timeout=PATIENCE_SECONDS)
            if self._task.done():
                self._task.result()

    async def _find(self, url: str) -> None:
        self._set(await in_worker(find_doubts, located(url)))
        self.found_at = time.time()

    def _set(self, doubts: list[Doubt]) -> None:
        self._doubts = sorted(doubts, key=lambda doubt: doubt.key)
        self._keys = [doubt.key for doubt in self._doubts]
        self._places = {
            (doubt.article_md5, doubt.seq): place for place, doubt in enumerate(self._doubts)
        }

    def __len__(self) -> int:
        return len(self._doubts)

    def after(self, key: str) -> list[Doubt]:
        """Return the doubts behind a place of the list, all for ``""``."""
        begin = bisect_left(self._keys, key)
        begin += begin < len(self._keys) and self._keys[begin] == key
        return self._doubts[begin:]

    def at(self, article_md5: str, seq: int) -> Doubt | None:
        """Return the doubt about a quote, None if there is none."""
        place = self._places.get((article_md5, seq))
        return None if place is None else self._doubts[place]

    def around(self, article_md5: str, seq: int) -> tuple[Doubt | None, Doubt | None]:
        """Return the doubts before and after the one about a quote."""
        place = self._places.get((article_md5, seq))
        if place is None:
            return None, None
        near = [None, *self._doubts, None]
        return near[place], near[place + 2]

    def remove(self, article_md5: str, seq: int) -> None:
        """Leave out a quote that has been decided on."""
        if doubt := self.at(article_md5, seq):
            self._removed[article_md5, seq] = doubt
        self._set([one for one in self._doubts if (one.article_md5, one.seq) != (article_md5, seq)])

    def restore(self, article_md5: str, seq: int) -> None:
        """Put a quote back whose decision has been withdrawn."""
        if doubt := self._removed.pop((article_md5, seq), None):
            self._set(list({*self._doubts, doubt}))


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        _log.warning("the doubtful prices could not be found: %s", error)


def find_doubts(url: str) -> list[Doubt]:
    """Return the newest doubts of the store at ``url``; for a process of its own."""
    return asyncio.run(_find_in(url))


async def _find_in(url: str) -> list[Doubt]:
    # Only the process that searches needs them.
    from focuscrawl.web.quotations.doubt_search import DoubtSearch

    store = database_at(url)
    await store.open()
    try:
        decided = {one.key async for one in store.decisions() if one.verdict != "open"}
        search = DoubtSearch(decided)
        async for stored in store.quotes():
            search.add(stored)
    finally:
        await store.close()
    return search.found(MOST)
