"""The sheet 走势: changes of each price, with charts of entities and regions beside them."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import zip_longest
from typing import Any

import pandas as pd
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter

from focuscrawl.reports.price_trends import PERIODS, changes, region_means
from focuscrawl.reports.sheets.line_charts import HEIGHT_ROWS, price_chart
from focuscrawl.reports.sheets.price_matrix_sheet import UNNAMED_COMMODITY
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.streamed_table import Column, Table
from focuscrawl.reports.sheets.worksheets import DATE_FORMAT, Sheet

MAX_LINES = 8
UNNAMED_REGION = "未注明地区"
CHANGE_FORMAT = "+#,##0;-#,##0;0"
RATIO_FORMAT = "+0.0%;-0.0%;0.0%"
RISE_AND_FALL_COLOURS = ("FFC00000", "FF00803C")
PERIOD_TITLES = {
    "day": ("较前一日", "日环比"),
    "week": ("较一周前", "周环比"),
    "month": ("较一月前", "月环比"),
    "year": ("较去年同日", "同比"),
}
# The charts lie over empty columns between the table and their data.
CHART_COLUMNS = 14


def write_movements(
    sheet: Sheet, daily: pd.DataFrame, regions: pd.Series[str], commodities: list[str]
) -> list[str]:
    """Write the table of all commodities and the charts of the first; return notes on them."""
    moved = _sorted_changes(daily, commodities)
    left = _change_columns()
    main = daily[daily["commodity"] == commodities[0]] if commodities else daily
    lines = _chart_lines(main, regions)
    right = [Column("日期", DATE_FORMAT), *(Column(str(name), "#,##0") for name in lines.columns)]
    gap = [Column("", min_width=9)] * CHART_COLUMNS
    table = Table(sheet, [*left, *gap, *right], frozen_columns=2, filtered_columns=len(left))
    for change, day in zip_longest(moved.to_dict("records"), lines.itertuples()):
        row = _change_row(change, regions) if change else [None] * len(left)
        prices = [day[0].date(), *map(_number, day[1:])] if day else []
        table.append([*row, *[None] * CHART_COLUMNS, *prices])
    table.close()
    _colour_changes(sheet, len(left) - 2 * len(PERIODS) + 1, len(left), len(moved) + 1)
    bottom = max(len(moved) + 1, 2 * HEIGHT_ROWS + 2)
    sheet.print_area = f"A1:{get_column_letter(len(left) + CHART_COLUMNS)}{bottom}"
    if len(lines):
        _add_charts(sheet, commodities[0], main, lines, len(left))
    return _tolerance_notes()


def _colour_changes(sheet: Sheet, first_column: int, last_column: int, last_row: int) -> None:
    """Show rises in red and falls in green, as in Chinese price lists."""
    first, last = get_column_letter(first_column), get_column_letter(last_column)
    cells = f"{first}2:{last}{max(last_row, 2)}"
    rise, fall = (DifferentialStyle(font=Font(color=colour)) for colour in RISE_AND_FALL_COLOURS)
    rules = sheet.conditional_formatting
    rules.add(cells, Rule(type="cellIs", operator="greaterThan", formula=["0"], dxf=rise))
    rules.add(cells, Rule(type="cellIs", operator="lessThan", formula=["0"], dxf=fall))


def _sorted_changes(daily: pd.DataFrame, commodities: list[str]) -> pd.DataFrame:
    moved = changes(daily)
    rank = moved["commodity"].astype(str).map(commodities.index)
    order = moved.assign(rank=rank).sort_values(["rank", "days"], ascending=[True, False])
    return order.drop(columns="rank")


def _change_columns() -> list[Column]:
    columns = [
        Column("品种"),
        Column("主体"),
        Column("地区"),
        Column("报价天数", "#,##0"),
        Column("最新日期", DATE_FORMAT),
        Column("最新价\n元/吨", "#,##0"),
    ]
    for period in PERIODS:
        change, ratio = PERIOD_TITLES[period.name]
        columns.append(Column(f"{change}\n元/吨", CHANGE_FORMAT))
        columns.append(Column(f"{ratio}\n容差{period.tolerance_days}天", RATIO_FORMAT))
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
        row.append(_number(change[f"{period.name}_change"]))
        row.append(_number(change[f"{period.name}_ratio"]))
    return row


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _chart_lines(main: pd.DataFrame, regions: pd.Series[str]) -> pd.DataFrame:
    """Return the data of the charts by date: the most quoted entities, then the region means."""
    # As text: a categorical column has the entities of all commodities, not only of this one.
    prices = main.assign(entity=main["entity"].astype(str))
    busiest = prices["entity"].value_counts().index[:MAX_LINES]
    entities = prices.pivot_table(index="date", columns="entity", values="price")[busiest]
    means = region_means(main, regions.replace("", UNNAMED_REGION)).iloc[:, :MAX_LINES]
    means.columns = [f"{region}均价" for region in means.columns]
    return pd.concat([entities, means], axis="columns", sort=True)


def _add_charts(
    sheet: Sheet, commodity: str, main: pd.DataFrame, lines: pd.DataFrame, table_width: int
) -> None:
    date_column = table_width + CHART_COLUMNS + 1
    entities = min(main["entity"].nunique(), MAX_LINES)
    parts = {"报价最多的主体": range(entities), "地区均价": range(entities, lines.shape[1])}
    for place, (title, part) in enumerate(parts.items()):
        chart = price_chart(
            sheet,
            f"{commodity or UNNAMED_COMMODITY}{title}(元/吨)",
            date_column,
            range(date_column + 1 + part.start, date_column + 1 + part.stop),
            pd.DatetimeIndex(lines.index),
            float(lines.iloc[:, part.start : part.stop].min().min()),
        )
        row = 2 + place * HEIGHT_ROWS
        sheet.place_chart(chart, f"{get_column_letter(table_width + 2)}{row}")


def _tolerance_notes() -> list[str]:
    """Explain what each change in the table compares."""
    return [
        f"走势:{PERIOD_TITLES[period.name][1]}比较最新价与{PERIOD_TITLES[period.name][0][1:]}"
        f"当天或之前最近的报价,最多再往前{period.tolerance_days}天;找不到则留空"
        for period in PERIODS
    ]
