"""Table of the morning: each entity's newest price, the one before, its changes and what is doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np

from focuscrawl.price_statistics.entity_groups import GROUPS, Group, group_of
from focuscrawl.price_statistics.mean_prices import ENTITY_TYPES
from focuscrawl.price_statistics.moisture_classes import MOISTURES, Moisture
from focuscrawl.price_statistics.price_jumps import newest_doubts
from focuscrawl.price_statistics.price_moves import Period, newest_moves
from focuscrawl.web.prices.daily_prices import Days, compared_rows, daily_prices
from focuscrawl.web.prices.price_charts import DAY, iso_day, point_links
from focuscrawl.web.prices.price_query import Selection
from focuscrawl.web.prices.price_table import Floats
from focuscrawl.web.quotations.doubtful_quotes import Doubt

WINDOW = 7
"""Days within which an entity must have a price to be in the table."""
_TREND = 14
_RECENT = 30


@dataclass(frozen=True, slots=True)
class MorningRow:
    """An entity's newest price, the last one before it, and their changes, in yuan per ton.

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
    """The newest prices of series, by group, place and name, with all that the table has of each.

    ``doubted`` are the series whose newest price is far from their usual one, which it has.
    """

    owner: Days
    day: Days
    price: Floats
    change: dict[Period, Floats]
    ratio: dict[Period, Floats]
    trend: Floats
    group: list[Group]
    moisture: list[Moisture]
    doubted: dict[int, float]

    def ordered(self, chosen: Selection, pinned: Set[str]) -> list[int]:
        """Return the places that a query chooses, in its order; those of pinned names come first.

        Rows without a figure come last, and behind them those whose change is up to an older day.
        """
        query, series = chosen.query, chosen.table.series
        found = list(range(len(self.owner)))
        if query.find:
            wanted = set(chosen.table.names.find(query.find))
            found = [place for place in found if self.owner[place] in wanted]
        found = [place for place in found if query.group in ("", self.group[place])]
        name, is_falling = query.sort.lstrip("-"), query.sort.startswith("-")
        if name in ("name", "place", "moisture"):
            texts = {place: series[self.owner[place]].name for place in found}
            if name != "name":
                others = (
                    self.moisture if name == "moisture" else [series[n].place for n in self.owner]
                )
                texts = {place: (others[place], text) for place, text in texts.items()}
            found.sort(key=texts.__getitem__, reverse=is_falling)
        elif name:
            figures = (1 - 2 * is_falling) * self._figures(name)[found]
            is_old = (self.day[found] < chosen.last) & (name not in ("previous", "price"))
            # A NaN is last either way.
            found = [found[one] for one in np.lexsort((figures, is_old))]
        return sorted(found, key=lambda place: series[self.owner[place]].name not in pinned)

    def _figures(self, name: str) -> Floats:
        own: dict[str, Floats] = {"price": self.price, "year": self.ratio["year"]}
        own["previous"] = self.price - self.change["day"]
        own |= {f"{period}_size": np.abs(change) for period, change in self.change.items()}
        return own[name] if name in own else self.change[name]  # type: ignore[index]

    def rows(self, chosen: Selection, places: list[int]) -> Iterator[MorningRow]:
        """Yield the rows of some places."""
        link = point_links(chosen)
        for place in places:
            series, day = chosen.table.series[self.owner[place]], iso_day(self.day[place])
            yield MorningRow(
                int(self.owner[place]),
                series.name,
                "".join(dict.fromkeys(filter(None, series.place[:2]))),
                self.group[place],
                self.moisture[place],
                day,
                bool(self.day[place] < chosen.last),
                float(self.price[place] - self.change["day"][place]),
                float(self.price[place]),
                {period: float(values[place]) for period, values in self.change.items()},
                {period: float(values[place]) for period, values in self.ratio.items()},
                link(series.name).replace(DAY, day),
                self.trend[place],
            )

    def doubts(self, chosen: Selection, rows: list[MorningRow]) -> dict[Doubt, int]:
        """Return the doubtful quotes of the newest day with their series: flagged and far ones."""
        table = chosen.table
        part = table.slice_of(table.commodities.index(chosen.commodity))
        today = np.flatnonzero(table.day[part] == chosen.last) + part.start
        today = today[np.isin(table.owner[today], [row.owner for row in rows])]
        found: dict[Doubt, int] = {}
        for quote in today[table.is_standing[table.article[today]]].tolist():
            owner, flag = int(table.owner[quote]), table.flags[table.flag[quote]]
            usual = self.doubted.get(owner, 0.0) if table.is_counted[quote] else 0.0
            if flag or usual:
                day = date.fromisoformat(iso_day(chosen.last))
                kind: Literal["flag", "jump"] = "flag" if flag else "jump"
                found[Doubt(day, *table.key(quote), kind, flag, usual)] = owner
        return found


def morning(chosen: Selection) -> Morning:
    """Return the table of a region of goods, which is kept for others who ask."""
    key = ("morning", chosen.region_key, chosen.query.since, chosen.last)
    return chosen.table.summed(key, lambda: _morning(chosen))


def _morning(chosen: Selection) -> Morning:
    table, last = chosen.table, chosen.last
    begin = max(chosen.first, last - WINDOW + 1) if chosen.query.since is None else chosen.first
    rows = compared_rows(chosen.quotes, begin, last, _RECENT)
    daily = daily_prices(table, rows)
    moves = newest_moves(daily)
    day, owners = daily.day[moves.newest], daily.owner[moves.newest]
    # The rows are by series and day, so the last one of each is its newest quote.
    newest = rows[np.searchsorted(table.owner[rows], owners, side="right") - 1]
    groups = [
        group_of(ENTITY_TYPES[kind], table.series[owner].name)
        for kind, owner in zip(table.kind[newest], owners, strict=True)
    ]
    order = {
        place: (GROUPS.index(groups[place]), *table.series[owners[place]][1::-1])
        for place in np.flatnonzero(day >= begin).tolist()
    }
    places = sorted(order, key=order.__getitem__)
    trend = np.full((len(owners), _TREND), np.nan)
    is_recent = daily.day > last - _TREND
    shown = np.searchsorted(owners, daily.owner[is_recent])
    trend[shown, daily.day[is_recent] - last - 1] = daily.price[is_recent]
    return Morning(
        owners[places],
        day[places],
        daily.price[moves.newest[places]],
        {period: values[places] for period, values in moves.change.items()},
        {period: values[places] for period, values in moves.ratio.items()},
        trend[places],
        [groups[place] for place in places],
        [MOISTURES[one] for one in table.moisture[newest[places]]],
        newest_doubts(daily, last),
    )
