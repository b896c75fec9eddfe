"""The sheets 价格矩阵, one per commodity: a row per entity, a column per date, yuan per ton."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from openpyxl import Workbook

from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
from focuscrawl.reports.sheets.streamed_table import Column, Table
from focuscrawl.reports.sheets.worksheets import Sheet, add_sheet

MATRIX_TITLE = "价格矩阵"
MAX_DATES = 16_000
NO_QUOTES = "没有可列入价格矩阵的报价"
UNNAMED_COMMODITY = "未注明品种"


def commodities_by_quotes(facts: pd.DataFrame) -> list[str]:
    """Return the commodities, most quoted first."""
    return [str(name) for name in facts["commodity"].value_counts().index]


def write_matrices(
    workbook: Workbook,
    faults: SheetFaults,
    main_sheet: Sheet,
    daily: pd.DataFrame,
    regions: pd.Series[str],
    commodities: list[str],
) -> list[str]:
    """Write the matrix of the first commodity to ``main_sheet``, the others to sheets after it.

    Returns notes on what was left out.
    """
    if not commodities:
        faults.guard(main_sheet).run(_write_empty, main_sheet)
        return [NO_QUOTES]
    notes: list[str] = []
    for place, commodity in enumerate(commodities):
        name = commodity or UNNAMED_COMMODITY
        sheet = main_sheet if place == 0 else add_sheet(workbook, f"{MATRIX_TITLE}-{name}", place)
        of_commodity = daily[daily["commodity"] == commodity]
        notes += faults.guard(sheet).run(_write_matrix, sheet, name, of_commodity, regions) or []
    return notes


def _write_empty(sheet: Sheet) -> None:
    table = Table(sheet, [Column("主体"), Column("地区"), Column("报价天数")])
    table.append([NO_QUOTES])
    table.close()


def _write_matrix(
    sheet: Sheet, commodity: str, daily: pd.DataFrame, regions: pd.Series[str]
) -> list[str]:
    all_dates = sorted(daily["date"].unique())
    dates = all_dates[-MAX_DATES:]
    columns = [
        Column(f"主体({commodity},元/吨)"),
        Column("地区"),
        Column("报价天数", "#,##0"),
        *(Column(day.date(), "#,##0") for day in dates),
    ]
    table = Table(sheet, columns, frozen_columns=3, fit_width=False)
    shown = daily[daily["date"] >= dates[0]]
    for row in _matrix_rows(shown, {day: index for index, day in enumerate(dates)}, regions):
        table.append(row)
    table.close()
    if len(all_dates) == len(dates):
        return []
    return [f"{commodity}:价格矩阵只列最近 {MAX_DATES} 个日期,共有 {len(all_dates)} 个"]


def _matrix_rows(
    daily: pd.DataFrame, places: dict[pd.Timestamp, int], regions: pd.Series[str]
) -> Iterator[list[Value]]:
    """Yield a row per entity, by region (unknown last), then by number of days, descending."""
    days = daily.groupby("entity", observed=True, sort=False).size()
    groups = daily.groupby("entity", observed=True, sort=False)

    def region_then_days(entity: str) -> tuple[bool, str, int, str]:
        return not regions[entity], regions[entity], -days[entity], entity

    for entity in sorted(days.index, key=region_then_days):
        prices = groups.get_group(entity)
        row: list[Value] = [entity, regions[entity], len(prices), *[None] * len(places)]
        for day, price in zip(prices["date"], prices["price"].tolist(), strict=True):
            row[3 + places[day]] = price
        yield row
