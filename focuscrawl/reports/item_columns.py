"""Items of one's own as rows with a column for each field, for workbooks and exports."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from focuscrawl.items import OwnItem

ITEM_COLUMNS: Mapping[str, type] = MappingProxyType(
    {"crawl": str, "class_name": str, "url": str, "fetched_at": datetime}
)
_WHOLE = "item"
_MOST_COLUMNS = 200
# Spreadsheets show 15 digits of a number.
_LONGEST_NUMBER = 10**15


def item_row(item: OwnItem) -> dict[str, Any]:
    """Return an item in the order of ``ITEM_COLUMNS``, then its fields, then ``item``, its whole JSON."""
    row: dict[str, Any] = {name: getattr(item, name) for name in ITEM_COLUMNS}
    return row | fields_row(item.values, (*ITEM_COLUMNS, _WHOLE)) | {_WHOLE: item.item}


def fields_row(values: Mapping[str, Any], taken: Collection[str]) -> dict[str, Any]:
    """Return JSON values as cells by column; the names of columns in ``taken`` get a prefix.

    Lists and objects are JSON, and so are whole numbers of more than 15 digits.
    """
    row: dict[str, Any] = {}
    for name, value in values.items():
        is_long = isinstance(value, int) and abs(value) >= _LONGEST_NUMBER
        is_text = is_long or isinstance(value, (list, dict))
        while name in taken or name in row:
            name = f"value.{name}"
        row[name] = json.dumps(value, ensure_ascii=False) if is_text else value
    return row


async def item_columns(items: AsyncIterator[OwnItem]) -> dict[str, type]:
    """Return the columns of items: the first 200; if there are more, the last is the whole JSON.

    A field may hold values of any type, and so its type is text.
    """
    columns = dict(ITEM_COLUMNS)
    async for item in items:
        for name in item_row(item):
            if name not in columns and name != _WHOLE:
                columns[name if len(columns) < _MOST_COLUMNS else _WHOLE] = str
    return columns
