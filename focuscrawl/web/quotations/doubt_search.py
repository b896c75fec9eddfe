"""Search for the quotes of a store that an editor should look at."""

from __future__ import annotations

from array import array
from datetime import date, datetime
from heapq import nsmallest

import numpy as np
import pandas as pd

from focuscrawl.items import check_code
from focuscrawl.price_statistics.mean_prices import LEFT_OUT
from focuscrawl.price_statistics.price_jumps import are_far, doubtful_prices
from focuscrawl.price_statistics.price_moves import KEYS
from focuscrawl.price_statistics.price_trends import daily_means
from focuscrawl.reports.entity_series import by_series
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.sheets.worksheets import BEIJING
from focuscrawl.stored_records import StoredQuote
from focuscrawl.stores.records.price_verdicts import REFUSED
from focuscrawl.web.quotations.doubtful_quotes import Doubt
from focuscrawl.web.quotations.quote_facts import decision_key

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
            Doubt(day.date(), self._md5(row), self._seqs[row], "jump", usual=float(usual))
            for row, day, usual in rows
            if row not in self._settled
        ]

    def _md5(self, row: int) -> str:
        return self._articles[row * _MD5_BYTES : (row + 1) * _MD5_BYTES].hex()


def _far_ones(quotes: pd.DataFrame) -> pd.DataFrame:
    """Return the quotes to which the doubt about a day is due: those that are far themselves, else all."""
    is_far: pd.Series[bool] = are_far(quotes["price"], quotes["usual"])
    has_far = is_far.groupby([quotes[name] for name in (*KEYS, "date")], observed=True)
    return quotes[is_far | ~has_far.transform("any")]
