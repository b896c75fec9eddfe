"""Fields of quotes that were renamed, in databases and spill files of older versions."""

from __future__ import annotations

RENAMED = {
    "condition": "goods_condition",
    "change": "price_change",
    "change_high": "price_change_high",
    "start": "text_start",
    "end": "text_end",
}
"""New names by old ones, since schema version 3."""
ADDED = {"province": 64, "city": 64, "county": 64, "entity_type": 16}
"""Fields that schema version 3 added, and their longest values in characters."""
CONFIDENCE = "confidence"
"""The field that schema version 5 added; it may be empty."""
