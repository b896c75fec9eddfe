"""Chinese names of units and types of entities for the readers of the workbook."""

from __future__ import annotations

import re
from functools import lru_cache

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
