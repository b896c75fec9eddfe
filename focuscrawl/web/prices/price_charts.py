"""Charts of one choice of prices: by day, year on year, from Spring Festival, and moves; for ECharts and as pictures.

Matplotlib is imported when the first picture is drawn.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from focuscrawl.price_statistics.price_moves import COMPARED_DAYS, UNIX_EPOCH, median_moves
from focuscrawl.web.prices.daily_prices import (
    DailyPrices,
    RegionDays,
    calendars,
    daily_prices,
    most_quoted,
    on_calendar,
)
from focuscrawl.web.prices.missing_days import Cause
from focuscrawl.web.prices.price_query import Selection
from focuscrawl.web.prices.price_table import Floats
from focuscrawl.web.query_values import with_query, with_value
from focuscrawl.web.worker_threads import WorkerThreads

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Role = Literal["main", "entity", "firm", "year", "bars", "compared"]
Values = list[float | None]
DAY = "{day}"
"""What stands for the day in the address of a point."""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line with a value, or None, for each place of the axis.

    ``lower`` and ``upper`` are the edges of its band. ``link`` is the address of a point, with ``DAY``
    in it; ``days`` has the day of each place where the axis does not name them.
    """

    name: str
    role: Role
    values: Values
    lower: Values | None = None
    upper: Values | None = None
    link: str = ""
    days: list[str | None] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over one axis, and below it the reason why a place has no value.

    ``label`` is what a screen reader says; ``holidays`` are first and last places with a name, and
    ``levels`` values at which an alarm is given, with their names.
    """

    title: str
    label: str
    unit: str
    places: list[str]
    lines: list[ChartLine]
    causes: Sequence[Cause] = ()
    cause_names: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    holidays: list[tuple[str, str, str]] = field(default_factory=list)
    levels: list[tuple[str, float]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the chart as its script takes it; empty columns are left out."""
        found = {name: getattr(self, name) for name in Chart.__slots__}
        found["lines"] = [
            {name: value for name in ChartLine.__slots__ if (value := getattr(line, name))}
            for line in self.lines
        ]
        return found


def rounded(values: Floats, factor: float, digits: int | None = None) -> Values:
    """Return prices in the chosen unit, rounded as they are shown; None for NaN."""
    found = np.round(values * factor, digits or (1 if factor == 1 else 4))
    shown = found.astype(object)
    shown[np.isnan(found)] = None
    return list(shown.tolist())


def iso_days(first: int, last: int) -> list[str]:
    """Return the days from ``first`` to ``last`` as in 2026-02-28."""
    return [iso_day(number) for number in range(first, last + 1)]


def iso_day(number: int) -> str:
    """Return a day as in 2026-02-28."""
    return date.fromordinal(int(number) + UNIX_EPOCH).isoformat()


# Days of Spring Festival, the first day of the Chinese lunar year.

FIRST_YEAR = 2000
_MONTHS_AND_DAYS = """
    0205 0124 0212 0201 0122 0209 0129 0218 0207 0126
    0214 0203 0123 0210 0131 0219 0208 0128 0216 0205
    0125 0212 0201 0122 0210 0129 0217 0206 0126 0213
    0203 0123 0211 0131 0219 0208 0128 0215 0204 0124
    0212 0201 0122 0210 0130 0217 0206 0126 0214 0202
    0123 0211 0201 0219 0208 0128 0215 0204 0124 0212
    0202
"""
FESTIVALS = tuple(
    date(year, int(text[:2]), int(text[2:]))
    for year, text in enumerate(_MONTHS_AND_DAYS.split(), FIRST_YEAR)
)
"""Spring Festival of each year, 2000 to 2060."""
_NUMBERS = np.array([day.toordinal() - UNIX_EPOCH for day in FESTIVALS], dtype=np.int64)
_FARTHEST = 200


def from_festival(days: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each day (since 1970) the year of the nearest Spring Festival, and the days from it.

    The year is 0 for a day farther than 200 days from every festival that is known.
    """
    numbers = np.asarray(days, dtype=np.int64)
    after = np.clip(np.searchsorted(_NUMBERS, numbers), 1, len(_NUMBERS) - 1)
    is_nearer = numbers - _NUMBERS[after - 1] <= _NUMBERS[after] - numbers
    nearest = np.where(is_nearer, after - 1, after)
    offsets = numbers - _NUMBERS[nearest]
    years = np.where(np.abs(offsets) <= _FARTHEST, nearest + FIRST_YEAR, 0)
    return years, offsets


Text = Callable[..., str]
_HOLIDAYS = 7


def holidays(first: int, last: int, t: Text) -> list[tuple[str, str, str]]:
    """Return the weeks of Spring Festival among some days."""
    begins = [int(day) for day in _NUMBERS if first <= day <= last]
    name = t("prices.festival")
    return [(iso_day(day), iso_day(min(day + _HOLIDAYS - 1, last)), name) for day in begins]


MOST_FIRMS = 30
_MOST_POINTS = 12_000
MOST_YEARS = 6
_FESTIVAL_DAYS = 180
# A leap year, so that every day of any year has a place.
_PLACES = [date.fromordinal(date(2024, 1, 1).toordinal() + n) for n in range(366)]
_LEAP_DAY = 59
_PLACE_OF = {(day.month, day.day): place for place, day in enumerate(_PLACES)}


def point_link(chosen: Selection, entity: str) -> str:
    """Return the address of the quotes of an entity on a day, or of all where it is ''."""
    if entity:
        return point_links(chosen)(entity)
    return f"{quotes_link(chosen, flag='unflagged')}&since={DAY}&until={DAY}"


def quotes_link(chosen: Selection, **values: object) -> str:
    """Return the address of the quotes of a choice, with more values."""
    query = chosen.query
    names = ("province", "city", "kind") if chosen.entity is None else ("entity",)
    own = {name: getattr(query, name) for name in names}
    return with_query("/prices/quotes", **_shared(chosen), **own, **values)


def point_links(chosen: Selection) -> Callable[[str], str]:
    """Return the function from the name of an entity to the address of its quotes on a day."""
    base = with_query("/prices/points", **_shared(chosen))
    return lambda entity: f"{with_value(base, 'entity', entity)}&day={DAY}"


def _shared(chosen: Selection) -> dict[str, object]:
    query = chosen.query
    unit = None if query.unit == "ton" else query.unit
    return {"commodity": chosen.commodity, "unit": unit, "known_on": query.known_on}


@dataclass(frozen=True, slots=True)
class Shown:
    """Figures of the days shown: those of the region, and the prices of the chosen entity if any."""

    region: RegionDays
    own: DailyPrices | None


def series_lines(chosen: Selection, shown: Shown, t: Text) -> list[ChartLine]:
    """Return the median with its band, the chosen entity, and the most quoted ones behind them."""
    values = partial(rounded, factor=chosen.query.factor)
    region = shown.region
    band = (values(region.median), values(region.lower), values(region.upper))
    lines = [ChartLine(t("prices.median"), "main", *band, link=point_link(chosen, ""))]
    if shown.own is not None and chosen.entity is not None:
        name = chosen.table.series[chosen.entity].name
        price, low, high = (
            values(on_calendar(shown.own, chosen.first, chosen.last, column))
            for column in ("price", "low", "high")
        )
        lines.append(ChartLine(name, "entity", price, low, high, point_link(chosen, name)))
    return lines + _firm_lines(chosen, values)


def _firm_lines(chosen: Selection, values: Callable[[Floats], Values]) -> list[ChartLine]:
    table, first, last = chosen.table, chosen.first, chosen.last
    rows = chosen.region.of_days(first, last)
    number = min(MOST_FIRMS, max(3, _MOST_POINTS // (last - first + 1)))
    owners = [one for one in most_quoted(table.owner[rows], number) if one != chosen.entity]
    prices = calendars(table, rows, owners, first, last)
    names = [table.series[owner].name for owner in owners]
    link = point_links(chosen)
    return [
        ChartLine(name, "firm", values(own), link=link(name))
        for name, own in zip(names, prices, strict=True)
    ]


def _compared(chosen: Selection, shown: Shown) -> tuple[Floats, str]:
    """Return the prices by day that years are compared with, and the address of a point."""
    if shown.own is None or chosen.entity is None:
        return shown.region.median, point_link(chosen, "")
    link = point_link(chosen, chosen.table.series[chosen.entity].name)
    return on_calendar(shown.own, chosen.first, chosen.last), link


def year_lines(chosen: Selection, shown: Shown, t: Text) -> tuple[list[str], list[ChartLine]]:
    """Return a line for each of the newest years by the day of the year."""
    prices, link = _compared(chosen, shown)
    days = [date.fromordinal(n + UNIX_EPOCH) for n in range(chosen.first, chosen.last + 1)]
    years = np.array([day.year for day in days])
    places = np.array([_PLACE_OF[day.month, day.day] for day in days])
    lines = _lines_by_year(chosen, prices, years, places, len(_PLACES), link, t, "prices.year")
    names = [f"{day:%m-%d}" for day in _PLACES]
    if all(line.values[_LEAP_DAY] is None for line in lines):
        # No gap for a day that these years lack.
        del names[_LEAP_DAY]
        for line in lines:
            del line.values[_LEAP_DAY]
            if line.days:
                del line.days[_LEAP_DAY]
    return _trimmed(names, lines)


def festival_lines(chosen: Selection, shown: Shown, t: Text) -> tuple[list[str], list[ChartLine]]:
    """Return a line for each of the newest years by the days from Spring Festival."""
    prices, link = _compared(chosen, shown)
    years, away = from_festival(np.arange(chosen.first, chosen.last + 1))
    is_near = (years > 0) & (np.abs(away) <= _FESTIVAL_DAYS)
    places = np.where(is_near, away + _FESTIVAL_DAYS, -1)
    number = 2 * _FESTIVAL_DAYS + 1
    lines = _lines_by_year(chosen, prices, years, places, number, link, t, "prices.festival_year")
    offsets = range(-_FESTIVAL_DAYS, _FESTIVAL_DAYS + 1)
    return _trimmed([f"{n:+d}" if n else "0" for n in offsets], lines)


def _trimmed(places: list[str], lines: list[ChartLine]) -> tuple[list[str], list[ChartLine]]:
    """Leave out the places before the first and after the last value."""
    known = [n for line in lines for n, value in enumerate(line.values) if value is not None]
    part = slice(min(known, default=0), max(known, default=0) + 1)
    shown = [
        replace(line, values=line.values[part], days=line.days and line.days[part])
        for line in lines
    ]
    return places[part], shown


def _lines_by_year(
    chosen: Selection,
    prices: Floats,
    years: np.ndarray[tuple[int], np.dtype[np.int64]],
    places: np.ndarray[tuple[int], np.dtype[np.int64]],
    number: int,
    link: str,
    t: Text,
    name: str,
) -> list[ChartLine]:
    lines: list[ChartLine] = []
    has_price = ~np.isnan(prices) & (places >= 0)
    for year in sorted({int(year) for year in years[has_price]}, reverse=True)[:MOST_YEARS]:
        own = np.flatnonzero((years == year) & has_price)
        values = np.full(number, np.nan)
        values[places[own]] = prices[own]
        days: list[str | None] = [None] * number
        for place in own:
            days[places[place]] = iso_day(chosen.first + int(place))
        shown = rounded(values, chosen.query.factor)
        role: Role = "year" if lines else "main"
        lines.append(ChartLine(t(name, year=year), role, shown, link=link, days=days))
    return lines


def move_lines(chosen: Selection, t: Text) -> list[ChartLine]:
    """Return the median change of the entities, or that of the chosen one, day by day."""
    daily = daily_prices(chosen.table, chosen.rows(COMPARED_DAYS[chosen.query.period]))
    name = "" if chosen.entity is None else chosen.table.series[chosen.entity].name
    moves, _ = median_moves(daily, chosen.query.period, chosen.first, chosen.last)
    shown = rounded(moves, chosen.query.factor)
    title = t(f"prices.move_{chosen.query.period}")
    return [ChartLine(title, "bars", shown, link=point_link(chosen, name))]


# Charts as pictures, for pages without JavaScript and for reports. Needs matplotlib.

# The colours of the style sheet.
_COLOURS = ("#0b57a4", "#c04a00", "#007a5e", "#9a3f7b", "#6b5a00", "#444444")
_UP, _DOWN, _FIRM, _RULE, _DIM = "#b04a00", "#00608f", "#8d8a80", "#d9d6cc", "#5d5b54"
_CAUSES: dict[Cause, str] = {
    "flagged": "#d8a800",
    "incomplete": "#cc79a7",
    "unquoted": "#56b4e9",
    "unpublished": "#b9b5a8",
    "down": "#b03a00",
    "uncrawled": "#333333",
    "unknown": "#7d7a72",
}
_FONTS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei", "Noto Serif CJK SC")
_WIDTH, _HEIGHT, _DPI = 11.0, 4.8, 110
_MOST_TICKS = 8
_MARKED = 62
picture_threads = WorkerThreads(1, "chart-pictures")
"""The thread that draws pictures, for which pages do not wait."""


def picture_of(chart: Chart) -> bytes:
    """Return a chart as PNG."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"font.family": _fonts(), "axes.unicode_minus": False, "font.size": 11}):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DPI, layout="constrained")
        FigureCanvasAgg(figure)
        has_strip = bool(chart.cause_names)
        heights = [16, 1] if has_strip else [1]
        axes = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights, squeeze=False)
        _draw_lines(axes[0, 0], chart)
        if has_strip:
            _draw_strip(axes[1, 0], chart)
        _name_places(axes[-1, 0], chart)
        out = io.BytesIO()
        # Without the names of programs and versions, equal data give equal pictures.
        figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


@cache
def _fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    return [name for name in _FONTS if name in known] + ["DejaVu Sans"]


def _draw_lines(axes: Axes, chart: Chart) -> None:
    number = 0
    for line in chart.lines:
        if line.role == "firm":
            places = [place for place, value in enumerate(line.values) if value is not None]
            own = [value for value in line.values if value is not None]
            marks: dict[str, Any] = {"marker": "o", "markersize": 1.5, "alpha": 0.55}
            axes.plot(places, own, color=_FIRM, linewidth=0.6, zorder=1, **marks)
        elif line.role == "bars":
            _draw_bars(axes, line)
        else:
            _draw_line(axes, line, number)
            number += 1
    for name, value in chart.levels:
        axes.axhline(value, color=_UP, linewidth=1, linestyle="--")
        axes.annotate(
            name, (0, value), color=_UP, fontsize=9, xytext=(4, 3), textcoords="offset points"
        )
    axes.set_title(_shown(chart.title), loc="left", fontsize=12)
    axes.set_ylabel(chart.unit, color=_DIM)
    axes.grid(axis="y", color=_RULE)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    if any(line.role not in ("firm", "bars") for line in chart.lines):
        is_below = number > len(_COLOURS)
        where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, -0.08), "fontsize": 8}
        axes.legend(frameon=False, ncols=5 if is_below else 3, **(where if is_below else {}))


def _draw_line(axes: Axes, line: ChartLine, number: int) -> None:
    colour = _COLOURS[number % len(_COLOURS)]
    values = _drawn(line.values)
    style = "-" if line.role != "year" else ("--", ":", "-.")[number % 3]
    if line.role == "compared":
        style = ("-", "--", ":", "-.")[number // len(_COLOURS) % 4]
    known = [place for place, value in enumerate(line.values) if value is not None]
    width = 2.0 if line.role != "year" else 1.4
    # Every value has a mark; days without one are joined by a thin line.
    shared: dict[str, Any] = {"color": colour, "zorder": 4 - number / 100}
    marks: dict[str, Any] = {"marker": "o", "markersize": 3 if len(known) < _MARKED else width}
    axes.plot(known, [values[n] for n in known], linewidth=0.6, linestyle="--", **shared)
    axes.plot(values, linewidth=width, linestyle=style, label=_shown(line.name), **shared, **marks)
    if line.lower and line.upper:
        places = range(len(values))
        edges = _drawn(line.lower), _drawn(line.upper)
        axes.fill_between(places, *edges, color=colour, alpha=0.16, linewidth=0, zorder=2)


def _draw_bars(axes: Axes, line: ChartLine) -> None:
    values = [value or 0.0 for value in line.values]
    colours = [_UP if value >= 0 else _DOWN for value in values]
    axes.bar(range(len(values)), values, color=colours, label=_shown(line.name))


def _draw_strip(axes: Axes, chart: Chart) -> None:
    for cause, name in chart.cause_names.items():
        days = [place for place, own in enumerate(chart.causes) if own == cause]
        hatch = "////" if cause == "unknown" else None
        axes.bar(days, 1, width=1, color=_CAUSES[cause], label=name, hatch=hatch)  # type: ignore[index]
    axes.set_yticks([])
    axes.set_ylim(0, 1)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(0, -1.6), frameon=False, ncols=7, fontsize=10)


def _name_places(axes: Axes, chart: Chart) -> None:
    step = max(1, math.ceil(len(chart.places) / _MOST_TICKS))
    ticks = range(0, len(chart.places), step)
    axes.set_xticks(list(ticks), [chart.places[place] for place in ticks])
    axes.tick_params(axis="x", length=3, colors=_DIM)


def _drawn(values: Values) -> list[float]:
    return [math.nan if value is None else value for value in values]


def _shown(text: str) -> str:
    """Return a text that matplotlib takes for no formula, and that has no leading mark of its own."""
    return text.replace("$", r"\$").lstrip("_")
