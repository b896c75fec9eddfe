"""The sheet 走势: changes of each price, with charts of entities and regional indices beside them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from itertools import zip_longest
from typing import Any, Literal

import pandas as pd
from openpyxl.chart import LineChart, Reference
from openpyxl.chart.axis import ChartLines, DateAxis
from openpyxl.chart.legend import Legend
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, ParagraphProperties
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter

from focuscrawl.price_statistics.price_index import CARRY_DAYS, WHOLE
from focuscrawl.price_statistics.price_jumps import MAX_FACTOR, NEAREST, NEAREST_DAYS
from focuscrawl.price_statistics.price_moves import PERIODS, TOLERANCE_DAYS
from focuscrawl.price_statistics.price_trends import change_since
from focuscrawl.reports.price_figures import PriceFigures, PriceTrends
from focuscrawl.reports.sheets.price_matrix_sheet import UNNAMED_COMMODITY
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import (
    CHANGE_FORMAT,
    DATE_FORMAT,
    FALL_COLOUR,
    RATIO_FORMAT,
    RISE_COLOUR,
    Sheet,
    set_up_page,
)

# Native line charts over columns of a sheet.

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


MOVEMENTS_TITLE = "走势"
INDEX_NAME = "地区指数"
"""Name in the column of entities of the rows of indices, which come last."""
MAX_REGIONS = 40
PERIOD_TITLES = {
    "day": ("较前日", "日环比"),
    "week": ("较上周", "周环比"),
    "month": ("较上月", "月环比"),
    "year": ("较上年", "同比"),
}
# The charts lie over empty columns between the table and their data.
CHART_COLUMNS = 9
CHART_ROWS = 26
PRINTED_ROWS = 2 * CHART_ROWS + 1


def write_movements(sheet: Sheet, figures: PriceFigures, trends: PriceTrends) -> list[str]:
    """Write the table of all commodities and indices, and the charts of the first; return notes."""
    moved = _sorted_changes(trends.moved, figures.commodities)
    main = figures.commodities[0] if figures.commodities else ""
    indices = trends.indices.get(main, {})
    entities = _busiest(figures.daily[figures.daily["commodity"] == main])
    data = pd.concat([entities, *_index_columns(indices)], axis="columns", sort=True)
    left = _change_columns()
    right = [
        SheetColumn("日期", DATE_FORMAT),
        *(SheetColumn(str(name), "#,##0") for name in data.columns),
    ]
    gap = [SheetColumn("", min_width=9)] * CHART_COLUMNS
    width = len(left) + CHART_COLUMNS
    table = Table(sheet, [*left, *gap, *right], frozen_columns=2, filtered_columns=len(left))
    regions = figures.entities["region"]
    rows = [_change_row(change, regions) for change in moved.to_dict("records")]
    rows += _index_rows(trends.indices)
    for own, day in zip_longest(rows, data.itertuples(name=None)):
        row = own or [None] * len(left)
        prices = [day[0].date(), *map(_number, day[1:])] if day else []
        table.append([*row, *[None] * CHART_COLUMNS, *prices])
    table.close()
    _colour_changes(sheet, len(left) - 2 * len(PERIODS) + 1, len(left), len(rows) + 1)
    set_up_page(sheet, landscape=True, pages_high=1)
    sheet.print_area = f"A1:{get_column_letter(width)}{PRINTED_ROWS}"
    if len(data):
        shown = min(len(indices), len(LINES))
        titles = _index_title(main, indices), _entities_title(main, entities.shape[1])
        parts = (entities.shape[1], shown), (0, entities.shape[1])
        for place, (title, (first, number)) in enumerate(zip(titles, parts, strict=True)):
            _add_chart(sheet, title, data, range(first, first + number), len(left), place)
    return _notes()


def _colour_changes(sheet: Sheet, first_column: int, last_column: int, last_row: int) -> None:
    """Show rises in red and falls in green, as in Chinese price lists."""
    first, last = get_column_letter(first_column), get_column_letter(last_column)
    cells = f"{first}2:{last}{max(last_row, 2)}"
    rules = sheet.conditional_formatting
    rise, fall = (
        DifferentialStyle(font=Font(color=colour)) for colour in (RISE_COLOUR, FALL_COLOUR)
    )
    rules.add(cells, Rule(type="cellIs", operator="greaterThan", formula=["0"], dxf=rise))
    rules.add(cells, Rule(type="cellIs", operator="lessThan", formula=["0"], dxf=fall))


def _sorted_changes(moved: pd.DataFrame, commodities: list[str]) -> pd.DataFrame:
    """Return the changes by commodity, those with a recent price first, then by days quoted."""
    order = moved.assign(
        rank=moved["commodity"].astype(str).map({name: n for n, name in enumerate(commodities)}),
        is_old=moved["date"].max() - moved["date"] > pd.Timedelta(days=CARRY_DAYS),
    )
    by = ["rank", "is_old", "days"]
    return order.sort_values(by, ascending=[True, True, False], kind="stable")


def _change_columns() -> list[SheetColumn]:
    columns = [
        SheetColumn("品种", max_width=10),
        SheetColumn("主体", max_width=22),
        SheetColumn("地区", max_width=14),
        SheetColumn("报价\n天数", "#,##0", max_width=8),
        SheetColumn("最新日期", DATE_FORMAT, max_width=12),
        SheetColumn("最新价\n元/吨", "#,##0", max_width=9),
    ]
    for change, ratio in PERIOD_TITLES.values():
        columns.append(SheetColumn(f"{change}\n元/吨", CHANGE_FORMAT, max_width=8))
        columns.append(SheetColumn(ratio, RATIO_FORMAT, max_width=8))
    return columns


def _change_row(change: dict[Hashable, Any], regions: pd.Series[str]) -> list[Value]:
    entity, latest = str(change["entity"]), change["date"]
    row: list[Value] = [
        str(change["commodity"]) or UNNAMED_COMMODITY,
        entity,
        regions[entity],
        change["days"],
        latest.date(),
        change["price"],
    ]
    for period in PERIODS:
        row.append(_number(change[f"{period}_change"]))
        row.append(_number(change[f"{period}_ratio"]))
    return row


def _index_rows(indices: Mapping[str, Mapping[str, pd.DataFrame]]) -> list[list[Value]]:
    """Return a row for each index, with its own newest day."""
    rows = []
    for commodity, regions in indices.items():
        for region, points in regions.items():
            values = points["index"].dropna()
            latest = float(values.iloc[-1])
            row: list[Value] = [commodity or UNNAMED_COMMODITY, INDEX_NAME, region, len(values)]
            row += [values.index[-1].date(), latest]
            for period in PERIODS:
                change = change_since(values, period)
                earlier = latest - change
                row += [_number(change), _number(change / earlier) if earlier > 0 else None]
            rows.append(row)
    return rows


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _busiest(daily: pd.DataFrame) -> pd.DataFrame:
    """Return the prices of the most quoted entities, one a column, by date."""
    # As text: a categorical column has the entities of all commodities, not only of this one.
    prices = daily.assign(entity=daily["entity"].astype(str))
    busiest = prices["entity"].value_counts().index[: len(LINES)]
    shown = prices[prices["entity"].isin(busiest)]
    return shown.pivot_table(index="date", columns="entity", values="price")[busiest]


def _index_columns(indices: Mapping[str, pd.DataFrame]) -> list[pd.DataFrame]:
    """Return the indices by date, and then the numbers of entities behind them."""
    shown = dict(list(indices.items())[:MAX_REGIONS])
    if not shown:
        return []
    values = pd.DataFrame({f"{name}指数": points["index"] for name, points in shown.items()})
    counts = [
        points[["entities", "carried"]].set_axis([f"{name}主体数", f"{name}沿用"], axis="columns")
        for name, points in shown.items()
    ]
    return [values, *counts]


def _index_title(commodity: str, indices: Mapping[str, pd.DataFrame]) -> str:
    title = f"{commodity or UNNAMED_COMMODITY}地区指数（元/吨）"
    if WHOLE not in indices:
        return title
    whole = indices[WHOLE]["index"]
    week = change_since(whole, PERIODS[1])
    moved = "" if math.isnan(week) else f"，一周 {week:+,.0f}"
    return f"{title}：{WHOLE} {whole.dropna().iloc[-1]:,.0f}{moved}"


def _entities_title(commodity: str, number: int) -> str:
    return f"{commodity or UNNAMED_COMMODITY}报价最多的 {number} 个主体（元/吨）"


def _add_chart(
    sheet: Sheet, title: str, data: pd.DataFrame, part: range, table_width: int, place: int
) -> None:
    if not part:
        return
    date_column = table_width + CHART_COLUMNS + 1
    chart = price_chart(
        sheet,
        title,
        date_column,
        range(date_column + 1 + part.start, date_column + 1 + part.stop),
        pd.DatetimeIndex(data.index),
        float(data.iloc[:, part.start : part.stop].min().min()),
    )
    sheet.place_chart(chart, f"{get_column_letter(table_width + 1)}{2 + place * CHART_ROWS}")


def _notes() -> list[str]:
    """Explain what each change in the table compares, and the indices."""
    compared = [
        f"走势：{PERIOD_TITLES[period][1]}比较最新价与{day}"
        f"或之前最近的报价，最多再往前{TOLERANCE_DAYS[period]}天；找不到则留空"
        for period, day in zip(PERIODS, ("前一日", "一周前", "一月前", "去年同日"), strict=True)
    ]
    return [
        *compared,
        "地区指数：固定一篮子主体，逐日变动等于前后两日都有价格的主体的平均变动，以最后一日的平均价为准；"
        f"当日没有报价的主体沿用最近的价格，最多{CARRY_DAYS}天；半数以上主体停报更久时，沿用到恢复报价为止；"
        "不含均价和主体不明的报价（类型“均价”“其他”）",
        f"指数：一个主体的日价格与其前后最近{NEAREST}次（前后{NEAREST_DAYS}天内）报价的中位数相差"
        f"{MAX_FACTOR:g}倍以上的，不计入指数，列为存疑",
        f"走势：打印报价最多的{PRINTED_ROWS - 1}个主体；各品种、各地区最新的指数在表的最后（主体为“{INDEX_NAME}”）；"
        f"图的数据和前{MAX_REGIONS}个地区的每日指数在图的右侧",
    ]
