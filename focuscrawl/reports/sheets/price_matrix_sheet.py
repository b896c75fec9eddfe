"""The sheets 价格矩阵, one per commodity: a row per entity, a column per date, yuan per ton.

The newest date comes first, and the entities of a city stand together.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from openpyxl import Workbook

from focuscrawl.reports.sheets.sheet_cells import Value, type_name
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import Sheet, add_sheet

MATRIX_TITLE = "价格矩阵"
MAX_DATES = 16_000
PRINTED_DATES = 14
"""Number of dates that fit on one A4 page; the older ones are not printed."""
NO_QUOTES = "没有可列入价格矩阵的报价"
UNNAMED_COMMODITY = "未注明品种"


def write_matrices(
    workbook: Workbook,
    faults: SheetFaults,
    main_sheet: Sheet,
    daily: pd.DataFrame,
    entities: pd.DataFrame,
    commodities: list[str],
) -> list[str]:
    """Write the matrix of the first commodity to ``main_sheet``, the others to sheets after it.

    Returns notes on what was left out.
    """
    if not commodities:
        faults.guard(main_sheet).run(_write_empty, main_sheet)
        return [NO_QUOTES]
    notes: list[str] = []
    first = workbook.index(main_sheet)
    for place, commodity in enumerate(commodities):
        name = commodity or UNNAMED_COMMODITY
        title = f"{MATRIX_TITLE}-{name}"
        sheet = main_sheet if place == 0 else add_sheet(workbook, title, first + place)
        of_commodity = daily[daily["commodity"] == commodity]
        notes += faults.guard(sheet).run(_write_matrix, sheet, name, of_commodity, entities) or []
    return notes


def _write_empty(sheet: Sheet) -> None:
    table = Table(sheet, [SheetColumn("主体"), SheetColumn("省"), SheetColumn("市")])
    table.append([NO_QUOTES])
    table.close()


def _write_matrix(
    sheet: Sheet, commodity: str, daily: pd.DataFrame, entities: pd.DataFrame
) -> list[str]:
    all_dates = sorted(daily["date"].unique(), reverse=True)
    dates = all_dates[:MAX_DATES]
    columns = [
        SheetColumn("省", max_width=8),
        SheetColumn("市", max_width=8),
        SheetColumn(f"主体（{commodity}，元/吨）", max_width=26),
        SheetColumn("类型", max_width=8),
        SheetColumn("报价\n天数", "#,##0", max_width=8),
        *(SheetColumn(day.date(), "#,##0", max_width=11) for day in dates),
    ]
    own = len(columns) - len(dates)
    printed = own + min(len(dates), PRINTED_DATES)
    table = Table(sheet, columns, frozen_columns=own, printed_columns=printed)
    shown = daily[daily["date"] >= dates[-1]]
    for row in _matrix_rows(shown, {day: index for index, day in enumerate(dates)}, entities):
        table.append(row)
    table.close()
    if len(all_dates) == len(dates):
        return []
    return [f"{commodity}：价格矩阵只列最近 {MAX_DATES} 个日期，共有 {len(all_dates)} 个"]


def _matrix_rows(
    daily: pd.DataFrame, places: dict[pd.Timestamp, int], entities: pd.DataFrame
) -> Iterator[list[Value]]:
    """Yield a row per entity, by province and city (unknown last), then by number of days, descending."""
    known = entities.to_dict("index")
    columns, prices = daily["date"].map(places).tolist(), daily["price"].tolist()
    groups = daily.groupby("entity", observed=True, sort=False).indices
    own_rows = {str(entity): list(rows) for entity, rows in groups.items() if len(rows)}

    def place_then_days(entity: str) -> tuple[bool, str, bool, str, int, str]:
        province, city = known[entity]["province"], known[entity]["city"]
        return not province, province, not city, city, -len(own_rows[entity]), entity

    for entity in sorted(own_rows, key=place_then_days):
        own = known[entity]
        row: list[Value] = [own["province"], own["city"], entity, type_name(own["entity_type"])]
        row += [len(own_rows[entity]), *[None] * len(places)]
        first = len(row) - len(places)
        for number in own_rows[entity]:
            row[first + columns[number]] = prices[number]
        yield row
