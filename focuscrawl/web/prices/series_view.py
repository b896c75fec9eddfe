"""Everything that the first page of the prices shows, from a choice of quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from focuscrawl.price_statistics.entity_groups import is_futures
from focuscrawl.price_statistics.price_moves import PERIODS, Period, median_moves, move_limits
from focuscrawl.web.alarms.alarm_store import AlarmRule, MoveUnit
from focuscrawl.web.prices.daily_prices import (
    DailyPrices,
    QuotedDays,
    compared_rows,
    daily_prices,
    on_calendar,
    whole_region,
)
from focuscrawl.web.prices.missing_days import Cause, MissingDayEvidence
from focuscrawl.web.prices.price_charts import (
    DAY,
    Chart,
    Shown,
    Text,
    festival_lines,
    holidays,
    iso_day,
    iso_days,
    move_lines,
    point_link,
    quotes_link,
    rounded,
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
    """Chart, table and cards of a choice; ``latest`` is the last day shown with a price."""

    chosen: Selection
    chart: Chart
    rows: list[DayRow] = field(default_factory=list)
    moves: dict[Period, float] = field(default_factory=dict)
    latest: DayRow | None = None
    is_newest: bool = True
    quality: Quality | None = None
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


def series_view(
    chosen: Selection,
    t: Text,
    rules: Sequence[AlarmRule] = (),
    most_rows: int | None = MOST_ROWS,
) -> SeriesView:
    """Return the view of a choice with at least one day; its table has the newest days.

    The chart has the prices at which the rules that watch the choice give an alarm.
    """
    table = chosen.table
    region = whole_region(table, chosen.region_key, chosen.region)
    region = region.between(chosen.first, chosen.last)
    own = None if chosen.entity is None else daily_prices(table, chosen.own.rows)
    shown = Shown(region, own)
    quoted = chosen.quoted_days()
    rows, causes = _day_rows(chosen, shown, quoted)
    priced = (chosen.first + number for number, row in enumerate(rows) if row.price == row.price)
    latest = max(priced, default=chosen.last)
    key = ("newest", chosen.region_key, latest)
    medians = (
        table.summed(key, lambda: _region_medians(chosen, latest))
        if own is None
        else _medians(own, latest)
    )
    is_newest = latest >= int(chosen.quotes.days[-1])
    chart = chart_of(chosen, shown, causes, t)
    if is_newest and chosen.query.view == "series":
        chart.levels.extend(_levels(chosen, shown, rules, t))
    return SeriesView(
        chosen,
        chart,
        rows[::-1][:most_rows],
        medians,
        rows[latest - chosen.first],
        is_newest,
        _quality(chosen, quoted.between(chosen.first, chosen.last)),
        most_rows is not None and len(rows) > most_rows,
    )


def _is_about(rule: AlarmRule, chosen: Selection) -> bool:
    """Return whether a rule watches just what is chosen."""
    query = chosen.query
    if rule.commodity != chosen.commodity or query.moisture:
        return False
    if chosen.entity is not None:
        return bool(rule.entity) and rule.watches(chosen.table.series[chosen.entity])
    return not (rule.entity or query.kind) and rule.region == (query.city or query.province)


def _levels(
    chosen: Selection, shown: Shown, rules: Sequence[AlarmRule], t: Text
) -> Iterator[tuple[str, float]]:
    for rule in rules:
        if not _is_about(rule, chosen):
            continue
        days = chosen.last - rule.days + 1, chosen.last
        if shown.own is None:
            region = whole_region(chosen.table, chosen.region_key, chosen.region)
            prices = region.between(*days).median
        else:
            prices = on_calendar(shown.own, *days)
        is_share = rule.unit is MoveUnit.PERCENT
        limits = np.array(move_limits(prices, rule.amount, is_share=is_share))
        values = {"amount": rule.amount, "unit": t(f"alarms.{rule.unit}"), "days": rule.days}
        for sign, value in zip("−+", rounded(limits, chosen.query.factor), strict=True):
            if value is not None:
                yield t("prices.level", sign=sign, **values), value


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
    texts = {"missing": t("prices.missing")}
    label = t("prices.chart_label", title=title_of(chosen, t), first=places[0], last=places[-1])
    unit = t(f"prices.unit_{query.unit}")
    away = holidays(chosen.first, chosen.last, t) if query.view in ("series", "moves") else []
    return Chart(title_of(chosen, t), label, unit, places, lines, shown, names, texts, away)


def title_of(chosen: Selection, t: Text, *, goods: bool = True, moisture: bool = True) -> str:
    """Return what is shown, in words: its place or entity, and its goods and moisture if they are to be named."""
    query = chosen.query
    place = query.city if query.city.startswith(query.province) else query.province + query.city
    # As it is stored, which may be in other characters.
    own = None if chosen.entity is None else chosen.table.series[chosen.entity].name
    parts = [t("prices.group_futures")] if own and is_futures(own) else []
    parts += [own or query.entity or place or t("prices.whole")]
    parts += [chosen.commodity or t("prices.unnamed")] if goods else []
    parts += [t(f"prices.moisture_{query.moisture}")] if moisture and query.moisture else []
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


def _region_medians(chosen: Selection, day: int) -> dict[Period, float]:
    return _medians(daily_prices(chosen.table, compared_rows(chosen.region, day, day)), day)


def _medians(daily: DailyPrices, day: int) -> dict[Period, float]:
    return {period: float(median_moves(daily, period, day, day)[0][0]) for period in PERIODS}


@dataclass(frozen=True, slots=True)
class Options:
    """What the form of the choices offers."""

    commodities: list[str]
    provinces: list[str]
    cities: list[str]


def options(table: PriceTable, commodity: str, province: str) -> Options:
    """Return the choices for a commodity: its provinces and cities, most quoted first."""
    key = ("options", commodity, province)
    return table.summed(key, lambda: _options(table, commodity, province))


def _options(table: PriceTable, commodity: str, province: str) -> Options:
    if commodity not in table.commodities:
        return Options(table.commodities[:_OPTIONS], [], [])
    part = table.slice_of(table.commodities.index(commodity))
    counts = np.bincount(table.owner[part][table.is_counted[part]], minlength=len(table.series))
    provinces: Counter[str] = Counter()
    cities: Counter[str] = Counter()
    for number in np.flatnonzero(counts):
        one, quotes = table.series[number], int(counts[number])
        provinces[one.place.province] += quotes
        if province in ("", one.place.province):
            cities[one.place.city] += quotes if province else 0
    named = [
        [name for name, number in found.most_common(_OPTIONS) if name and number]
        for found in (provinces, cities)
    ]
    return Options(table.commodities[:_OPTIONS], *named)
