"""Native line charts over columns of a sheet."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
from openpyxl.chart import LineChart, Reference
from openpyxl.chart.axis import ChartLines, DateAxis
from openpyxl.chart.legend import Legend
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, ParagraphProperties

from focuscrawl.reports.sheets.worksheets import Sheet

Dash = Literal["solid", "sysDash", "dash", "lgDash", "sysDot"]
WIDTH_CM, HEIGHT_CM = 16, 13
LINE_WIDTH_EMU = 22_225
SHORT_SPAN_DAYS = 120
MAX_TICKS = 8
# Colours that colour-blind readers tell apart (Okabe and Ito 2008), without yellow and black; the
# lines of a colour have different dashes in black and white.
LINES: tuple[tuple[str, Dash], ...] = (
    ("0072B2", "solid"),
    ("D55E00", "sysDash"),
    ("009E73", "dash"),
    ("CC79A7", "solid"),
    ("E69F00", "lgDash"),
    ("56B4E9", "sysDot"),
)
"""Colour and dash of each line of a chart: a chart has no more lines than these."""


def price_chart(
    sheet: Sheet,
    title: str,
    date_column: int,
    price_columns: range,
    dates: pd.DatetimeIndex,
    lowest_price: float,
) -> LineChart:
    """Return a chart of price columns (yuan per ton) against a date column of the same sheet.

    Columns count from 1 and have their header in row 1; ``dates`` has the values of the date column.
    The price axis starts a little below ``lowest_price``: Excel would start it at zero, where changes
    of a few per cent are invisible.
    """
    chart, last_row = LineChart(), len(dates) + 1
    _set_title(chart, title)
    chart.width, chart.height = WIDTH_CM, HEIGHT_CM
    prices = Reference(
        sheet,
        min_col=price_columns.start,
        max_col=price_columns.stop - 1,
        min_row=1,
        max_row=last_row,
    )
    chart.add_data(prices, titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=date_column, min_row=2, max_row=last_row))
    chart.legend = Legend(legendPos="b")
    chart.display_blanks = "span"
    chart.visible_cells_only = False
    _set_date_axis(chart, (dates.max() - dates.min()).days)
    _set_price_axis(chart, lowest_price)
    for series, (colour, dash) in zip(chart.series, LINES, strict=False):
        series.smooth = False
        series.marker.symbol = "none"
        line = LineProperties(w=LINE_WIDTH_EMU, solidFill=colour, prstDash=dash)
        series.graphicalProperties = GraphicalProperties(ln=line)
    return chart


def _set_title(chart: LineChart, text: str) -> None:
    chart.title = text
    title: Any = chart.title
    title.overlay = False
    font = CharacterProperties(sz=1200, b=True)
    for paragraph in title.tx.rich.paragraphs:
        paragraph.pPr = ParagraphProperties(defRPr=font)
        for run in paragraph.r:
            run.rPr = font


def _set_date_axis(chart: LineChart, span_days: int) -> None:
    axis = DateAxis(crossAx=100, baseTimeUnit="days", tickLblPos="low")
    axis.delete = False
    if span_days > SHORT_SPAN_DAYS:
        axis.number_format, axis.majorTimeUnit = "yyyy-mm", "months"
        axis.majorUnit = 1 + span_days // (30 * MAX_TICKS)
    else:
        axis.number_format, axis.majorTimeUnit = "mm-dd", "days"
        axis.majorUnit = 1 + span_days // MAX_TICKS
    chart.x_axis = axis


def _set_price_axis(chart: LineChart, lowest_price: float) -> None:
    chart.y_axis.crossAx = 500
    chart.y_axis.title = "元/吨"
    chart.y_axis.number_format = "#,##0"
    chart.y_axis.scaling.min = max(0.0, lowest_price * 0.98 // 50 * 50)
    chart.y_axis.delete = False
    light = GraphicalProperties(ln=LineProperties(solidFill="D9D9D9"))
    chart.y_axis.majorGridlines = ChartLines(spPr=light)
