"""All quotes of a store in columns, about 40 bytes each, and their building from rows of the store."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from focuscrawl.items import CrawlRun
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.price_statistics.moisture_classes import MOISTURES, moisture_class
from focuscrawl.price_statistics.price_moves import UNIX_EPOCH
from focuscrawl.reports.entity_series import (
    location_among,
    series_names,
    settled_places,
)
from focuscrawl.stores.sql.price_columns import (
    IS_KNOWN,
    IS_PRIMARY,
    NEVER,
    UNDATED,
    Numbers,
    PriceColumns,
)
from focuscrawl.stores.sql.sql_prices import QUOTE_TEXTS, SEPARATOR
from focuscrawl.text.name_search import NameSearch, folded_name
from focuscrawl.text.places.gazetteer import Location

Ints = NDArray[np.int32]
Codes = NDArray[np.unsignedinteger[Any]]
Rows = NDArray[np.integer[Any]]
"""Positions of quotes in the table."""
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
_MOST_SUMS = 128
_T = TypeVar("_T")


def run_of(values: NDArray[Any], value: int) -> slice:
    """Return where a value is in a sorted column."""
    # Of the type of the column: NumPy would convert the whole column to another one.
    wanted = values.dtype.type(value)
    return slice(
        int(values.searchsorted(wanted, "left")), int(values.searchsorted(wanted, "right"))
    )


class Series(NamedTuple):
    """An entity in a place; its name distinguishes it from entities of the same name elsewhere.

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
    yuan per ton, ``kind`` is a position in ``ENTITY_TYPES``, ``moisture`` one in ``MOISTURES``. A quote ``is_counted`` if it is a
    dated, primary, unflagged one of a named entity and not of the future (``is_right``), and its
    article is not gone.
    ``newest_first`` has the positions of the quotes by day, newest first. ``runs`` are those of
    crawls, newest first. ``version`` is another one for each table; ``read_at`` is when it was read. A table of what was
    known at the end of a day has it as ``known_on``. ``sums`` keeps what was summed up from it.
    """

    commodities: list[str]
    series: list[Series]
    flags: list[str]
    commodity: Codes
    owner: Codes
    day: Ints
    low: Floats
    high: Floats
    article: Ints
    seq: Codes
    flag: Codes
    kind: NDArray[np.int8]
    moisture: NDArray[np.int8]
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

    @cached_property
    def _by_md5(self) -> tuple[NDArray[np.uint64], Rows]:
        # The first half of an MD5 tells articles apart well enough.
        halves = np.frombuffer(self.articles.md5s, ">u8")[::2].astype(np.uint64)
        order = np.argsort(halves)
        return halves[order], order

    def places_of(self, md5s: Sequence[str]) -> dict[str, int]:
        """Return the positions of those of the given articles that have quotes, by MD5."""
        halves, order = self._by_md5
        wanted = np.array([int(md5[:16], 16) for md5 in md5s], dtype=np.uint64)
        found = np.searchsorted(halves, wanted)
        return {
            md5: int(order[place])
            for md5, place in zip(md5s, found.tolist(), strict=True)
            if place < len(order) and self.articles.md5(int(order[place])) == md5
        }

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
    def names(self) -> NameSearch:
        """The names of the series, to be searched."""
        return NameSearch([one.name for one in self.series])

    @cached_property
    def _by_folded_name(self) -> dict[str, int]:
        return {folded_name(one.name): n for n, one in reversed(list(enumerate(self.series)))}

    def series_named(self, name: str) -> int | None:
        """Return the series of a name, which may be written in other characters: 青岛港 is 青島港."""
        found = self.series_by_name.get(name)
        return self._by_folded_name.get(folded_name(name)) if found is None else found

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


def day_number(day: date | None) -> int:
    """Return a day as a number of days since 1970."""
    return UNDATED if day is None else day.toordinal() - UNIX_EPOCH


def day_of(number: int) -> date | None:
    """Return the day of a number, None for ``UNDATED``."""
    return None if number == UNDATED else date.fromordinal(int(number) + UNIX_EPOCH)


_KINDS = {name: number for number, name in enumerate(ENTITY_TYPES)}
_MOISTURES = {name: number for number, name in enumerate(MOISTURES)}
_NUMBERS = ("commodity", "owner", "seq", "flag")
_versions = count(1)
_Owner = tuple[str, ...]


def table_of(
    found: PriceColumns, runs: Sequence[CrawlRun], today: date, read_at: datetime
) -> PriceTable:
    """Return the table of what was read of a store, from which it takes the quotes."""
    columns: dict[str, Any] = found.pop_quotes()
    marks = columns.pop("marks")
    columns["is_primary"] = (marks & IS_PRIMARY) != 0
    columns["is_known"] = (marks & IS_KNOWN) != 0
    owners, commodities, flags = _name(columns, list(found.texts))
    is_named = np.array([bool(owner[0]) for owner in owners], dtype=bool)
    articles = _article_columns(found)
    columns["is_right"] = right_quotes(columns, is_named[columns["owner"]], today)
    columns["is_counted"] = columns["is_right"] & _standing(columns, articles)
    counted = np.unique(columns["owner"][columns["is_counted"]])
    series, numbers = _series_of(owners, [owners[number] for number in counted])
    columns["owner"] = numbers[columns["owner"]]
    names = {"commodities": _ranked(columns, commodities), "series": series, "flags": flags}
    return assembled(columns, names, articles, list(runs), read_at)


def _name(
    columns: dict[str, Any], texts: Sequence[str]
) -> tuple[list[_Owner], list[str], list[str]]:
    """Replace the texts of quotes by numbers of what they say; return owners, commodities and flags."""
    used, text = np.unique(columns.pop("text"), return_inverse=True)
    owners, commodities = Numbers[_Owner](), Numbers[str]()
    flags = Numbers[str]({"": 0})
    found = np.zeros((5, len(used)), dtype=np.int32)
    for place, number in enumerate(used):
        parts = texts[number].rsplit(SEPARATOR, len(QUOTE_TEXTS) - 1)
        entity, goods, *places, kind, flag, moisture, condition = parts
        found[:, place] = (
            owners[(entity, *places)],
            commodities[goods],
            flags[flag],
            _KINDS.get(kind, _KINDS[""]),
            _MOISTURES[moisture_class(moisture, condition)],
        )
    for name, numbers in zip(("owner", "commodity", "flag"), found, strict=False):
        columns[name] = numbers[text]
    columns["kind"], columns["moisture"] = found[3:].astype(np.int8)[:, text]
    return list(owners), list(commodities), list(flags)


def _article_columns(found: PriceColumns) -> ArticleColumns:
    return ArticleColumns(
        bytes.fromhex(found["keys"].astype("S32").tobytes().decode("ascii")),
        Texts(bytes(found.urls), np.array(found.ends, dtype=np.int64)),
        list(found.sites),
        *(
            found[name]
            for name in "site published is_complete gone_at first_seen fetched_at".split()
        ),
    )


def assembled(
    columns: dict[str, Any],
    names: dict[str, Any],
    articles: ArticleColumns,
    runs: list[CrawlRun],
    read_at: datetime,
    known_on: date | None = None,
) -> PriceTable:
    """Return a table of columns in any order."""
    keys = [columns[name] for name in ("seq", "article", "day", "owner", "commodity")]
    order = np.lexsort(keys)
    ordered: dict[str, Any] = {
        name: np.ascontiguousarray(column[order]) for name, column in columns.items()
    }
    for name in _NUMBERS:
        # Mostly 8 or 16 bits.
        most = int(ordered[name].max(initial=0))
        ordered[name] = ordered[name].astype(np.min_scalar_type(most))
    # A later day is an error: it would stay on top.
    latest = day_number(known_on or read_at.astimezone().date()) + 1
    shown = np.where(ordered["day"] > latest, UNDATED, ordered["day"])
    newest_first = np.lexsort((ordered["seq"], ordered["article"], -shown.astype(np.int64)))
    return PriceTable(
        **names,
        **ordered,
        newest_first=newest_first.astype(np.int32),
        articles=articles,
        runs=runs,
        version=f"{read_at.timestamp():.0f}-{next(_versions)}",
        read_at=read_at,
        known_on=known_on,
    )


def _standing(columns: dict[str, Any], articles: ArticleColumns) -> NDArray[np.bool_]:
    standing: NDArray[np.bool_] = (articles.gone_at == NEVER)[columns["article"]]
    return standing


def right_quotes(
    columns: dict[str, Any], is_named: NDArray[np.bool_], today: date
) -> NDArray[np.bool_]:
    """Return which quotes are dated, up to today, primary, unflagged and named, and have a price."""
    is_dated = (columns["day"] != UNDATED) & (columns["day"] <= day_number(today))
    is_finite = np.isfinite(columns["low"]) & np.isfinite(columns["high"])
    is_right = columns["is_primary"] & (columns["flag"] == 0) & is_named
    found: NDArray[np.bool_] = is_dated & is_finite & is_right
    return found


def _ranked(columns: dict[str, Any], commodities: list[str]) -> list[str]:
    """Number the commodities by their counted quotes, most first, and return their names."""
    counts = np.bincount(columns["commodity"][columns["is_counted"]], minlength=len(commodities))
    order = sorted(range(len(commodities)), key=lambda one: (-counts[one], commodities[one]))
    numbers = np.empty(len(order), dtype=np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    columns["commodity"] = numbers[columns["commodity"]] if len(order) else columns["commodity"]
    return [commodities[one] for one in order]


def _series_of(owners: Sequence[_Owner], counted: Sequence[_Owner]) -> tuple[list[Series], Rows]:
    """Return the series, and the number of each owner's series.

    Those of counted quotes are told apart as in the workbook, which has no others.
    """
    pairs = [*map(_pair, owners)]
    own = settled_places(dict.fromkeys(map(_pair, counted)))
    names = series_names(own)
    shown = {(pair[0], place): names[pair] for pair, place in own.items()}
    own = settled_places(dict.fromkeys(pairs)) | own
    alike = {pair: (pair[0], place) for pair, place in own.items()}
    names |= {pair: shown[one] for pair, one in alike.items() if one in shown}
    names |= series_names({pair: own[pair] for pair in pairs if pair not in names}, shown)
    places = {names[pair]: own[pair] for pair in pairs}
    regions: dict[str, set[str]] = {}
    for pair, owner in zip(pairs, owners, strict=True):
        regions.setdefault(names[pair], set()).add(owner[1])
    series = [
        Series(name, place, frozenset(regions[name])) for name, place in sorted(places.items())
    ]
    numbers = {one.name: number for number, one in enumerate(series)}
    codes = np.array([numbers[names[pair]] for pair in pairs], dtype=np.int32)
    return series, codes


def _pair(owner: _Owner) -> tuple[str, Location]:
    entity, region, *place = owner
    return entity, location_among((place[0], place[1], place[2]), region)
