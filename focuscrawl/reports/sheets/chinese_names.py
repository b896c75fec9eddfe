"""Chinese names of units and types of entities for the readers of the workbook."""

from __future__ import annotations

UNITS = {
    "yuan/ton": "元/吨",
    "yuan/jin": "元/斤",
    "yuan/kg": "元/公斤",
    "yuan/50kg": "元/50公斤",
    "yuan/500kg": "元/500公斤",
    "yuan/100jin": "元/百斤",
    "yuan/dan": "元/担",
}
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
    """Return 元/吨 for ``yuan/ton``; a unit without a Chinese name stays as it is."""
    return UNITS.get(unit, unit)


def type_name(entity_type: str) -> str:
    """Return 企业 for ``firm``; a type without a Chinese name stays as it is."""
    return TYPES.get(entity_type, entity_type)
