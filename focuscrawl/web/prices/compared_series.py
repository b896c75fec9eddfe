"""Several series in one chart: entities, regions, goods and classes of moisture, and their comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

import numpy as np

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.price_statistics.price_comparison import compared
from focuscrawl.web.prices.daily_prices import MOST_DAYS, daily_prices, on_calendar, whole_region
from focuscrawl.web.prices.price_charts import (
    DAY,
    Chart,
    ChartLine,
    Text,
    Values,
    holidays,
    iso_days,
    point_link,
    rounded,
)
from focuscrawl.web.prices.price_query import DEFAULT_DAYS, PriceQuery, Selection, select
from focuscrawl.web.prices.price_table import Floats, PriceTable
from focuscrawl.web.prices.series_view import title_of

COMPARED_COLUMNS: Columns = MappingProxyType(
    {"date": date, "series": str, "value": float, "unit": str, "quotes": str}
)


@dataclass(frozen=True, slots=True)
class ComparedSeries:
    """The chart of a comparison, and what each of its series was chosen by.

    ``missing`` are the names of chosen series without a price on the days shown.
    """

    chart: Chart
    chosen: list[Selection]
    names: list[str]
    missing: list[str]


def compared_series(table: PriceTable, query: PriceQuery, t: Text) -> ComparedSeries:
    """Return the comparison of all series that an address names."""
    chosen = [select(table, one) for one in query.each()]
    parts = {"goods": bool(query.goods), "moisture": bool(query.moistures)}
    names = [title_of(one, t, **parts) for one in chosen]
    known = [(one, name) for one, name in zip(chosen, names, strict=True) if not one.is_empty]
    title = t("prices.compared_title", number=len(chosen))
    if query.compare:
        title = f"{title} · {t(f'prices.compare_{query.compare}')}"
    if not known:
        return ComparedSeries(Chart(title, title, "", [], []), chosen, names, names)
    first, last = _days(query, [one for one, _ in known])
    prices = np.array([_prices(one, first, last) for one, _ in known])
    has_any = ~np.isnan(prices).all(axis=1)
    known = [pair for pair, has in zip(known, has_any, strict=True) if has]
    values = compared(prices[has_any], query.compare)
    lines = _lines(known, values, query)
    shown = {name for _, name in known}
    places = iso_days(first, last)
    label = t("prices.chart_label", title=title, first=places[0], last=places[-1])
    unit = t(f"prices.compared_unit_{query.compare}") if query.compare in ("index", "ratio") else ""
    texts, away = {"missing": t("prices.missing")}, holidays(first, last, t)
    unit = unit or t(f"prices.unit_{query.unit}")
    chart = Chart(title, label, unit, places, lines, texts=texts, holidays=away)
    return ComparedSeries(chart, chosen, names, [name for name in names if name not in shown])


def _days(query: PriceQuery, chosen: list[Selection]) -> tuple[int, int]:
    """Return the days that the chart shows: the newest ones of all series, unless chosen."""
    last = max(one.last for one in chosen)
    if query.since:
        return max(min(one.first for one in chosen), last - MOST_DAYS + 1), last
    oldest = min(int(one.quotes.days[0]) for one in chosen)
    return max(oldest, last - DEFAULT_DAYS + 1), last


def _prices(chosen: Selection, first: int, last: int) -> Floats:
    if chosen.entity is not None:
        return on_calendar(daily_prices(chosen.table, chosen.own.rows), first, last)
    region = whole_region(chosen.table, chosen.region_key, chosen.region)
    return region.between(first, last).median


def _lines(
    known: list[tuple[Selection, str]], values: Floats, query: PriceQuery
) -> list[ChartLine]:
    reference = known[0][1] if known else ""
    of_prices = query.compare in ("", "difference")
    factor = query.factor if of_prices else 1.0
    digits = 2 if query.compare == "index" else None if of_prices else 4
    if len(values) < len(known):
        known, sign = known[1:], "−" if query.compare == "difference" else "÷"
        named = [(one, f"{name} {sign} {reference}") for one, name in known]
    else:
        named = known
    return [
        ChartLine(name, "compared", rounded(own, factor, digits), link=_link(one))
        for (one, name), own in zip(named, values, strict=True)
    ]


def _link(chosen: Selection) -> str:
    entity = "" if chosen.entity is None else chosen.table.series[chosen.entity].name
    return point_link(chosen, entity)


def compared_rows(found: ComparedSeries, unit: str, origin: str) -> Iterator[Row]:
    """Yield the values of the chart, by series and day."""
    for line in found.chart.lines:
        for day, value in zip(found.chart.places, line.values, strict=True):
            if value is not None:
                link = origin + line.link.replace(DAY, day)
                yield {"date": date.fromisoformat(day), "series": line.name, "value": value,
                       "unit": unit, "quotes": link}  # fmt: skip


def newest_values(found: ComparedSeries, most: int) -> list[tuple[str, Values]]:
    """Return the newest days of the chart, newest first, with the value of each line."""
    days = [*enumerate(found.chart.places)][::-1][:most]
    return [(day, [line.values[place] for line in found.chart.lines]) for place, day in days]
