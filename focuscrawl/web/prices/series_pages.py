"""First page of the prices, as a page and as data."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from datetime import date
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.prices.missing_days import Cause
from focuscrawl.web.prices.price_charts import Chart, ChartLine, Values
from focuscrawl.web.prices.price_query import PriceQuery, Selection
from focuscrawl.web.prices.price_requests import (
    Rendered,
    cached,
    file_routes,
    json_rendered,
    price_query,
    provenance,
    rendered_page,
    shared_values,
    text_of,
    with_table,
)
from focuscrawl.web.prices.price_table import PriceTable
from focuscrawl.web.prices.quote_pages import QUOTE_COLUMNS, quote_rows
from focuscrawl.web.prices.series_view import (
    select_view,
    series_view,
    shown_rows,
    title_of,
)
from focuscrawl.web.web_site import origin_of
from focuscrawl.web.worker_threads import WorkerThreads

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
            axes.plot(_drawn(line.values), color=_FIRM, linewidth=0.6, alpha=0.55, zorder=1)
        elif line.role == "bars":
            _draw_bars(axes, line)
        else:
            _draw_line(axes, line, number)
            number += 1
    axes.set_title(_shown(chart.title), loc="left", fontsize=12)
    axes.set_ylabel(chart.unit, color=_DIM)
    axes.grid(axis="y", color=_RULE)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    if any(line.role not in ("firm", "bars") for line in chart.lines):
        axes.legend(loc="upper right", frameon=False, ncols=3)


def _draw_line(axes: Axes, line: ChartLine, number: int) -> None:
    colour = _COLOURS[number % len(_COLOURS)]
    values = _drawn(line.values)
    style = "-" if line.role != "year" else ("--", ":", "-.")[number % 3]
    is_short = sum(value is not None for value in line.values) < _MARKED
    shared: dict[str, Any] = {"color": colour, "zorder": 4 - number / 10, "linestyle": style}
    marks: dict[str, Any] = {"marker": "o", "markersize": 3} if is_short else {}
    width = 2.0 if line.role != "year" else 1.4
    axes.plot(values, linewidth=width, label=_shown(line.name), **shared, **marks)
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


SPANS = (30, 90, 180, 365)
DAY_COLUMNS: Columns = MappingProxyType(
    {
        "date": date,
        "commodity": str,
        "region": str,
        "entity": str,
        "price": float,
        "low": float,
        "high": float,
        "median": float,
        "lower_tenth": float,
        "upper_tenth": float,
        "entities": int,
        "unit": str,
        "missing_because": str,
        "quotes": str,
    }
)


async def prices(request: Request, table: PriceTable) -> Response:
    """Show the prices of a choice."""
    query = price_query(request)
    return await cached(request, table, partial(_page, request, table, query))


def _page(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    t = text_of(request)
    chosen = select_view(table, query)
    values: dict[str, Any] = shared_values(request, chosen) | {"view": None, "spans": SPANS}
    if not chosen.is_empty:
        view = series_view(chosen, t)
        values |= {"view": view, "chart": view.chart.as_json()}
    return rendered_page(request, "prices/series.html", values)


def _exported(request: Request, table: PriceTable) -> tuple[Iterator[Row], Columns]:
    query = price_query(request)
    chosen = select_view(table, query)
    if query.rows == "days":
        return day_rows(request, chosen), DAY_COLUMNS
    origin = origin_of(request)
    return quote_rows(table, shown_rows(chosen), query, origin), QUOTE_COLUMNS


def day_rows(request: Request, chosen: Selection) -> Iterator[Row]:
    """Yield the days of the table beneath the chart."""
    if chosen.is_empty:
        return
    query = chosen.query
    # All days, however many the page shows.
    view = series_view(chosen, text_of(request), most_rows=None)
    digits = query.digits
    for row in view.rows:
        prices = (row.price, row.low, row.high, row.median, row.lower, row.upper)
        figures = [None if one != one else round(one * query.factor, digits) for one in prices]
        link = origin_of(request) + row.link if row.link else None
        values = (
            date.fromisoformat(row.day),
            chosen.commodity,
            query.province + query.city,
            query.entity,
            *figures,
            row.entities,
            query.unit_name,
            row.cause,
            link,
        )
        yield dict(zip(DAY_COLUMNS, values, strict=True))


async def prices_json(request: Request, table: PriceTable) -> Response:
    """Return the days of a choice with their provenance."""
    query = price_query(request)
    return await cached(request, table, partial(_json, request, table, query))


def _json(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    chosen = select_view(table, query)
    found: dict[str, Any] = {"provenance": provenance(request, chosen)}
    found["days"] = list(day_rows(request, chosen))
    view = None if chosen.is_empty else series_view(chosen, text_of(request))
    found["chart"] = view.chart.as_json() if view else None
    return json_rendered(found)


async def prices_png(request: Request, table: PriceTable) -> Response:
    """Return the chart of a choice as a picture."""
    query = price_query(request)
    make = partial(_png, request, table, query)
    return await cached(request, table, make, worker=picture_threads.run)


def _png(request: Request, table: PriceTable, query: PriceQuery) -> Rendered:
    t = text_of(request)
    chosen = select_view(table, query)
    title = title_of(chosen, t)
    empty = Chart(title, title, t(f"prices.unit_{query.unit}"), [], [])
    chart = empty if chosen.is_empty else series_view(chosen, t).chart
    return Rendered(picture_of(chart), "image/png")


ROUTES = (
    PageRoute("/prices.png", with_table(prices_png), Permission.READ),
    PageRoute("/prices", with_table(prices), Permission.READ),
    *file_routes("/prices", _exported, "prices.quotes_title"),
    PageRoute("/prices.json", with_table(prices_json), Permission.EXPORT),
)
