"""Choices of the prices' pages as they stand in the address, and the quotes that they select."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import product
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field

from focuscrawl.errors import ArgumentError
from focuscrawl.price_statistics.entity_groups import Group
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES, LEFT_OUT
from focuscrawl.price_statistics.moisture_classes import MOISTURES, Moisture
from focuscrawl.price_statistics.price_comparison import Comparison
from focuscrawl.price_statistics.price_moves import Period
from focuscrawl.stores.sql.price_columns import UNDATED
from focuscrawl.web.prices.daily_prices import MOST_DAYS, QuotedDays, QuotesByDay
from focuscrawl.web.prices.price_table import (
    Flags,
    Ints,
    PriceTable,
    Rows,
    day_number,
    day_of,
    run_of,
)

View = Literal["series", "years", "festival", "moves"]
Unit = Literal["ton", "jin"]
JIN_A_TON = 2000
SORTED = "name place moisture previous price day week year day_size week_size".split()
"""Columns by which the table of the morning may be sorted, with - before them from the largest down."""
_LONGEST_NAME = 200
_MOST_PAGES = 1_000_000


def _iso_day(value: object) -> object:
    """Return a day written as in 2026-02-28; pydantic would take numbers for times as well."""
    if not isinstance(value, str):
        return value
    try:
        return datetime.strptime(value, "%Y-%m-%d").date()
    except ValueError as error:
        raise ValueError("not a day of the calendar; write one as in 2026-02-28") from error


Day = Annotated[date, BeforeValidator(_iso_day)]
Name = Annotated[str, Field(max_length=_LONGEST_NAME)]


# What a form sends for no choice of goods; an empty name is that of goods without one.
Goods = Annotated[Name | None, BeforeValidator(lambda value: None if value == "all" else value)]


REPEATED = {
    "entity": "entities",
    "province": "provinces",
    "city": "cities",
    "commodity": "goods",
    "moisture": "moistures",
}
"""What may be repeated in an address, and the names of all of its values."""
PLAIN: dict[str, list[str]] = {name: [] for name in REPEATED.values()}
MOST_COMPARED = 100


class KnownQuery(BaseModel):
    """Goods, or an entity whose goods are meant, and the day whose knowledge is shown."""

    commodity: Goods = None
    entity: Name = ""
    known_on: Day | None = None


class PriceQuery(KnownQuery):
    """Everything that can be chosen; what is not given is chosen by the page."""

    province: Name = ""
    city: Name = ""
    kind: Literal["", "all", "firm", "place", "port", "market", "average", "other"] = ""
    since: Day | None = None
    until: Day | None = None
    unit: Unit = "ton"
    view: View = "series"
    period: Period = "day"
    flag: Literal["", "flagged", "unflagged"] = ""
    rows: Literal["quotes", "days"] = "quotes"
    page: Annotated[int, Field(ge=1, le=_MOST_PAGES)] = 1
    moisture: Moisture = ""
    compare: Comparison = ""
    # What is searched for by parts of its name, and the order of the morning's table.
    find: Name = ""
    sort: Annotated[str, Field(pattern=f"^-?({'|'.join(SORTED)})$")] | Literal[""] = ""
    group: Group | Literal[""] = ""
    # All values of the repeated ones, if any is: then series are compared.
    entities: list[Name] = []
    provinces: list[Name] = []
    cities: list[Name] = []
    goods: list[Goods] = []
    moistures: list[Moisture] = []

    def checked(self) -> Self:
        """Return the query; raises ArgumentError for choices that contradict each other."""
        if self.since and self.until and self.since > self.until:
            raise ArgumentError(f"since = {self.since} is after until = {self.until}")
        return self

    @property
    def is_compared(self) -> bool:
        """Whether the address names more than one series."""
        return any((self.entities, self.provinces, self.cities, self.goods, self.moistures))

    def each(self) -> list[Self]:
        """Return a query for each of the compared series: of every place, goods and moisture.

        One province and one city are one place. Raises ArgumentError for too many.
        """
        places: list[dict[str, str]] = [{"entity": name} for name in self.entities]
        if len(self.provinces) == len(self.cities) == 1:
            places.append({"province": self.provinces[0], "city": self.cities[0]})
        else:
            places += [{"province": name} for name in self.provinces]
            places += [{"city": name} for name in self.cities]
        goods = self.goods or [self.commodity]
        found = [*product(places or [{}], goods, self.moistures or [self.moisture])]
        if len(found) > MOST_COMPARED:
            raise ArgumentError(f"{len(found)} series; at most {MOST_COMPARED} are compared")
        nowhere: dict[str, str] = dict.fromkeys(("entity", "province", "city"), "")
        return [
            self.model_copy(
                update=nowhere | PLAIN | place | {"commodity": commodity, "moisture": moisture}
            )
            for place, commodity, moisture in found
        ]

    @property
    def factor(self) -> float:
        """What yuan per ton are multiplied by to be in the chosen unit."""
        return 1.0 if self.unit == "ton" else 1 / JIN_A_TON

    @property
    def digits(self) -> int:
        """The decimals of prices in files."""
        return 2 if self.unit == "ton" else 6

    @property
    def unit_name(self) -> str:
        """The unit in files."""
        return f"yuan/{self.unit}"


@dataclass(frozen=True, slots=True)
class Selection:
    """Quotes of one commodity that are counted, by the choices of a query.

    ``region`` has those of the region, ``entity`` is the chosen series, None without one, and ``own``
    has its quotes. ``first`` and ``last`` are the days shown; there are none where first > last.
    ``is_unknown`` says that the table has no commodity, place or entity of such a name.
    """

    table: PriceTable
    query: PriceQuery
    commodity: str
    region: QuotesByDay
    entity: int | None
    own: QuotesByDay
    first: int
    last: int
    is_unknown: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.is_unknown or self.first > self.last

    @property
    def span(self) -> dict[str, object]:
        """The days shown, if any, as values of an address."""
        span: dict[str, object] = {"since": day_of(self.first), "until": day_of(self.last)}
        return {} if self.is_empty else span

    @property
    def region_key(self) -> tuple[str, ...]:
        """The choices that select the region's quotes."""
        query = self.query
        return (self.commodity, query.province, query.city, query.kind, query.moisture)

    @property
    def quotes(self) -> QuotesByDay:
        """The chosen quotes: those of the entity, or else of the region."""
        return self.region if self.entity is None else self.own

    def rows(self, days_before: int = 0) -> Rows:
        """Return the positions of the chosen quotes on the days shown, and on some before them."""
        return self.quotes.between((self.first - days_before, self.last))

    def quoted_days(self) -> QuotedDays:
        """Return the days of all quotes of the choice, counted or not."""
        if self.entity is not None:
            return QuotedDays.of(self.table, _quoted_rows(self))
        key = ("quoted", *self.region_key)
        return self.table.summed(key, lambda: QuotedDays.of(self.table, _quoted_rows(self)))

    def newest(self, days: int) -> Selection:
        """Return the same choice with at most the newest days of it."""
        return replace(self, first=max(self.first, self.last - days + 1))


DEFAULT_DAYS = 180


def select(table: PriceTable, query: PriceQuery, default_days: int = DEFAULT_DAYS) -> Selection:
    """Return the quotes that a query chooses."""
    names = table.commodities
    entity = table.series_named(query.entity) if query.entity else None
    commodity = query.commodity
    if commodity is None:
        commodity = next(iter(names), "") if entity is None else _main_goods(table, entity)
    is_unknown = commodity not in names or (bool(query.entity) and entity is None)
    region = own = QuotesByDay.of(table, np.zeros(0, dtype=np.intp))
    if not is_unknown:
        region = _region_quotes(table, query, names.index(commodity))
        own = QuotesByDay.of(table, _own_rows(table, query, names.index(commodity), entity))
    shown = region if entity is None else own
    first, last = _days_shown(shown.days, query, default_days)
    return Selection(table, query, commodity, region, entity, own, first, last, is_unknown)


def _main_goods(table: PriceTable, entity: int) -> str:
    """Return the goods of which an entity has most quotes."""
    counts = np.bincount(table.commodity[table.owner == entity])
    return table.commodities[int(counts.argmax())] if len(counts) else ""


def owners_in(table: PriceTable, province: str, city: str) -> Flags:
    """Return which series are in a province and city; both may be empty."""
    chosen = np.ones(len(table.series), dtype=bool)
    if province:
        chosen &= table.provinces == province
    if city:
        chosen &= table.cities == city
    return chosen


def kinds_of(kind: str) -> list[int]:
    """Return the numbers of the types of entities that a choice stands for."""
    if kind == "all":
        return list(range(len(ENTITY_TYPES)))
    if kind:
        return [ENTITY_TYPES.index(kind)]
    return [number for number, name in enumerate(ENTITY_TYPES) if name not in LEFT_OUT]


def _own_rows(table: PriceTable, query: PriceQuery, commodity: int, entity: int | None) -> Rows:
    """Return the counted quotes of an entity, whatever its type and place."""
    if entity is None:
        return np.zeros(0, dtype=np.intp)
    part = table.slice_of(commodity)
    # The series of a commodity are adjacent and in order.
    own = run_of(table.owner[part], entity)
    rows: Rows = np.flatnonzero(table.is_counted[part][own]) + part.start + own.start
    return rows[_is_of_moisture(table, query, rows)]


def _is_of_moisture(table: PriceTable, query: PriceQuery, rows: Rows | slice) -> Flags:
    found: Flags = table.moisture[rows] == MOISTURES.index(query.moisture)
    return found if query.moisture else np.ones(len(found), dtype=bool)


def _region_quotes(table: PriceTable, query: PriceQuery, commodity: int) -> QuotesByDay:
    key = ("region", commodity, query.province, query.city, query.kind, query.moisture)
    return table.summed(key, lambda: QuotesByDay.of(table, _region_rows(table, query, commodity)))


def _region_rows(table: PriceTable, query: PriceQuery, commodity: int) -> Rows:
    part = table.slice_of(commodity)
    owner = table.owner[part]
    chosen = table.is_counted[part].copy()
    if query.province or query.city:
        chosen &= owners_in(table, query.province, query.city)[owner]
    if query.kind != "all":
        kinds = np.zeros(len(ENTITY_TYPES), dtype=bool)
        kinds[kinds_of(query.kind)] = True
        chosen &= kinds[table.kind[part]]
    chosen &= _is_of_moisture(table, query, part)
    rows: Rows = np.flatnonzero(chosen) + part.start
    return rows


def _quoted_rows(chosen: Selection) -> Rows:
    """Return the positions of all quotes of a choice on any day, counted or not."""
    table, query = chosen.table, chosen.query
    part = table.slice_of(table.commodities.index(chosen.commodity))
    if chosen.entity is not None:
        own = run_of(table.owner[part], chosen.entity)
        part = slice(part.start + own.start, part.start + own.stop)
    is_shown = table.is_standing[table.article[part]] & _is_of_moisture(table, query, part)
    if chosen.entity is None:
        is_shown &= owners_in(table, query.province, query.city)[table.owner[part]]
        is_shown &= np.isin(table.kind[part], kinds_of(query.kind))
    rows: Rows = np.flatnonzero(is_shown) + part.start
    return rows


def _days_shown(days: Ints, query: PriceQuery, default_days: int) -> tuple[int, int]:
    if not len(days):
        return 1, 0
    oldest, newest = int(days[0]), int(days[-1])
    last = min(newest, day_number(query.until)) if query.until else newest
    first = day_number(query.since) if query.since else last - default_days + 1
    return max(oldest, first, last - MOST_DAYS + 1), last


def matching(table: PriceTable, query: PriceQuery) -> Rows:
    """Return the positions of all quotes that a query chooses, newest first, also those not counted.

    They are those of all goods without ``commodity``, and without ``kind`` those of an entity, whatever
    its type. Quotes of articles that are gone are left out.
    """
    chosen = table.is_standing[table.article]
    if query.commodity is not None:
        if query.commodity not in table.commodities:
            return np.zeros(0, dtype=np.intp)
        own = np.zeros(len(table), dtype=bool)
        own[table.slice_of(table.commodities.index(query.commodity))] = True
        chosen &= own
    if query.entity:
        number = table.series_named(query.entity)
        chosen &= table.owner == (-1 if number is None else number)
    if query.province or query.city:
        chosen &= owners_in(table, query.province, query.city)[table.owner]
    if query.kind or not query.entity:
        chosen &= np.isin(table.kind, kinds_of(query.kind))
    if query.moisture:
        chosen &= _is_of_moisture(table, query, slice(None))
    if query.flag:
        chosen &= (table.flag != 0) == (query.flag == "flagged")
    if query.since:
        chosen &= table.day >= day_number(query.since)
    if query.until:
        chosen &= (table.day <= day_number(query.until)) & (table.day != UNDATED)
    found: Rows = table.newest_first[chosen[table.newest_first]]
    return found
