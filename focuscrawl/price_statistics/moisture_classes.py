"""Dry and wet grain, told apart by the moisture and the condition of goods as printed."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, get_args

Moisture = Literal["", "dry", "wet"]
MOISTURES: tuple[Moisture, ...] = get_args(Moisture)
DRIEST_WET = 16.0
"""Per cent of moisture above which grain is wet: that of the standards (GB 1353) is 14, firms buy up to 15
or 16 as dry, and wet maize has 18 to 35."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LEAST, _MOST = 5.0, 45.0
_WORDS: tuple[tuple[Moisture, str], ...] = (("wet", "潮湿毛水"), ("dry", "干"))


@lru_cache(maxsize=4096)
def moisture_class(moisture: str, condition: str = "") -> Moisture:
    """Return the class of a price's goods, "" where neither text says it; of a range, the upper end counts.

    >>> moisture_class("14%以内"), moisture_class("２５－３０％"), moisture_class("", "潮粮")
    ('dry', 'wet', 'wet')
    >>> moisture_class("不限"), moisture_class("", "烘干玉米")
    ('', 'dry')
    """
    printed = unicodedata.normalize("NFKC", moisture)
    amounts = [one for one in map(float, _NUMBER.findall(printed)) if _LEAST <= one <= _MOST]
    if amounts:
        return "wet" if max(amounts) > DRIEST_WET else "dry"
    return next((name for name, words in _WORDS if set(words) & set(condition)), "")
