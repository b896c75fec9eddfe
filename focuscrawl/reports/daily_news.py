"""News of the newest day of the figures: moves, indices, entities that did not report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import pandas as pd

from focuscrawl.reports.price_index import WHOLE
from focuscrawl.reports.price_trends import KEYS, PERIODS, change_since

RECENT_DAYS = 10
"""Number of days with quotes, before the newest one, on most of which an entity must have quoted."""
_LEAST_RECENT_DAYS = 3
_DAY, _WEEK = PERIODS[:2]


class Move(NamedTuple):
    """Change of a price; NaN where there is nothing to compare with."""

    price: float
    day: float
    week: float

    def ratio(self, change: float) -> float:
        """Return a change as a fraction of the earlier price, NaN if that is zero or unknown."""
        earlier = self.price - change
        return change / earlier if earlier else math.nan


class EntityMove(NamedTuple):
    """Move of the price of an entity."""

    commodity: str
    entity: str
    move: Move


class RegionMove(NamedTuple):
    """Move of the index of a region, and the numbers of entities behind it."""

    commodity: str
    region: str
    move: Move
    entities: int
    carried: int


@dataclass(frozen=True, slots=True)
class Absence:
    """An entity that quoted on ``days`` of the last ``of`` days, but not on the newest."""

    commodity: str
    entity: str
    last: date
    price: float
    days: int
    of: int


def biggest_moves(moved: pd.DataFrame, newest: date) -> list[EntityMove]:
    """Return the entities whose price has moved since the day before, the biggest ratio first.

    ``moved`` is the result of :func:`~focuscrawl.reports.price_trends.changes`.
    """
    today = moved[(moved["date"] == pd.Timestamp(newest)) & moved["day_change"].fillna(0).ne(0)]
    order = today["day_ratio"].abs().sort_values(ascending=False, kind="stable").index
    return [
        EntityMove(
            str(row["commodity"]),
            str(row["entity"]),
            Move(row["price"], row["day_change"], row["week_change"]),
        )
        for row in today.loc[order].to_dict("records")
    ]


def region_moves(indices: dict[str, dict[str, pd.DataFrame]], newest: date) -> list[RegionMove]:
    """Return the indices of the newest day: of each commodity as a whole, then of the main one's regions.

    ``indices`` has those of each commodity, the main one first, as
    :func:`~focuscrawl.reports.price_index.region_indices` gives them.
    """
    found = [
        (commodity, region, points)
        for place, (commodity, regions) in enumerate(indices.items())
        for region, points in regions.items()
        if place == 0 or region == WHOLE
    ]
    found.sort(key=lambda entry: entry[1] != WHOLE)
    moves = (_region_move(*entry, pd.Timestamp(newest)) for entry in found)
    return [move for move in moves if move]


def _region_move(
    commodity: str, region: str, points: pd.DataFrame, newest: pd.Timestamp
) -> RegionMove | None:
    values = points["index"][points.index <= newest].dropna()
    if values.empty or values.index[-1] != newest:
        return None
    move = Move(float(values.iloc[-1]), change_since(values, _DAY), change_since(values, _WEEK))
    entities, carried = (int(points[name][newest]) for name in ("entities", "carried"))
    return RegionMove(commodity, region, move, entities, carried)


def absences(daily: pd.DataFrame, newest: date) -> list[Absence]:
    """Return the entities that quoted on most of the days before the newest, but not on it.

    ``daily`` is the result of :func:`~focuscrawl.reports.price_trends.daily_means`. Those that quoted
    most often come first.
    """
    day = pd.Timestamp(newest)
    earlier = daily[daily["date"] < day]
    recent = sorted(earlier["date"].unique())[-RECENT_DAYS:]
    if len(recent) < _LEAST_RECENT_DAYS:
        return []
    quoted = earlier[earlier["date"] >= recent[0]].sort_values("date", kind="stable")
    last = quoted.groupby(KEYS, observed=True).agg({"date": "last", "price": "last"})
    last["days"] = quoted.groupby(KEYS, observed=True).size()
    present = pd.MultiIndex.from_frame(daily.loc[daily["date"] == day, KEYS].astype(str))
    missing = last[(last["days"] > len(recent) / 2) & ~_keys(last).isin(present)]
    missing = missing.sort_values("days", ascending=False, kind="stable").reset_index()
    return [
        Absence(
            str(row["commodity"]),
            str(row["entity"]),
            row["date"].date(),
            row["price"],
            row["days"],
            len(recent),
        )
        for row in missing.to_dict("records")
    ]


def _keys(frame: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(frame.reset_index()[KEYS].astype(str))
