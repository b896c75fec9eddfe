"""Units of printed prices, and their value in yuan per metric ton."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of price: its name and its value in yuan per ton."""

    name: str
    yuan_per_ton: Decimal


TON = Unit("yuan/ton", Decimal(1))
JIN = Unit("yuan/jin", Decimal(2000))
KG = Unit("yuan/kg", Decimal(1000))
FIFTY_KG = Unit("yuan/50kg", Decimal(20))
HALF_TON = Unit("yuan/500kg", Decimal(2))
HUNDRED_JIN = Unit("yuan/100jin", Decimal(20))
DAN = Unit("yuan/dan", Decimal(20))


WEIGHT = (
    r"500\s*(?:公斤|千克|kg|㎏)|50\s*(?:公斤|千克|kg|㎏)|100\s*(?:市?斤)|500\s*(?:克|g(?![a-z]))|百斤|市担|担(?![保心当任])|市斤|公斤|千克"
    r"|㎏|kg(?![a-z])|公吨|吨|斤|jin(?![a-z])|metric\s?ton(?:ne)?s?|tonnes?|tons?(?![a-z])|mt(?![a-z])|t(?![a-z])"
)
_MONEY = r"(?:人民币)?(?:元人民币|元|圆|块钱|块|人民币|RMB|CNY|yuan)(?:人民币)?"
RMB_PER_WEIGHT = rf"(?:{_MONEY}\s*+(?:(?:/++|每|一|\\|per\s)\s*+)?|/\s*+|每|一(?=[吨斤公]))(?:{WEIGHT})(?:(?<=吨)吨++|(?<=斤)斤)?"
BARE_MONEY = re.compile(_MONEY, re.IGNORECASE)

_BY_WEIGHT = (
    (re.compile(r"500\s*(?:公斤|千克|kg|㎏)$", re.I), HALF_TON),
    (re.compile(r"50\s*(?:公斤|千克|kg|㎏)$", re.I), FIFTY_KG),
    (re.compile(r"(?:100\s*市?斤|百斤)$"), HUNDRED_JIN),
    (re.compile(r"(?:市担|担)$"), DAN),
    (re.compile(r"500\s*(?:克|g)$", re.I), JIN),
    (re.compile(r"(?:公斤|千克|kg|㎏)$", re.I), KG),
    (re.compile(r"(?:斤|jin)$", re.I), JIN),
)


@lru_cache(maxsize=512)
def unit_named(text: str) -> Unit:
    """Return the unit at the end of a printed form such as ``元/公斤`` or ``每斤``, by default ton."""
    for pattern, unit in _BY_WEIGHT:
        if pattern.search(text):
            return unit
    return TON
