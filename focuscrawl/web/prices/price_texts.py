"""Prices, changes and days as they are written on the pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

from focuscrawl.web.prices.price_charts import iso_day
from focuscrawl.web.prices.price_query import JIN_A_TON, PriceQuery, Selection, Unit
from focuscrawl.web.prices.series_view import DayRow

MINUS = "−"
NOTHING = "—"


def price_text(value: float, unit: Unit) -> str:
    """Return a price in yuan per ton as written in a unit.

    >>> price_text(1583.333, "ton"), price_text(1544, "jin"), price_text(float("nan"), "ton")
    ('1,583.3', '0.772', '—')
    """
    if not math.isfinite(value):
        return NOTHING
    if unit == "ton":
        text = f"{value:,.1f}"
        return text.removesuffix(".0")
    return _trimmed(f"{value / JIN_A_TON:,.4f}")


def change_text(value: float, unit: Unit) -> str:
    """Return a change of a price with its sign.

    >>> change_text(-20, "ton"), change_text(0, "ton"), change_text(10, "jin")
    ('−20', '0', '+0.005')
    """
    if not math.isfinite(value):
        return NOTHING
    text = price_text(abs(value), unit)
    if text in ("0", "0.000"):
        return "0"
    return f"{'+' if value > 0 else MINUS}{text}"


def ratio_text(value: float) -> str:
    """Return a share as per cent with its sign.

    >>> ratio_text(0.0123), ratio_text(-0.5), ratio_text(0)
    ('+1.2%', '−50.0%', '0.0%')
    """
    if not math.isfinite(value):
        return NOTHING
    text = f"{abs(value):.1%}"
    return text if text == "0.0%" else f"{'+' if value > 0 else MINUS}{text}"


def share_text(part: int, whole: int) -> str:
    """Return a share as per cent."""
    return f"{part / whole:.1%}" if whole else NOTHING


def range_text(low: float, high: float, unit: Unit) -> str:
    """Return a range of prices, or the price where both ends are one."""
    ends = price_text(low, unit), price_text(high, unit)
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def arrow(value: float) -> str:
    """Return the sign that distinguishes a rise from a fall without colour."""
    return "▲" if value > 0 else "▼" if value < 0 else ""


def change_span(value: float, unit: Unit) -> Markup:
    """Return a change of a price as it stands on a page, with its arrow and colour."""
    direction = "up" if value > 0 else "down" if value < 0 else ""
    return Markup(f'<span class="{direction}">{arrow(value)} {change_text(value, unit)}</span>')


_BARS = "▁▂▃▄▅▆▇█"


def trend_text(values: Iterable[float]) -> str:
    """Return prices as bars from the lowest to the highest one, a space where there is none.

    >>> trend_text([2000.0, math.nan, 2010.0, 2005.0])
    '▁ █▄'
    """
    shown = list(values)
    known = [one for one in shown if one == one]
    low, size = min(known, default=0.0), (max(known, default=0.0) - min(known, default=0.0)) or 1.0
    last = len(_BARS) - 1
    return "".join(" " if one != one else _BARS[int((one - low) / size * last)] for one in shown)


def day_rows(rows: Iterable[DayRow], query: PriceQuery, t: Callable[[str], str]) -> Markup:
    """Return the rows of the table beneath the chart; a template takes three times as long for them."""
    return Markup("\n").join(_day_row(row, query, t) for row in rows)


def _day_row(row: DayRow, query: PriceQuery, t: Callable[[str], str]) -> Markup:
    unit = query.unit
    region = [price_text(row.median, unit), range_text(row.lower, row.upper, unit)]
    if row.cause:
        why = (
            f'<span class="cause cause-{row.cause}"></span>{escape(t(f"prices.cause_{row.cause}"))}'
        )
        first = f'<td colspan="{2 if query.entity else 4}" class="dim">{why}</td>'
        cells = [*region, row.entities] if query.entity else []
    else:
        boost = ' hx-boost="false"' if query.entity else ""
        link = f'<a href="{escape(row.link)}"{boost}>{price_text(row.price, unit)}</a>'
        first = f'<td class="n">{link}</td>'
        range_ = range_text(row.low, row.high, unit)
        cells = (
            [range_, *region, row.entities] if query.entity else [region[1], range_, row.entities]
        )
    rest = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    return Markup(f'<tr><td class="d">{row.day}</td>{first}{rest}</tr>')


def stretch_text(stretch: Selection) -> str:
    """Return the first and the last of some days."""
    first, last = iso_day(stretch.first), iso_day(stretch.last)
    return first if first == last else f"{first} – {last[5:] if first[:4] == last[:4] else last}"


def days_before(last: int, number: int) -> str:
    """Return the first of a number of days that end with a day."""
    return iso_day(last - number + 1)


def _trimmed(text: str) -> str:
    """Return a number of four decimals without a zero in the fourth place."""
    return text[:-1] if text.endswith("0") else text
