"""Compact columns of the quotes of a workbook, about 17 bytes per quote."""

from __future__ import annotations

from array import array
from collections import Counter
from datetime import date
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from focuscrawl.items import Quote
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES, middle
from focuscrawl.price_statistics.price_moves import UNIX_EPOCH
from focuscrawl.reports.entity_series import location_of
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.stored_records import StoredQuote
from focuscrawl.text.places.gazetteer import Location
from focuscrawl.text.places.locations import located, prefecture_of

_kind_of = attrgetter(
    *("commodity", "entity", "entity_type", "province", "city", "county", "region")
)


class QuoteFacts:
    """Collects quotes one by one.

    ``quotes``, ``undated``, ``flagged`` and ``secondary`` count them; ``unknown`` counts the
    quotes of each entity missing in the alias table, and ``unknown_seen`` has the last quote of
    each. ``places`` has province and city of each region, ``locations`` the location of each place.
    """

    def __init__(self) -> None:
        self.quotes = self.undated = self.flagged = self.secondary = 0
        self.unknown: Counter[str] = Counter()
        self.unknown_seen: dict[str, StoredQuote] = {}
        self.places: dict[str, tuple[str, str]] = {}
        self.locations: dict[str, Location] = {}
        columns = ("commodity", "entity", "place", "region")
        self._names: dict[str, dict[str, int]] = {name: {} for name in columns}
        # Of each kind of quote, those with the same names, place and type, which are few.
        self._known: dict[tuple[str, ...], int] = {}
        self._codes = {name: array("i") for name in self._names}
        self._types = array("b")
        self._kinds = array("i")
        self._days = array("i")
        self._prices = array("d")
        self._confirmed = array("b")

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
        price = middle_price(quote)
        if quote.date is None or not is_counted(quote) or price is None:
            return
        self._keep(quote, quote.date, price)
        self._confirmed.append(stored.is_confirmed)

    def _keep(self, quote: Quote, day: date, price: float) -> None:
        key = _kind_of(quote)
        kind = self._known.get(key)
        if kind is None:
            self._add_kind(quote)
            kind = self._known[key] = len(self._known)
        self._kinds.append(kind)
        self._days.append(day.toordinal() - UNIX_EPOCH)
        self._prices.append(price)

    def _add_kind(self, quote: Quote) -> None:
        self._types.append(ENTITY_TYPES.index(quote.entity_type))
        region, place = region_of(quote.province, quote.city, quote.region)
        location = location_of(quote)
        label = clean_text("\n".join(location))
        self.locations[label] = location
        values = {
            "commodity": quote.commodity,
            "entity": quote.entity,
            "place": label,
            "region": region,
        }
        province, city = map(clean_text, place)
        self.places.setdefault(clean_text(region), (province, city))
        for name, known in self._names.items():
            self._codes[name].append(known.setdefault(clean_text(values[name]), len(known)))

    @property
    def kept(self) -> int:
        """Number of quotes in the frame."""
        return len(self._prices)

    def frame(self) -> pd.DataFrame:
        """Return the quotes that :func:`is_counted`, in the order added.

        Columns: commodity, entity, place, region, entity_type (all categorical), date (datetime64), price
        (the middle of the range, yuan per ton), is_confirmed (by an editor).
        """
        days = np.asarray(self._days, dtype="int64").astype("datetime64[D]")
        columns = {name: self._categories(name) for name in self._names}
        types = pd.Categorical.from_codes(
            self._of_quotes(self._types), categories=pd.Index(ENTITY_TYPES, dtype=object)
        )
        return pd.DataFrame(
            {
                **columns,
                "entity_type": types,
                "date": days.astype("datetime64[s]"),
                "price": np.asarray(self._prices),
                "is_confirmed": np.asarray(self._confirmed, dtype=bool),
            }
        )

    def _categories(self, name: str) -> pd.Categorical:
        categories = pd.Index(list(self._names[name]), dtype=object)
        return pd.Categorical.from_codes(self._of_quotes(self._codes[name]), categories=categories)

    def _of_quotes(self, codes: array[int]) -> Any:
        return np.asarray(codes)[np.asarray(self._kinds)]


def is_counted(quote: Quote) -> bool:
    """Return whether a quote is a dated, primary, unflagged one of a named entity."""
    return bool(quote.date and quote.entity and quote.is_primary and not quote.flag)


def middle_price(quote: Quote) -> float | None:
    """Return the middle of the range in yuan per ton, None if it is no number."""
    return _middle(quote.price_yuan_per_ton_low, quote.price_yuan_per_ton_high)


# Prices repeat, and floats of decimals take long.
@lru_cache(maxsize=4096)
def _middle(low: Decimal, high: Decimal) -> float | None:
    is_finite = low.is_finite() and high.is_finite()
    return float(middle(float(low), float(high))) if is_finite else None


@lru_cache(maxsize=4096)
def region_of(province: str, city: str, printed: str) -> tuple[str, tuple[str, str]]:
    """Return the region to which a quote counts, and its province and city.

    Quotes of older versions have no province: their region as printed decides.

    >>> region_of("山东", "潍坊", ""), region_of("", "", "山东省寿光市"), region_of("", "", "东北")
    (('山东潍坊', ('山东', '潍坊')), ('山东潍坊', ('山东', '潍坊')), ('东北', ('东北', '')))
    """
    if province:
        return Location(province, city).prefecture, (province, city)
    region, place = prefecture_of(printed), located(printed)
    if place.province and region in (place.province, place.province + place.city):
        return region, (place.province, place.city)
    return region, (region, "")
