"""Quotes that an editor should look at: those with a flag, and those far from their series."""

from __future__ import annotations

import asyncio
import logging
import time
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date, datetime
from heapq import nsmallest
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from focuscrawl.items import check_code
from focuscrawl.reports.entity_series import by_series
from focuscrawl.reports.price_index import LEFT_OUT
from focuscrawl.reports.price_jumps import MAX_FACTOR, doubtful_prices
from focuscrawl.reports.price_trends import KEYS, daily_means
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.sheets.topical_pages_sheet import BEIJING
from focuscrawl.stored_records import StoredQuote
from focuscrawl.stores.database_urls import database_at, located
from focuscrawl.stores.records.price_verdicts import REFUSED
from focuscrawl.system.worker_pool import in_worker
from focuscrawl.web.quotations.quote_decisions import decision_key

# A doubt about a quote.


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


# Search for the quotes of a store that an editor should look at.

_MD5_BYTES = 16


class DoubtSearch:
    """Collects quotes, about 50 bytes each, and finds the doubtful ones among them.

    ``decided`` has the keys of the decisions by which quotes are left out.
    """

    def __init__(self, decided: set[str]) -> None:
        self._decided = decided
        self._flagged: list[Doubt] = []
        self._facts = QuoteFacts()
        self._articles = bytearray()
        self._seqs = array("q")
        self._settled: set[int] = set()

    def add(self, stored: StoredQuote) -> None:
        """Add one quote."""
        quote, kept = stored.quote, self._facts.kept
        is_decided = bool(self._decided) and (
            decision_key(stored.article_url, quote) in self._decided
        )
        if quote.flag and quote.flag != REFUSED and not is_decided:
            day = quote.date or date.min
            md5 = check_code(stored.article_url)
            self._flagged.append(Doubt(day, md5, stored.seq, "flag", flag=quote.flag))
        self._facts.add(stored)
        if self._facts.kept > kept:
            self._articles += bytes.fromhex(check_code(stored.article_url))
            self._seqs.append(stored.seq)
            if is_decided:
                self._settled.add(kept)

    def found(self, most: int) -> list[Doubt]:
        """Return the newest doubts."""
        return nsmallest(most, [*self._flagged, *self._jumps()], key=lambda doubt: doubt.key)

    def _jumps(self) -> list[Doubt]:
        frame = self._facts.frame().assign(row=np.arange(self._facts.kept))
        today = np.datetime64(datetime.now(BEIJING).date())
        frame = frame[(frame["date"] <= today) & ~frame["entity_type"].isin(LEFT_OUT)]
        if frame.empty:
            return []
        frame, _ = by_series(frame, self._facts.locations)
        days = doubtful_prices(daily_means(frame)).rename(columns={"price": "mean"})
        far = _far_ones(frame.merge(days, on=[*KEYS, "date"]))
        rows = zip(far["row"], far["date"], far["usual"], strict=True)
        return [
            self._jump(row, day.date(), usual)
            for row, day, usual in rows
            if row not in self._settled
        ]

    def _jump(self, row: int, day: date, usual: float) -> Doubt:
        md5 = self._articles[row * _MD5_BYTES : (row + 1) * _MD5_BYTES].hex()
        return Doubt(day, md5, self._seqs[row], "jump", usual=float(usual))


def _far_ones(quotes: pd.DataFrame) -> pd.DataFrame:
    """Return the quotes to which the doubt about a day is due: those that are far themselves, else all."""
    price, usual = quotes["price"], quotes["usual"]
    is_far = (price > usual * MAX_FACTOR) | (price * MAX_FACTOR < usual)
    has_far = is_far.groupby([quotes[name] for name in (*KEYS, "date")], observed=True)
    return quotes[is_far | ~has_far.transform("any")]


_log = logging.getLogger(__name__)
MOST = 5000
"""Newest doubts that are listed."""
FRESH_SECONDS, PATIENCE_SECONDS = 300.0, 5.0


@dataclass(slots=True)
class DoubtList:
    """The doubts of a store, found in a process of its own, at most ``FRESH_SECONDS`` ago.

    An older list is still shown while a new one is made.
    """

    found_at: float = 0.0
    _doubts: list[Doubt] = field(default_factory=list)
    _keys: list[str] = field(default_factory=list)
    _places: dict[tuple[str, int], int] = field(default_factory=dict)
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
        before = self._doubts[place - 1] if place else None
        return before, self._doubts[place + 1] if place + 1 < len(self._doubts) else None

    def remove(self, article_md5: str, seq: int) -> None:
        """Leave out a quote that has been decided on."""
        self._set([one for one in self._doubts if (one.article_md5, one.seq) != (article_md5, seq)])


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        _log.warning("the doubtful prices could not be found: %s", error)


def find_doubts(url: str) -> list[Doubt]:
    """Return the newest doubts of the store at ``url``; for a process of its own."""
    return asyncio.run(_find_in(url))


async def _find_in(url: str) -> list[Doubt]:
    # Only the process that searches needs them.
    from focuscrawl.web.quotations.doubtful_quotes import DoubtSearch

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
