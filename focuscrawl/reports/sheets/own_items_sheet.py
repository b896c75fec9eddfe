"""The sheet of items of spiders of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from focuscrawl.items import OwnItem
from focuscrawl.reports.item_columns import ITEM_COLUMNS, item_row
from focuscrawl.reports.sheets.streamed_table import Column, Table
from focuscrawl.reports.sheets.topical_pages_sheet import BEIJING
from focuscrawl.reports.sheets.worksheets import LINK_FORMAT, TIME_FORMAT, Sheet

ITEMS_TITLE = "自有条目"
_FIXED = {
    "crawl": Column("任务"),
    "class_name": Column("类别"),
    "url": Column("网址", LINK_FORMAT, min_width=40),
    "fetched_at": Column("抓取时间（北京）", TIME_FORMAT),
}


def write_items(sheet: Sheet, columns: Sequence[str], items: Iterable[OwnItem]) -> None:
    """Fill the sheet with items, in the order given: their fields by name, then their origin."""
    fields = [name for name in columns if name not in ITEM_COLUMNS]
    table = Table(sheet, [*map(Column, fields), *_FIXED.values()], frozen_columns=1)
    for item in items:
        row = item_row(item) | {"fetched_at": item.fetched_at.astimezone(BEIJING)}
        table.append([row.get(name) for name in (*fields, *_FIXED)])
    table.close()
