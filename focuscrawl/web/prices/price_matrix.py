"""Matrix of the newest days' prices: an entity a row, a day a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from focuscrawl.web.prices.figures.daily_prices import DailyPrices, daily_prices
from focuscrawl.web.prices.figures.price_moves import changes
from focuscrawl.web.prices.figures.price_query import Selection
from focuscrawl.web.prices.price_charts import DAY, iso_day
from focuscrawl.web.prices.price_lines import point_links

STEPS = (0.0, 0.01, 0.02)
"""Shares of the earlier price beyond which a cell has the next colour."""
ROWS_A_PAGE = 60
_COMPARED_DAYS = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """A price, its change against the day before, and the step of its colour, from -3 to 3."""

    price: float
    change: float
    step: int
    link: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """An entity with a cell, or None, for each day."""

    name: str
    place: str
    cells: list[Cell | None]


@dataclass(frozen=True, slots=True)
class PriceMatrix:
    """Days, newest first, and the number of all entities beside the rows of one page."""

    days: list[str]
    entities: int
    rows: list[MatrixRow]


def price_matrix(chosen: Selection, page: int) -> PriceMatrix:
    """Return one page of the matrix of a choice with at least one day."""
    daily, owners = _of_choice(chosen)
    start = (page - 1) * ROWS_A_PAGE
    days = [iso_day(number) for number in range(chosen.last, chosen.first - 1, -1)]
    link = point_links(chosen)
    rows = [_row(chosen, daily, owner, link) for owner in owners[start : start + ROWS_A_PAGE]]
    return PriceMatrix(days, len(owners), rows)


def all_rows(chosen: Selection) -> Iterator[MatrixRow]:
    """Yield the rows of all entities of a choice."""
    daily, owners = _of_choice(chosen)
    link = point_links(chosen)
    for owner in owners:
        yield _row(chosen, daily, owner, link)


def _of_choice(chosen: Selection) -> tuple[DailyPrices, list[int]]:
    """Return the daily prices, and the series with one on the days shown, by their places."""
    daily = daily_prices(chosen.table, chosen.rows(_COMPARED_DAYS))
    inside = (daily.day >= chosen.first) & (daily.day <= chosen.last)
    series = chosen.table.series
    found = [int(owner) for owner in np.unique(daily.owner[inside])]
    return daily, sorted(found, key=lambda owner: (series[owner].place, series[owner].name))


def _row(
    chosen: Selection, daily: DailyPrices, owner: int, link: Callable[[str], str]
) -> MatrixRow:
    own = daily.of(owner)
    shown = np.flatnonzero((own.day >= chosen.first) & (own.day <= chosen.last))
    change, ratio = changes(own, "day", shown)
    series = chosen.table.series[owner]
    own_link = link(series.name)
    cells: list[Cell | None] = [None] * (chosen.last - chosen.first + 1)
    for place, position in enumerate(shown):
        day = int(own.day[position])
        cells[chosen.last - day] = Cell(
            float(own.price[position]),
            float(change[place]),
            _step(float(ratio[place])),
            own_link.replace(DAY, iso_day(day)),
        )
    place_name = "".join(dict.fromkeys(filter(None, series.place[:2])))
    return MatrixRow(series.name, place_name, cells)


def _step(ratio: float) -> int:
    if np.isnan(ratio):
        return 0
    size = sum(abs(ratio) > limit for limit in STEPS)
    return size if ratio > 0 else -size
