"""Everything that the first page of the prices shows, from a choice of quotes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from focuscrawl.web.prices.figures.daily_prices import (
    DailyPrices,
    daily_prices,
    on_calendar,
    whole_region,
)
from focuscrawl.web.prices.figures.missing_days import Cause, Evidence, MissingStretch, stretches
from focuscrawl.web.prices.figures.price_moves import (
    PERIODS,
    Moves,
    Period,
    median_moves,
    newest_moves,
)
from focuscrawl.web.prices.figures.price_query import PriceQuery, Selection, owners_in, select
from focuscrawl.web.prices.figures.price_table import PriceTable, Rows, run_of
from focuscrawl.web.prices.price_charts import DAY, Chart, iso_day, iso_days
from focuscrawl.web.prices.price_lines import (
    Shown,
    Text,
    festival_lines,
    move_lines,
    point_link,
    series_lines,
    year_lines,
)

MOST_ROWS = 370
RANKED = 8
_NEAR_NEWEST = ((12, 0), (39, 27), (382, 364))
"""Days before the newest one with the prices that it is compared with: a day, week, month and year ago."""
_ALL_DAYS = 20_000
_LONG_VIEWS = ("years", "festival")
_OPTIONS = 300


@dataclass(frozen=True, slots=True)
class Quality:
    """How far the quotes of a choice can be trusted, and how new they are."""

    quotes: int
    flagged: int
    unknown: int
    newest: str
    fetched_at: datetime | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entity's newest price and its changes."""

    name: str
    place: str
    day: str
    price: float
    change: dict[Period, float]
    ratio: dict[Period, float]
    link: str


@dataclass(frozen=True, slots=True)
class DayRow:
    """A day of the table beneath the chart; the prices are NaN where there are none."""

    day: str
    price: float
    low: float
    high: float
    median: float
    lower: float
    upper: float
    entities: int
    cause: Cause
    link: str


@dataclass(frozen=True, slots=True)
class SeriesView:
    """The first page: chart, table, cards and ranking."""

    chosen: Selection
    chart: Chart
    rows: list[DayRow] = field(default_factory=list)
    gaps: list[MissingStretch] = field(default_factory=list)
    moves: dict[Period, float] = field(default_factory=dict)
    latest: DayRow | None = None
    risen: list[Ranked] = field(default_factory=list)
    fallen: list[Ranked] = field(default_factory=list)
    quality: Quality | None = None
    ranked_day: str = ""
    has_more_rows: bool = False


def shown_rows(chosen: Selection) -> Rows:
    """Return the quotes that the chart is drawn from, newest first."""
    table = chosen.table
    is_shown = table.marked(chosen.rows())
    found: Rows = table.newest_first[is_shown[table.newest_first]]
    return found


def select_view(table: PriceTable, query: PriceQuery) -> Selection:
    """Return the quotes of a query; comparisons of years show all of them by default."""
    if query.view in _LONG_VIEWS:
        return select(table, query, _ALL_DAYS)
    return select(table, query)


def series_view(chosen: Selection, t: Text, most_rows: int | None = MOST_ROWS) -> SeriesView:
    """Return the view of a choice with at least one day; its table has the newest days."""
    table, query = chosen.table, chosen.query
    key = (chosen.commodity, query.province, query.city, query.kind)
    region = whole_region(table, key, chosen.region).between(chosen.first, chosen.last)
    own = None if chosen.entity is None else daily_prices(table, chosen.own)
    shown = Shown(region, own)
    quoted = quoted_rows(chosen)
    rows, causes = _day_rows(chosen, shown, quoted)
    gaps = stretches(causes, chosen.first)
    newest = daily_prices(table, _near_newest(chosen))
    risen, fallen = _largest(chosen, newest)
    compared = newest if own is None else own
    return SeriesView(
        chosen,
        chart_of(chosen, shown, causes, t),
        rows[::-1][:most_rows],
        gaps[::-1],
        {p: float(median_moves(compared, p, chosen.last, chosen.last)[0][0]) for p in PERIODS},
        rows[-1],
        risen,
        fallen,
        _quality(chosen, quoted),
        iso_day(chosen.last),
        most_rows is not None and len(rows) > most_rows,
    )


def _near_newest(chosen: Selection) -> Rows:
    """Return the region's quotes of the newest day, and of the days that it is compared with."""
    days = chosen.table.day[chosen.region]
    is_near = np.zeros(len(days), dtype=bool)
    for first, last in _NEAR_NEWEST:
        is_near |= (days >= chosen.last - first) & (days <= chosen.last - last)
    found: Rows = chosen.region[is_near]
    return found


def chart_of(chosen: Selection, figures: Shown, causes: list[Cause], t: Text) -> Chart:
    """Return the chart of a choice."""
    query = chosen.query
    places = iso_days(chosen.first, chosen.last)
    shown: list[Cause] = []
    match query.view:
        case "series":
            lines, shown = series_lines(chosen, figures, t), causes
        case "moves":
            lines = move_lines(chosen, t)
        case "years":
            places, lines = year_lines(chosen, figures, t)
        case "festival":
            places, lines = festival_lines(chosen, figures, t)
    names: dict[str, str] = {
        cause: t(f"prices.cause_{cause}") for cause in sorted(set(shown) - {""})
    }
    texts = {name: t(f"prices.{name}") for name in ("band", "entities_shown", "missing", "firms")}
    label = t("prices.chart_label", title=title_of(chosen, t), first=places[0], last=places[-1])
    unit = t(f"prices.unit_{query.unit}")
    return Chart(title_of(chosen, t), label, unit, places, lines, shown, names, texts)


def title_of(chosen: Selection, t: Text) -> str:
    """Return what is shown, in words."""
    query = chosen.query
    place = query.city if query.city.startswith(query.province) else query.province + query.city
    parts = [query.entity or place or t("prices.whole"), chosen.commodity or t("prices.unnamed")]
    return " ".join(filter(None, parts))


def _day_rows(chosen: Selection, shown: Shown, quoted: Rows) -> tuple[list[DayRow], list[Cause]]:
    region, own = shown.region, shown.own
    if own is None or chosen.entity is None:
        prices = (region.median, region.lowest, region.highest)
        link = point_link(chosen, "")
    else:
        columns = ("price", "low", "high")
        prices = tuple(on_calendar(own, chosen.first, chosen.last, name) for name in columns)  # type: ignore[assignment]
        link = point_link(chosen, chosen.table.series[chosen.entity].name)
    has_price = ~np.isnan(prices[0])
    causes = Evidence(chosen.table, quoted).causes(has_price, chosen.first)
    figures = [*prices, region.median, region.lower, region.upper]
    listed = zip(*(column.tolist() for column in figures), region.entities.tolist(), strict=True)
    rows = []
    for number, (price, low, high, median, lower, upper, entities) in enumerate(listed):
        day = iso_day(chosen.first + number)
        where = link.replace(DAY, day) if has_price[number] else ""
        rows.append(
            DayRow(day, price, low, high, median, lower, upper, entities, causes[number], where)
        )
    return rows, causes


def quoted_rows(chosen: Selection) -> Rows:
    """Return the positions of all quotes of a choice on any day, counted or not."""
    table, query = chosen.table, chosen.query
    part = table.slice_of(table.commodities.index(chosen.commodity))
    if chosen.entity is not None:
        own = run_of(table.owner[part], chosen.entity)
        part = slice(part.start + own.start, part.start + own.stop)
    is_shown = table.is_standing[table.article[part]]
    if chosen.entity is None and (query.province or query.city):
        is_shown &= owners_in(table, query.province, query.city)[table.owner[part]]
    rows: Rows = np.flatnonzero(is_shown) + part.start
    return rows


def _quality(chosen: Selection, quoted: Rows) -> Quality:
    table = chosen.table
    shown = chosen.between(quoted, chosen.first, chosen.last)
    articles = table.articles_of(shown)
    fetched = int(table.articles.fetched_at[articles].max()) if len(articles) else 0
    return Quality(
        len(shown),
        int(np.count_nonzero(table.flag[shown])),
        int(np.count_nonzero(~table.is_known[shown])),
        iso_day(chosen.last),
        datetime.fromtimestamp(fetched / 1000, UTC) if fetched else None,
    )


def _largest(chosen: Selection, daily: DailyPrices) -> tuple[list[Ranked], list[Ranked]]:
    """Return the entities quoted on the newest day that rose and fell most against the day before."""
    moves = newest_moves(daily)
    change = moves.change["day"]
    places = np.flatnonzero((daily.day[moves.newest] == chosen.last) & ~np.isnan(change))
    order = places[np.argsort(change[places], kind="stable")]
    rising, falling = order[::-1][:RANKED], order[:RANKED]
    return (
        [ranked(chosen, daily, moves, int(place)) for place in rising if change[place] > 0],
        [ranked(chosen, daily, moves, int(place)) for place in falling if change[place] < 0],
    )


def ranked(chosen: Selection, daily: DailyPrices, moves: Moves, place: int) -> Ranked:
    """Return one entity of the newest moves."""
    position = int(moves.newest[place])
    series = chosen.table.series[int(daily.owner[position])]
    day = iso_day(int(daily.day[position]))
    return Ranked(
        series.name,
        "".join(dict.fromkeys(filter(None, series.place[:2]))),
        day,
        float(daily.price[position]),
        {period: float(values[place]) for period, values in moves.change.items()},
        {period: float(values[place]) for period, values in moves.ratio.items()},
        point_link(chosen, series.name).replace(DAY, day),
    )


@dataclass(frozen=True, slots=True)
class Options:
    """What the form of the choices offers."""

    commodities: list[str]
    provinces: list[str]
    cities: list[str]
    entities: list[str]


def options(table: PriceTable, commodity: str, province: str, city: str) -> Options:
    """Return the choices for a commodity: its provinces, cities and entities, most quoted first."""
    key = ("options", commodity, province, city)
    return table.summed(key, lambda: _options(table, commodity, province, city))


def _options(table: PriceTable, commodity: str, province: str, city: str) -> Options:
    if commodity not in table.commodities:
        return Options(table.commodities[:_OPTIONS], [], [], [])
    part = table.slice_of(table.commodities.index(commodity))
    counts = np.bincount(table.owner[part][table.is_counted[part]], minlength=len(table.series))
    provinces: Counter[str] = Counter()
    cities: Counter[str] = Counter()
    entities: Counter[str] = Counter()
    for number in np.flatnonzero(counts):
        one, quotes = table.series[number], int(counts[number])
        provinces[one.place.province] += quotes
        if province in ("", one.place.province):
            cities[one.place.city] += quotes if province else 0
            if city in ("", one.place.city):
                entities[one.name] += quotes
    named = [
        [name for name, number in found.most_common(_OPTIONS) if name and number]
        for found in (provinces, cities, entities)
    ]
    return Options(table.commodities[:_OPTIONS], *named)
