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
# Not of carriage by water (水运), raw meat or live animals (毛肉, 毛猪), clean grain (干净) and lines (干线).
_WORDS: tuple[tuple[Moisture, re.Pattern[str]], ...] = (
    ("wet", re.compile("[潮湿濕]|毛[粮糧麦麥]|水[粮糧泡]")),
    ("dry", re.compile("[干乾](?![净淨线線])")),
)


@lru_cache(maxsize=4096)
def moisture_class(moisture: str, condition: str = "") -> Moisture:
    """Return the class of a price's goods, "" where neither text says it, or where a range has both.

    >>> moisture_class("14%以内"), moisture_class("２５－３０％"), moisture_class("", "潮粮")
    ('dry', 'wet', 'wet')
    >>> moisture_class("不限"), moisture_class("14%–30%"), moisture_class("", "水运"), moisture_class("", "烘干玉米")
    ('', '', '', 'dry')
    """
    printed = unicodedata.normalize("NFKC", moisture)
    amounts = [one for one in map(float, _NUMBER.findall(printed)) if _LEAST <= one <= _MOST]
    if amounts and (min(amounts) > DRIEST_WET) == (max(amounts) > DRIEST_WET):
        return "wet" if max(amounts) > DRIEST_WET else "dry"
    return next((name for name, words in _WORDS if words.search(condition)), "")
