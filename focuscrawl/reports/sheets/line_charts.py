"""Native line charts over columns of a sheet."""

from __future__ import annotations

import pandas as pd
from openpyxl.chart import LineChart, Reference
from openpyxl.chart.axis import ChartLines, DateAxis
from openpyxl.chart.legend import Legend
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties

from focuscrawl.reports.sheets.worksheets import Sheet

WIDTH_CM, HEIGHT_CM = 26, 11
HEIGHT_ROWS = 23
LINE_WIDTH_EMU = 19_050
SHORT_SPAN_DAYS = 120
MAX_TICKS = 12


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
    chart.title = title
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
    for series in chart.series:
        series.smooth = False
        series.marker.symbol = "none"
        series.graphicalProperties.line.width = LINE_WIDTH_EMU
    return chart


def _set_date_axis(chart: LineChart, span_days: int) -> None:
    axis = DateAxis(crossAx=100, baseTimeUnit="days", tickLblPos="low")
    axis.title = "日期"
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
