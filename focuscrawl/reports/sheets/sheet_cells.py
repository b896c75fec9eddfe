"""Worksheet cells as XML: text from the web stays text, numbers and dates have their types."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache, partial
from xml.sax.saxutils import escape

from focuscrawl.system.remembered_values import RememberedValues

Value = str | date | Decimal | float | int | None
Cells = tuple[Callable[[Value], str], Callable[[Value], str]]
"""Two functions for the XML of a value in a column: one that remembers the newest values, one that does not."""

MAX_TEXT_UNITS = 32_767
CUT_MARK = "…（已截断）"
FORMULA_STARTS = ("=", "+", "-", "@", "\t")
DAY_ZERO = date(1899, 12, 30).toordinal()
FIRST_EXCEL_DAY = date(1900, 3, 1).toordinal()

# Stands for the number of the row; no text of a cell can have it.
_NUMBER = "\0"
_REMEMBERED = 1 << 12
# Times are equal in all time zones, but not alike, and so are two floats of zero.
_ALIKE_IF_EQUAL = {str, Decimal, int, date, type(None)}
_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean_text(text: str) -> str:
    """Return the text as a cell can contain it.

    Line ends become ``\\n``, characters that XML forbids are removed, and text longer than Excel's
    32,767 UTF-16 units is truncated, with a mark at the end.
    """
    if len(text) * 2 <= MAX_TEXT_UNITS and text.isprintable():
        return text
    text = _NOT_XML.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(text) * 2 <= MAX_TEXT_UNITS or _utf16_units(text) <= MAX_TEXT_UNITS:
        return text
    room = MAX_TEXT_UNITS - _utf16_units(CUT_MARK)
    return text.encode("utf-16-le")[: room * 2].decode("utf-16-le", "ignore") + CUT_MARK


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@lru_cache(maxsize=1 << 15)
def display_width(text: str) -> int:
    """Return the width of the widest line in half-width columns: a CJK character takes two."""
    return max(map(_line_width, text.split("\n")))


def _line_width(line: str) -> int:
    if line.isascii():
        return len(line)
    wide = sum(unicodedata.east_asian_width(character) in "WFA" for character in line)
    return len(line) + wide


def column_cells(letter: str, style: tuple[int, int]) -> Cells:
    """Return the functions that make the XML of a column's cells, in any row.

    ``style`` are two style numbers: the column's own, and the one for text that Excel would treat as
    a formula if somebody edited the cell.
    """
    make = partial(_cell_xml, f"{letter}{_NUMBER}", style)
    return RememberedValues(make, _REMEMBERED).__getitem__, make


def row_xml(
    number: int, values: Sequence[Value], columns: Sequence[Cells], height: float | None = None
) -> str:
    """Return row ``number`` (from 1) as XML, ``height`` in points; empty values have no cell."""
    # Most values repeat those of a row not far above: making each one again took three times as long.
    cells = [
        (remembered if value.__class__ in _ALIKE_IF_EQUAL else make)(value)
        for (remembered, make), value in zip(columns, values, strict=False)
    ]
    tall = "" if height is None else f' ht="{height}" customHeight="1"'
    xml = f'<row r="{_NUMBER}"{tall}>{"".join(cells)}</row>'
    return xml.replace(_NUMBER, str(number))


def _cell_xml(place: str, style: tuple[int, int], value: Value) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, str):
        text = clean_text(value)
        space = ' xml:space="preserve"' if text != text.strip() else ""
        look = style[text.startswith(FORMULA_STARTS)]
        return f'<c r="{place}" s="{look}" t="inlineStr"><is><t{space}>{escape(text)}</t></is></c>'
    if isinstance(value, date):
        day = value.toordinal()
        if day < FIRST_EXCEL_DAY:
            return _cell_xml(place, style, value.isoformat())
        serial = day - DAY_ZERO + _share_of_day(value)
        return f'<c r="{place}" s="{style[0]}"><v>{serial}</v></c>'
    amount = float(value)
    if not math.isfinite(amount):
        return _cell_xml(place, style, str(value))
    return f'<c r="{place}" s="{style[0]}"><v>{amount!r}</v></c>'


def _share_of_day(value: date) -> float:
    if not isinstance(value, datetime):
        return 0
    return (value.hour * 3600 + value.minute * 60 + value.second) / 86_400


# Chinese names of units and types of entities for the readers of the workbook.


_WEIGHTS = {"ton": "吨", "jin": "斤", "kg": "公斤", "g": "克", "dan": "担"}
_UNIT = re.compile(rf"yuan/([\d.]*)({'|'.join(_WEIGHTS)})")
TYPES: dict[str, str] = {
    "firm": "企业",
    "place": "地方",
    "port": "港口",
    "market": "市场",
    "average": "均价",
    "other": "其他",
    "": "",
}
WEEKDAYS = "一二三四五六日"


@lru_cache(maxsize=1024)
def unit_name(unit: str) -> str:
    """Return 元/吨 for ``yuan/ton``, 元/40斤 for ``yuan/40jin``; any other text stays as it is."""
    match = _UNIT.fullmatch(unit)
    return f"元/{match[1]}{_WEIGHTS[match[2]]}" if match else unit


def type_name(entity_type: str) -> str:
    """Return 企业 for ``firm``; a type without a Chinese name stays as it is."""
    return TYPES.get(entity_type, entity_type)
