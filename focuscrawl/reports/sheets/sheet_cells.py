"""Worksheet cells as XML: text from the web stays text, numbers and dates have their types."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from xml.sax.saxutils import escape

Value = str | date | Decimal | float | int | None

MAX_TEXT_UNITS = 32_767
CUT_MARK = "…（已截断）"
FORMULA_STARTS = ("=", "+", "-", "@", "\t")
DAY_ZERO = date(1899, 12, 30).toordinal()
FIRST_EXCEL_DAY = date(1900, 3, 1).toordinal()

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


def row_xml(
    number: int,
    values: Sequence[Value],
    letters: Sequence[str],
    styles: Sequence[tuple[int, int]],
    height: float | None = None,
) -> str:
    """Return row ``number`` (from 1) as XML, ``height`` in points; empty values have no cell.

    ``letters`` are the columns' letters. ``styles`` are pairs of style numbers: the column's own,
    and the one for text that Excel would treat as a formula if somebody edited the cell.
    """
    cells = []
    for value, letter, style in zip(values, letters, styles, strict=False):
        # Most cells are texts: calling another function for each took a third of the time.
        if value.__class__ is str:
            if value:
                xml, is_like_formula = _text_xml(value)
                cells.append(
                    f'<c r="{letter}{number}" s="{style[is_like_formula]}" t="inlineStr">{xml}</c>'
                )
        elif value is not None:
            cells.append(_cell_xml(f"{letter}{number}", value, style))
    tall = "" if height is None else f' ht="{height}" customHeight="1"'
    return f'<row r="{number}"{tall}>{"".join(cells)}</row>'


def _cell_xml(place: str, value: str | date | Decimal | float, style: tuple[int, int]) -> str:
    if isinstance(value, str):
        xml, is_like_formula = _text_xml(value)
        return f'<c r="{place}" s="{style[is_like_formula]}" t="inlineStr">{xml}</c>'
    if isinstance(value, date):
        day = value.toordinal()
        if day < FIRST_EXCEL_DAY:
            return _cell_xml(place, value.isoformat(), style)
        serial = day - DAY_ZERO + _share_of_day(value)
        return f'<c r="{place}" s="{style[0]}"><v>{serial}</v></c>'
    amount = float(value)
    if not math.isfinite(amount):
        return _cell_xml(place, str(value), style)
    return f'<c r="{place}" s="{style[0]}"><v>{amount!r}</v></c>'


def _share_of_day(value: date) -> float:
    if not isinstance(value, datetime):
        return 0
    return (value.hour * 3600 + value.minute * 60 + value.second) / 86_400


@lru_cache(maxsize=1 << 13)
def _text_xml(text: str) -> tuple[str, bool]:
    text = clean_text(text)
    space = ' xml:space="preserve"' if text != text.strip() else ""
    return f"<is><t{space}>{escape(text)}</t></is>", text.startswith(FORMULA_STARTS)


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


def unit_name(unit: str) -> str:
    """Return 元/吨 for ``yuan/ton``, 元/40斤 for ``yuan/40jin``; any other text stays as it is."""
    match = _UNIT.fullmatch(unit)
    return f"元/{match[1]}{_WEIGHTS[match[2]]}" if match else unit


def type_name(entity_type: str) -> str:
    """Return 企业 for ``firm``; a type without a Chinese name stays as it is."""
    return TYPES.get(entity_type, entity_type)
