"""Table of the morning: each entity's newest price, the one before, its changes and what is doubtful."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from focuscrawl.price_statistics.entity_groups import GROUPS, Group, group_of
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.price_statistics.moisture_classes import MOISTURES, Moisture
from focuscrawl.price_statistics.price_jumps import doubtful_prices
from focuscrawl.price_statistics.price_moves import Moves, Period, newest_moves
from focuscrawl.web.prices.daily_prices import DailyPrices, compared_rows, daily_prices, on_calendar
from focuscrawl.web.prices.price_charts import DAY, iso_day, point_links
from focuscrawl.web.prices.price_query import Selection
from focuscrawl.web.prices.price_table import Floats, day_of
from focuscrawl.web.quotations.doubtful_quotes import Doubt

WINDOW = 7
"""Days within which an entity must have a price to be in the table."""
_TREND = 14
_RECENT = 30
"""Days whose prices decide whether the newest one is doubtful."""


@dataclass(frozen=True, slots=True)
class MorningRow:
    """An entity's newest price, the price of the day before it, and their changes, in yuan per ton.

    ``is_missing`` says that it has no price on the newest day of the table; ``trend`` has the prices of
    the last two weeks, NaN where there is none.
    """

    owner: int
    name: str
    place: str
    group: Group
    moisture: Moisture
    day: str
    is_missing: bool
    previous: float
    price: float
    change: dict[Period, float]
    ratio: dict[Period, float]
    link: str
    trend: Floats


@dataclass(frozen=True, slots=True)
class Morning:
    """What a table is made from: daily prices, the newest changes, and of each series its group, its
    moisture, and the price that a doubtful newest one is far from.

    ``places`` are the positions in the changes of the series that are in the table, by group, place and
    name.
    """

    chosen: Selection
    daily: DailyPrices
    moves: Moves
    groups: dict[int, Group]
    moistures: dict[int, Moisture]
    usual: dict[int, float]
    places: list[int]

    def ordered(self, pinned: set[str]) -> list[int]:
        """Return the places that the query chooses in its order; those of pinned names come first.

        Names are searched for as everywhere; rows without a figure to be ordered by come last.
        """
        query, series = self.chosen.query, self.chosen.table.series
        found = self.places
        if query.find:
            wanted = set(self.chosen.table.names.find(query.find))
            found = [place for place in found if self.owner(place) in wanted]
        if query.group:
            found = [place for place in found if self.groups[self.owner(place)] == query.group]
        name, is_falling = query.sort.lstrip("-"), query.sort.startswith("-")
        if name in ("name", "place", "moisture"):
            found = sorted(found, key=lambda place: self._text(place, name), reverse=is_falling)
        elif name:
            figures = self._figures(name)
            figures = -figures if is_falling else figures
            # A NaN is last either way.
            order = np.argsort(figures[found], kind="stable")
            found = [found[one] for one in order]
        return sorted(found, key=lambda place: series[self.owner(place)].name not in pinned)

    def owner(self, place: int) -> int:
        """Return the series at a place of the newest changes."""
        return int(self.daily.owner[self.moves.newest[place]])

    def _text(self, place: int, name: str) -> tuple[str, ...]:
        owner = self.owner(place)
        one = self.chosen.table.series[owner]
        if name == "moisture":
            return self.moistures[owner], one.name
        return (*one.place, one.name) if name == "place" else (one.name,)

    def _figures(self, name: str) -> Floats:
        price = self.daily.price[self.moves.newest]
        if name in ("price", "previous"):
            return price if name == "price" else price - self.moves.change["day"]
        return self.moves.ratio["year"] if name == "year" else self.moves.change[name]  # type: ignore[index]

    def rows(self, places: list[int]) -> list[MorningRow]:
        """Return the rows of some places."""
        link = point_links(self.chosen)
        return [self._row(place, link) for place in places]

    def _row(self, place: int, link: Callable[[str], str]) -> MorningRow:
        moves, newest = self.moves, int(self.moves.newest[place])
        owner, day = int(self.daily.owner[newest]), int(self.daily.day[newest])
        series, last = self.chosen.table.series[owner], self.chosen.last
        price, shown = float(self.daily.price[newest]), iso_day(day)
        return MorningRow(
            owner,
            series.name,
            "".join(dict.fromkeys(filter(None, series.place[:2]))),
            self.groups[owner],
            self.moistures[owner],
            shown,
            day < last,
            price - float(moves.change["day"][place]),
            price,
            {period: float(values[place]) for period, values in moves.change.items()},
            {period: float(values[place]) for period, values in moves.ratio.items()},
            link(series.name).replace(DAY, shown),
            on_calendar(self.daily.of(owner), last - _TREND + 1, last),
        )

    def doubts(self, rows: list[MorningRow]) -> dict[int, list[Doubt]]:
        """Return the doubtful quotes of the newest day by series: flagged ones, and those far from the usual."""
        table, chosen = self.chosen.table, self.chosen
        part = table.slice_of(table.commodities.index(chosen.commodity))
        today = np.flatnonzero(table.day[part] == chosen.last) + part.start
        today = today[np.isin(table.owner[today], [row.owner for row in rows])]
        found: dict[int, list[Doubt]] = {}
        for quote in today[table.is_standing[table.article[today]]].tolist():
            owner, flag = int(table.owner[quote]), table.flags[table.flag[quote]]
            usual = self.usual.get(owner, 0.0) if table.is_counted[quote] else 0.0
            if flag or usual:
                day = day_of(chosen.last)
                assert day is not None
                kind: Literal["flag", "jump"] = "flag" if flag else "jump"
                doubt = Doubt(day, *table.key(quote), kind, flag, usual)
                found.setdefault(owner, []).append(doubt)
        return found


def morning(chosen: Selection) -> Morning:
    """Return the table of a region of goods; one of the newest day is kept for others who ask."""
    if chosen.query.until or chosen.query.since:
        return _morning(chosen)
    key = ("morning", chosen.region_key, chosen.last)
    return replace(chosen.table.summed(key, lambda: _morning(chosen)), chosen=chosen)


def _morning(chosen: Selection) -> Morning:
    table, first, last = chosen.table, chosen.last - _RECENT + 1, chosen.last
    rows = compared_rows(chosen.quotes, first, last)
    daily = daily_prices(table, rows)
    moves = newest_moves(daily)
    day = daily.day[moves.newest]
    owners = daily.owner[moves.newest]
    # The rows are by series and day: the last one of each is its newest quote.
    newest = dict(zip(table.owner[rows].tolist(), rows.tolist(), strict=True))
    groups = {
        owner: group_of(ENTITY_TYPES[table.kind[quote]], table.series[owner].name)
        for owner, quote in newest.items()
    }
    moistures = {owner: MOISTURES[table.moisture[quote]] for owner, quote in newest.items()}
    recent = daily.where(daily.day >= first)
    days = pd.to_datetime(recent.day, unit="D")
    frame = pd.DataFrame(
        {"commodity": "", "entity": recent.owner, "date": days, "price": recent.price}
    )
    doubtful = doubtful_prices(frame)
    doubtful = doubtful[doubtful["date"] == pd.Timestamp(last, unit="D")]
    usual = dict(zip(doubtful["entity"].tolist(), doubtful["usual"].tolist(), strict=True))
    begin = max(chosen.first, last - WINDOW + 1) if chosen.query.since is None else chosen.first
    series = table.series
    places = sorted(
        np.flatnonzero(day >= begin).tolist(),
        key=lambda place: (
            GROUPS.index(groups[int(owners[place])]),
            series[owners[place]].place,
            series[owners[place]].name,
        ),
    )
    return Morning(chosen, daily, moves, groups, moistures, usual, places)
