"""Native line charts over columns of a sheet."""

from __future__ import annotations

from openpyxl.chart import LineChart, Reference
from openpyxl.chart.axis import ChartLines, DateAxis
from openpyxl.chart.legend import Legend
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties

from focuscrawl.reports.sheets import Sheet

WIDTH_CM, HEIGHT_CM = 26, 11
HEIGHT_ROWS = 23
LINE_WIDTH_EMU = 19_050


def price_chart(
    sheet: Sheet,
    title: str,
    date_column: int,
    price_columns: range,
    last_row: int,
    lowest_price: float,
) -> LineChart:
    """Return a chart of price columns (yuan per ton) against a date column of the same sheet.

    Columns count from 1 and have their header in row 1. The price axis starts a little below
    ``lowest_price``: Excel would start it at zero, where movements of a few per cent cannot be seen.
    """
    chart = LineChart()
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
    _set_axes(chart, lowest_price)
    for series in chart.series:
        series.smooth = False
        series.marker.symbol = "none"
        series.graphicalProperties.line.width = LINE_WIDTH_EMU
    return chart


def _set_axes(chart: LineChart, lowest_price: float) -> None:
    chart.x_axis = DateAxis(crossAx=100)
    chart.x_axis.number_format = "yyyy-mm-dd"
    chart.x_axis.title = "日期"
    chart.x_axis.tickLblPos = "low"
    chart.x_axis.delete = False
    chart.y_axis.crossAx = 500
    chart.y_axis.title = "元/吨"
    chart.y_axis.number_format = "#,##0"
    chart.y_axis.scaling.min = max(0.0, lowest_price * 0.98 // 50 * 50)
    chart.y_axis.delete = False
    light = GraphicalProperties(ln=LineProperties(solidFill="D9D9D9"))
    chart.y_axis.majorGridlines = ChartLines(spPr=light)
