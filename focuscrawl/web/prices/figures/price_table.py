"""All quotes of a store in columns, about 40 bytes each."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from focuscrawl.items import CrawlRun
from focuscrawl.price_statistics.price_moves import UNIX_EPOCH
from focuscrawl.text.places.gazetteer import Location

Ints = NDArray[np.int32]
Numbers = NDArray[np.unsignedinteger[Any]]
Rows = NDArray[np.integer[Any]]
"""Positions of quotes in the table."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
UNDATED = int(np.iinfo(np.int32).min)
"""The day of a quote without a date."""
_MOST_SUMS = 128
_T = TypeVar("_T")
NEVER = 0
"""The time of what has not happened."""


def run_of(values: NDArray[Any], value: int) -> slice:
    """Return where a value is in a sorted column."""
    # Of the type of the column: NumPy would convert the whole column to another one.
    wanted = values.dtype.type(value)
    return slice(
        int(values.searchsorted(wanted, "left")), int(values.searchsorted(wanted, "right"))
    )


class Series(NamedTuple):
    """An entity in a place; its name tells it apart from entities of the same name elsewhere.

    ``regions`` are those that its quotes name, as printed.
    """

    name: str
    place: Location
    regions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts one after the other as UTF-8, and where each ends."""

    packed: bytes
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, position: int) -> str:
        start = int(self.ends[position - 1]) if position else 0
        return self.packed[start : int(self.ends[position])].decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class ArticleColumns:
    """Articles by position: MD5s as bytes, times in milliseconds since 1970, days since 1970."""

    md5s: bytes
    urls: Texts
    sites: list[str]
    site: NDArray[np.int16]
    published: Ints
    is_complete: Flags
    gone_at: NDArray[np.int64]
    first_seen: NDArray[np.int64]
    fetched_at: NDArray[np.int64]

    def md5(self, position: int) -> str:
        """Return the MD5 of an article as 32 hex digits."""
        return self.md5s[position * 16 : position * 16 + 16].hex()

    def site_name(self, position: int) -> str:
        """Return the name of an article's site."""
        return self.sites[int(self.site[position])]


@dataclass(frozen=True)
class PriceTable:
    """All quotes, by commodity, series, day, article and position in it; never changed.

    ``commodities``, ``series`` and ``flags`` have the names that ``commodity``, ``owner`` and ``flag``
    number; commodities are in the order of their counted quotes, most first. ``low`` and ``high`` are
    yuan per ton, ``kind`` is a position in ``ENTITY_TYPES``. A quote ``is_counted`` if it is a
    dated, primary, unflagged one of a named entity and not of the future (``is_right``), and its
    article is not gone.
    ``newest_first`` has the positions of the quotes by day, newest first. ``runs`` are those of
    crawls, newest first. ``version`` is another one for each table; ``read_at`` is when it was read. A table of what was
    known at the end of a day has it as ``known_on``. ``sums`` keeps what was summed up from it.
    """

    commodities: list[str]
    series: list[Series]
    flags: list[str]
    commodity: Numbers
    owner: Numbers
    day: Ints
    low: Floats
    high: Floats
    article: Ints
    seq: Numbers
    flag: Numbers
    kind: NDArray[np.int8]
    is_primary: Flags
    is_known: Flags
    is_right: Flags
    is_counted: Flags
    newest_first: Ints
    articles: ArticleColumns
    runs: list[CrawlRun]
    version: str
    read_at: datetime
    known_on: date | None = None
    sums: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.day)

    @cached_property
    def _bounds(self) -> NDArray[np.intp]:
        return np.searchsorted(self.commodity, np.arange(len(self.commodities) + 1))

    def slice_of(self, commodity: int) -> slice:
        """Return where the quotes of a commodity are."""
        return slice(int(self._bounds[commodity]), int(self._bounds[commodity + 1]))

    def key(self, row: int) -> tuple[str, int]:
        """Return the MD5 of the article of a quote, and the quote's position in it."""
        return self.articles.md5(int(self.article[row])), int(self.seq[row])

    def summed(self, key: Hashable, sum_up: Callable[[], _T]) -> _T:
        """Return what was summed up under a key, or is now; only so many are kept."""
        # Threads may do it twice, with one result.
        found: _T | None = self.sums.get(key)
        if found is None:
            found = sum_up()
            while len(self.sums) >= _MOST_SUMS:
                self.sums.pop(next(iter(self.sums), None), None)
            self.sums[key] = found
        return found

    def articles_of(self, rows: Rows) -> Rows:
        """Return the positions of the articles of quotes, each once."""
        is_there = np.zeros(len(self.articles.urls), dtype=bool)
        is_there[self.article[rows]] = True
        return np.flatnonzero(is_there)

    def marked(self, rows: Rows) -> Flags:
        """Return for each quote whether it is one of the rows."""
        found = np.zeros(len(self), dtype=bool)
        found[rows] = True
        return found

    @cached_property
    def series_by_name(self) -> dict[str, int]:
        """The numbers of the series by their names."""
        return {one.name: number for number, one in enumerate(self.series)}

    @cached_property
    def provinces(self) -> NDArray[np.object_]:
        """The province of each series."""
        return np.array([one.place.province for one in self.series], dtype=object)

    @cached_property
    def cities(self) -> NDArray[np.object_]:
        """The city of each series."""
        return np.array([one.place.city for one in self.series], dtype=object)

    @cached_property
    def is_standing(self) -> Flags:
        """Whether each article is still there."""
        standing: Flags = self.articles.gone_at == NEVER
        return standing

    @property
    def size(self) -> int:
        """Bytes of the columns."""
        columns = (value for value in vars(self).values() if isinstance(value, np.ndarray))
        return sum(column.nbytes for column in columns)


def day_number(day: date | None) -> int:
    """Return a day as a number of days since 1970."""
    return UNDATED if day is None else day.toordinal() - UNIX_EPOCH


def day_of(number: int) -> date | None:
    """Return the day of a number, None for ``UNDATED``."""
    return None if number == UNDATED else date.fromordinal(int(number) + UNIX_EPOCH)
