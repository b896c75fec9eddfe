"""News of the newest day of each commodity: moves, indices, who did not report, what is doubtful."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import pandas as pd

from focuscrawl.price_statistics.price_index import CARRY_DAYS, WHOLE
from focuscrawl.price_statistics.price_jumps import NEAREST
from focuscrawl.price_statistics.price_moves import PERIODS
from focuscrawl.price_statistics.price_trends import KEYS, change_since, changes
from focuscrawl.reports.daily_digest import DailyDigest, DigestAlarm, PricedQuote
from focuscrawl.reports.price_figures import PriceFigures, PriceTrends
from focuscrawl.reports.quote_facts import middle_price
from focuscrawl.stored_records import StoredQuote

RECENT_DAYS = 10
"""Number of days with quotes, before the newest one, on most of which an entity must have quoted."""
_LEAST_RECENT_DAYS = 3
_FIRST_COMMODITIES = 3
_DAY, _WEEK = PERIODS[:2]


class NewsMove(NamedTuple):
    """Change of a price; NaN where there is nothing to compare with."""

    price: float
    day: float
    week: float

    def ratio(self, change: float) -> float:
        """Return a change as a fraction of the earlier price, NaN if that is unknown or not positive."""
        earlier = self.price - change
        return change / earlier if earlier > 0 else math.nan


class EntityMove(NamedTuple):
    """Move of the price of an entity, and the quote that tells it, if there is one."""

    commodity: str
    entity: str
    day: date
    move: NewsMove
    source: StoredQuote | None


class RegionMove(NamedTuple):
    """Move of the index of a region, and the numbers of entities behind it."""

    commodity: str
    region: str
    day: date
    move: NewsMove
    entities: int
    carried: int


class MissingRegion(NamedTuple):
    """A region whose entities have all been silent for so long that it has no index."""

    commodity: str
    region: str
    last: date
    price: float
    silent_days: int


@dataclass(frozen=True, slots=True)
class Absence:
    """An entity that quoted on ``days`` of the last ``of`` days, but not on the newest."""

    commodity: str
    entity: str
    last: date
    price: float
    days: int
    of: int


class PriceDoubt(NamedTuple):
    """A price to confirm, the reason, and the sentence with its article ("" if unknown)."""

    entity: str
    day: date | None
    price: float | None
    reason: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class DailyNews:
    """All that 今日摘要 tells; it shows the first ones, and other sheets list the rest.

    ``days`` has the newest day of each commodity, most quoted first. ``jumps`` are the doubtful prices
    that no flag says to be wrong, newest first.
    """

    days: dict[str, date]
    alarms: list[DigestAlarm]
    regions: list[RegionMove]
    moves: list[EntityMove]
    missing: list[MissingRegion]
    absences: list[Absence]
    jumps: list[PriceDoubt]


def daily_news(digest: DailyDigest, figures: PriceFigures, trends: PriceTrends) -> DailyNews:
    """Return the news of the newest days."""
    days = {name: digest.commodities[name].day for name in figures.commodities}
    # Moves of a commodity that nobody quotes any more are no news.
    main_day = days[figures.commodities[0]] if days else date.min
    # As a difference: no date is before the first one.
    current = {name: day for name, day in days.items() if (main_day - day).days <= CARRY_DAYS}
    sources = {
        (commodity, figures.names[series]): stored
        for commodity, newest in digest.commodities.items()
        for series, stored in newest.sources.items()
    }
    return DailyNews(
        days,
        digest.alarms(),
        region_moves(trends.indices, days),
        biggest_moves(_undoubted(trends, figures.daily), current, sources),
        missing_regions(trends.indices, current),
        absences(figures.daily, current),
        jumps(trends.doubtful, digest, figures),
    )


def _undoubted(trends: PriceTrends, daily: pd.DataFrame) -> pd.DataFrame:
    """Return the changes without doubtful prices, which neither are moves nor are compared with."""
    doubted, columns = _keys(trends.doubtful, KEYS), [*KEYS, "date"]
    own = daily[_keys(daily, KEYS).isin(doubted)]
    certain = own[~_keys(own, columns).isin(_keys(trends.doubtful, columns))]
    others = trends.moved[~_keys(trends.moved, KEYS).isin(doubted)]
    return pd.concat([others, changes(certain)]) if len(certain) else others


def biggest_moves(
    moved: pd.DataFrame, days: Mapping[str, date], sources: Mapping[tuple[str, str], StoredQuote]
) -> list[EntityMove]:
    """Return the entities whose price has moved since the day before, the biggest ratio first.

    ``moved`` is the result of :func:`~focuscrawl.price_statistics.price_trends.changes`, ``days`` has the day of
    each commodity, ``sources`` quotes of that day by commodity and entity.
    """
    newest = moved["commodity"].astype(str).map(days)
    today = moved[(moved["date"] == pd.to_datetime(newest)) & moved["day_change"].fillna(0).ne(0)]
    order = today["day_ratio"].abs().sort_values(ascending=False, kind="stable").index
    found = []
    for row in today.loc[order].to_dict("records"):
        key = str(row["commodity"]), str(row["entity"])
        move = NewsMove(row["price"], row["day_change"], row["week_change"])
        found.append(EntityMove(*key, row["date"].date(), move, sources.get(key)))
    return found


def region_moves(
    indices: Mapping[str, Mapping[str, pd.DataFrame]], days: Mapping[str, date]
) -> list[RegionMove]:
    """Return the indices of each commodity's newest day: the first commodities as a whole, the regions
    of the main one, then the others.

    ``indices`` has those of each commodity, the main one first, as
    :func:`~focuscrawl.price_statistics.price_index.region_indices` gives them.
    """
    found = [
        (not (region == WHOLE and place < _FIRST_COMMODITIES), place > 0, region != WHOLE, move)
        for place, (commodity, regions) in enumerate(indices.items())
        for region, points in regions.items()
        if (move := _region_move(commodity, region, points, days[commodity]))
    ]
    return [move for *_, move in sorted(found, key=lambda entry: entry[:3])]


def _region_move(
    commodity: str, region: str, points: pd.DataFrame, newest: date
) -> RegionMove | None:
    day = pd.Timestamp(newest)
    values = points["index"][points.index <= day].dropna()
    if values.empty or values.index[-1] != day:
        return None
    move = NewsMove(float(values.iloc[-1]), change_since(values, _DAY), change_since(values, _WEEK))
    entities, carried = (int(points[name][day]) for name in ("entities", "carried"))
    return RegionMove(commodity, region, newest, move, entities, carried)


def missing_regions(
    indices: Mapping[str, Mapping[str, pd.DataFrame]], days: Mapping[str, date]
) -> list[MissingRegion]:
    """Return the regions without an index on the newest day of their commodity, newest first."""
    found = []
    for commodity, newest in days.items():
        for region, points in indices.get(commodity, {}).items():
            values = points["index"].dropna()
            if len(values) and values.index[-1] < pd.Timestamp(newest):
                own = points.index[points["entities"] > points["carried"]]
                last = own[-1].date()
                silent = (newest - last).days
                found.append(MissingRegion(commodity, region, last, float(values.iloc[-1]), silent))
    return sorted(found, key=lambda region: region.silent_days)


def absences(daily: pd.DataFrame, days: Mapping[str, date]) -> list[Absence]:
    """Return the entities that quoted on most of the days before their commodity's newest, but not on it.

    ``daily`` is the result of :func:`~focuscrawl.price_statistics.price_trends.daily_means`. Those that quoted
    most often come first.
    """
    found = [
        absence
        for commodity, newest in days.items()
        for absence in _absences(daily[daily["commodity"] == commodity], pd.Timestamp(newest))
    ]
    return sorted(found, key=lambda absence: -absence.days)


def _absences(daily: pd.DataFrame, day: pd.Timestamp) -> Iterator[Absence]:
    earlier = daily[daily["date"] < day]
    recent = sorted(earlier["date"].unique())[-RECENT_DAYS:]
    if len(recent) < _LEAST_RECENT_DAYS:
        return
    quoted = earlier[earlier["date"] >= recent[0]].sort_values("date", kind="stable")
    last = quoted.groupby(KEYS, observed=True).agg({"date": "last", "price": "last"})
    last["days"] = quoted.groupby(KEYS, observed=True).size()
    missing = last[last["days"] > len(recent) / 2].reset_index()
    missing = missing[~_keys(missing, KEYS).isin(_keys(daily[daily["date"] == day], KEYS))]
    for row in missing.to_dict("records"):
        key = str(row["commodity"]), str(row["entity"])
        yield Absence(*key, row["date"].date(), row["price"], row["days"], len(recent))


def _keys(frame: pd.DataFrame, columns: Iterable[str]) -> pd.MultiIndex:
    return pd.MultiIndex.from_arrays(
        [frame[name] if name == "date" else frame[name].astype(str) for name in columns]
    )


def jumps(doubtful: pd.DataFrame, digest: DailyDigest, figures: PriceFigures) -> list[PriceDoubt]:
    """Return the doubtful prices that no flag says to be wrong, newest first.

    ``doubtful`` is the result of :func:`~focuscrawl.price_statistics.price_jumps.doubtful_prices`.
    """
    sources = {
        (commodity, figures.names[series], day): extremes
        for (commodity, series, day), extremes in digest.jumps.items()
    }
    found = []
    newest_first = doubtful.sort_values("date", ascending=False, kind="stable")
    for row in newest_first.to_dict("records"):
        entity, day = str(row["entity"]), row["date"].date()
        reason = f"与前后{NEAREST}次报价相差过大（中位数 {row['usual']:,.0f} 元/吨），不计入指数"
        extremes = sources.get((str(row["commodity"]), entity, day), ())
        told = _farthest(extremes, row["usual"])
        found.append(PriceDoubt(entity, day, row["price"], reason, *told))
    return found


def _farthest(quotes: Iterable[PricedQuote], usual: float) -> tuple[str, str]:
    """Return the sentence and article of the quote that makes a day doubtful, "" without any."""
    ordered = sorted(quotes, key=lambda one: abs(one.price - usual))
    if not ordered:
        return "", ""
    stored = ordered[-1].stored
    return stored.quote.span or stored.article_title, stored.article_url


def flagged_doubt(stored: StoredQuote) -> PriceDoubt:
    """Return a flagged quote as a price to confirm."""
    quote = stored.quote
    text = quote.span or stored.article_title
    name = quote.entity or quote.mention
    return PriceDoubt(name, quote.date, middle_price(quote), quote.flag, text, stored.article_url)
