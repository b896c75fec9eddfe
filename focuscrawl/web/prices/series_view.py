"""Everything that the first page of the prices shows, from a choice of quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from focuscrawl.price_statistics.price_moves import (
    PERIODS,
    Moves,
    Period,
    median_moves,
    newest_moves,
)
from focuscrawl.web.prices.daily_prices import (
    DailyPrices,
    QuotedDays,
    compared_rows,
    daily_prices,
    on_calendar,
    whole_region,
)
from focuscrawl.web.prices.missing_days import (
    Cause,
    MissingDayEvidence,
    MissingStretch,
    stretches,
)
from focuscrawl.web.prices.price_charts import (
    DAY,
    Chart,
    Shown,
    Text,
    festival_lines,
    iso_day,
    iso_days,
    move_lines,
    point_link,
    point_links,
    quotes_link,
    series_lines,
    year_lines,
)
from focuscrawl.web.prices.price_query import PriceQuery, Selection, select
from focuscrawl.web.prices.price_table import PriceTable, Rows

MOST_ROWS = 370
RANKED = 8
_ALL_DAYS = 20_000
_LONG_VIEWS = ("years", "festival")
_OPTIONS = 300


@dataclass(frozen=True, slots=True)
class Quality:
    """How far the quotes of a choice can be trusted; ``link`` leads to the flagged ones."""

    quotes: int
    flagged: int
    unknown: int
    link: str
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
class Newest:
    """Changes on a day: the medians by period, and the entities that rose and fell most."""

    medians: dict[Period, float]
    risen: list[Ranked]
    fallen: list[Ranked]


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
    """The first page: chart, table, cards and ranking; ``latest`` is the last day shown with a price."""

    chosen: Selection
    chart: Chart
    rows: list[DayRow] = field(default_factory=list)
    gaps: list[MissingStretch] = field(default_factory=list)
    moves: dict[Period, float] = field(default_factory=dict)
    latest: DayRow | None = None
    is_newest: bool = True
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
    region = whole_region(table, chosen.region_key, chosen.region)
    region = region.between(chosen.first, chosen.last)
    own = None if chosen.entity is None else daily_prices(table, chosen.own.rows)
    shown = Shown(region, own)
    quoted = chosen.quoted_days()
    rows, causes = _day_rows(chosen, shown, quoted)
    gaps = stretches(causes, chosen.first)
    priced = (chosen.first + number for number, row in enumerate(rows) if row.price == row.price)
    latest = max(priced, default=chosen.last)
    key = ("newest", chosen.region_key, latest, query.unit)
    newest = table.summed(key, lambda: _newest(replace(chosen, last=latest)))
    medians = newest.medians if own is None else _medians(own, latest)
    return SeriesView(
        chosen,
        chart_of(chosen, shown, causes, t),
        rows[::-1][:most_rows],
        gaps[::-1],
        medians,
        rows[latest - chosen.first],
        latest >= int(chosen.quotes.days[-1]),
        newest.risen,
        newest.fallen,
        _quality(chosen, quoted.between(chosen.first, chosen.last)),
        iso_day(latest),
        most_rows is not None and len(rows) > most_rows,
    )


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


def _day_rows(
    chosen: Selection, shown: Shown, quoted: QuotedDays
) -> tuple[list[DayRow], list[Cause]]:
    region, own = shown.region, shown.own
    if own is None or chosen.entity is None:
        prices = (region.median, region.lowest, region.highest)
        link = point_link(chosen, "")
    else:
        columns = ("price", "low", "high")
        prices = tuple(on_calendar(own, chosen.first, chosen.last, name) for name in columns)  # type: ignore[assignment]
        link = point_link(chosen, chosen.table.series[chosen.entity].name)
    has_price = ~np.isnan(prices[0])
    causes = MissingDayEvidence(chosen.table, quoted).causes(has_price, chosen.first)
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


def _quality(chosen: Selection, quoted: QuotedDays) -> Quality:
    fetched = int(quoted.fetched_at.max(initial=0))
    return Quality(
        int(quoted.quotes.sum()),
        int(quoted.flagged.sum()),
        int(quoted.unknown.sum()),
        quotes_link(chosen, flag="flagged", **chosen.span),
        datetime.fromtimestamp(fetched / 1000, UTC) if fetched else None,
    )


def _newest(chosen: Selection) -> Newest:
    """Return the changes of the region on the newest day shown."""
    rows = compared_rows(chosen.region, chosen.last, chosen.last)
    daily = daily_prices(chosen.table, rows)
    moves = newest_moves(daily)
    change = moves.change["day"]
    places = np.flatnonzero((daily.day[moves.newest] == chosen.last) & ~np.isnan(change))
    order = places[np.argsort(change[places], kind="stable")].tolist()
    rising = [place for place in order[::-1][:RANKED] if change[place] > 0]
    falling = [place for place in order[:RANKED] if change[place] < 0]
    return Newest(
        _medians(daily, chosen.last),
        ranked(chosen, daily, moves, rising),
        ranked(chosen, daily, moves, falling),
    )


def _medians(daily: DailyPrices, day: int) -> dict[Period, float]:
    return {period: float(median_moves(daily, period, day, day)[0][0]) for period in PERIODS}


def ranked(
    chosen: Selection, daily: DailyPrices, moves: Moves, places: Iterable[int]
) -> list[Ranked]:
    """Return some entities of the newest moves."""
    link = point_links(chosen)
    return [_ranked(chosen.table, daily, moves, place, link) for place in places]


def _ranked(
    table: PriceTable, daily: DailyPrices, moves: Moves, place: int, link: Callable[[str], str]
) -> Ranked:
    position = int(moves.newest[place])
    series = table.series[int(daily.owner[position])]
    day = iso_day(int(daily.day[position]))
    return Ranked(
        series.name,
        "".join(dict.fromkeys(filter(None, series.place[:2]))),
        day,
        float(daily.price[position]),
        {period: float(values[place]) for period, values in moves.change.items()},
        {period: float(values[place]) for period, values in moves.ratio.items()},
        link(series.name).replace(DAY, day),
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
