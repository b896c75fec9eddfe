"""News of the newest day of each commodity, and what is collected for them: sentences, doubts, alarms."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter
from typing import NamedTuple

import pandas as pd

from focuscrawl.price_statistics.price_index import CARRY_DAYS, WHOLE
from focuscrawl.price_statistics.price_jumps import MAX_FACTOR, NEAREST
from focuscrawl.price_statistics.price_moves import KEYS, PERIODS
from focuscrawl.price_statistics.price_trends import change_since, changes
from focuscrawl.reports.entity_series import Series, location_of
from focuscrawl.reports.price_figures import PriceFigures, PriceTrends
from focuscrawl.reports.quote_facts import is_counted, middle_price
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.stored_records import ArticleSummary, StoredQuote

MAX_DOUBTFUL = 6
SILENT_DAYS = 3
"""Days without anything new of a site that are no alarm: a weekend with a day before or after it."""
RECENT_DAYS = 10
"""Number of days with quotes, before the newest one, on most of which an entity must have quoted."""
_LEAST_RECENT_DAYS = 3
_FIRST_COMMODITIES = 3
_DAY, _WEEK = PERIODS[:2]


@dataclass(slots=True)
class SiteNews:
    """Newest date of a site's articles and quotes, and its incomplete articles."""

    newest: date | None = None
    incomplete: int = 0
    last_incomplete: ArticleSummary | None = None

    def see(self, day: date | None, today: date) -> None:
        """Count a complete article or quote of that day."""
        if day is not None and day <= today and (self.newest is None or day > self.newest):
            self.newest = day


@dataclass(frozen=True, slots=True)
class DigestAlarm:
    """A sentence about what may be wrong with the crawl, and the URL to look at ("" if none)."""

    text: str
    url: str = ""


@dataclass(slots=True)
class CommodityDay:
    """Newest day of a commodity: the number of its counted quotes, and the first one of each entity."""

    day: date
    quotes: int = 0
    sources: dict[Series, StoredQuote] = field(default_factory=dict)


class PricedQuote(NamedTuple):
    """A counted quote with its price, in yuan per ton, and its day."""

    price: float
    day: date
    stored: StoredQuote


_price = attrgetter("price")


class DailyDigest:
    """Collects quotes and articles one by one; memory holds the sentences of the newest days only.

    ``commodities`` has the newest day with a counted quote of each commodity. ``jumps`` has the
    lowest and the highest quote of those before and after a price that is far from the one before,
    by commodity, entity and day.
    ``doubtful`` counts flagged quotes, ``ahead`` those dated after ``today``, which are no news but
    errors.
    """

    def __init__(self, today: date) -> None:
        self.today = today
        self.commodities: dict[str, CommodityDay] = {}
        self.jumps: dict[tuple[str, Series, date], tuple[PricedQuote, PricedQuote]] = {}
        self.doubtful = self.ahead = 0
        self._previous: dict[tuple[str, Series], PricedQuote] = {}
        self._sites: dict[str, SiteNews] = {}
        self._doubtful: list[tuple[date, int, StoredQuote]] = []

    def add_quote(self, stored: StoredQuote) -> None:
        """Add a quote."""
        quote = stored.quote
        if quote.flag:
            self._doubt(stored)
        if quote.date is None:
            return
        if quote.date > self.today:
            self.ahead += 1
            return
        self._site(stored.site).see(quote.date, self.today)
        price = middle_price(quote)
        if is_counted(quote) and price is not None:
            self._keep(stored, quote.date, price)

    def _keep(self, stored: StoredQuote, day: date, price: float) -> None:
        quote = stored.quote
        commodity = clean_text(quote.commodity)
        series = clean_text(quote.entity), location_of(quote)
        newest = self.commodities.get(commodity)
        if newest is None or day > newest.day:
            newest = self.commodities[commodity] = CommodityDay(day)
        if day == newest.day:
            newest.quotes += 1
            newest.sources.setdefault(series, stored)
        own = PricedQuote(price, day, stored)
        previous = self._previous.get((commodity, series), own)
        if max(previous.price, price) > min(previous.price, price) * MAX_FACTOR:
            for one in (previous, own):
                low, high = self.jumps.get((commodity, series, one.day), (one, one))
                extremes = min(low, one, key=_price), max(high, one, key=_price)
                self.jumps[commodity, series, one.day] = extremes
        self._previous[commodity, series] = own

    def _doubt(self, stored: StoredQuote) -> None:
        self.doubtful += 1
        heapq.heappush(self._doubtful, (stored.quote.date or date.min, -self.doubtful, stored))
        if len(self._doubtful) > MAX_DOUBTFUL:
            heapq.heappop(self._doubtful)

    def add_article(self, article: ArticleSummary) -> None:
        """Add an article."""
        if article.is_gone:
            return
        news = self._site(article.site)
        if article.is_complete:
            news.see(article.published, self.today)
            return
        news.incomplete += 1
        last = news.last_incomplete
        if last is None or (article.published or date.min) > (last.published or date.min):
            news.last_incomplete = article

    def _site(self, name: str) -> SiteNews:
        return self._sites.setdefault(name, SiteNews())

    def doubts(self) -> list[StoredQuote]:
        """Return the newest flagged quotes, newest first, at most ``MAX_DOUBTFUL``."""
        return [stored for *_, stored in sorted(self._doubtful, key=_newest_first)]

    def alarms(self) -> list[DigestAlarm]:
        """Return the alarms, those about whole sites first."""
        silent, incomplete = [], []
        for site, news in sorted(self._sites.items()):
            days = (self.today - news.newest).days if news.newest else 0
            if days > SILENT_DAYS:
                silent.append(
                    DigestAlarm(f"{site}：{news.newest} 以后没有新的文章和报价，已 {days:,} 天")
                )
            if last := news.last_incomplete:
                text = f"{site}：{news.incomplete:,} 篇文章不完整，最近一篇：{last.title}"
                incomplete.append(DigestAlarm(text, last.url))
        ahead = f"{self.ahead:,} 个报价的日期晚于今天（{self.today}），未列入各表的走势和指数"
        return [*silent, *([DigestAlarm(ahead)] if self.ahead else []), *incomplete]


def _newest_first(entry: tuple[date, int, StoredQuote]) -> tuple[int, int]:
    return -entry[0].toordinal(), -entry[1]


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
