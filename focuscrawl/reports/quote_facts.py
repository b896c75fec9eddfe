"""Compact columns of the quotes of a workbook, about 20 bytes per quote."""

from __future__ import annotations

from array import array
from collections import Counter
from datetime import date

import numpy as np
import pandas as pd

from focuscrawl.items import Quote, StoredQuote
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.text.places.prefectures import prefecture_of

UNIX_EPOCH = date(1970, 1, 1).toordinal()


class QuoteFacts:
    """Collects quotes one by one.

    ``quotes``, ``undated``, ``flagged`` and ``secondary`` count them; ``unknown`` counts the
    quotes of each entity missing in the alias table, and ``unknown_seen`` has the last quote of
    each.
    """

    def __init__(self) -> None:
        self.quotes = self.undated = self.flagged = self.secondary = 0
        self.unknown: Counter[str] = Counter()
        self.unknown_seen: dict[str, StoredQuote] = {}
        self._names: dict[str, dict[str, int]] = {"commodity": {}, "entity": {}, "region": {}}
        self._codes = {name: array("i") for name in self._names}
        self._days = array("i")
        self._prices = array("d")

    def add(self, stored: StoredQuote) -> None:
        """Add one quote."""
        quote = stored.quote
        self.quotes += 1
        self.undated += quote.date is None
        self.flagged += bool(quote.flag)
        self.secondary += not quote.is_primary
        if not quote.entity_is_known:
            self.unknown[quote.entity] += 1
            self.unknown_seen[quote.entity] = stored
        if quote.date is None or not quote.entity or not quote.is_primary or quote.flag:
            return
        low, high = quote.price_yuan_per_ton_low, quote.price_yuan_per_ton_high
        if low.is_finite() and high.is_finite():
            self._keep(quote, quote.date, (float(low) + float(high)) / 2)

    def _keep(self, quote: Quote, day: date, price: float) -> None:
        values = {
            "commodity": quote.commodity,
            "entity": quote.entity,
            "region": prefecture_of(quote.region),
        }
        for name, codes in self._codes.items():
            known = self._names[name]
            codes.append(known.setdefault(clean_text(values[name]), len(known)))
        self._days.append(day.toordinal() - UNIX_EPOCH)
        self._prices.append(price)

    @property
    def kept(self) -> int:
        """Number of quotes in the frame."""
        return len(self._prices)

    def frame(self) -> pd.DataFrame:
        """Return the dated, primary, unflagged quotes of named entities, in the order added.

        Columns: commodity, entity, region (the prefecture; all three categorical), date
        (datetime64), price (the middle of the range, yuan per ton).
        """
        days = np.asarray(self._days, dtype="int64").astype("datetime64[D]")
        columns = {name: self._categories(name) for name in self._names}
        return pd.DataFrame(
            {**columns, "date": days.astype("datetime64[s]"), "price": np.asarray(self._prices)}
        )

    def _categories(self, name: str) -> pd.Categorical:
        categories = pd.Index(list(self._names[name]), dtype=object)
        return pd.Categorical.from_codes(np.asarray(self._codes[name]), categories=categories)
