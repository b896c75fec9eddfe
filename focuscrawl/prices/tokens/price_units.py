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
TEN_THOUSANDS = Unit("yuan/ton", Decimal(10_000))
"""万元/吨; quotes have such prices in yuan."""
_THOUSANDS = Unit("yuan/ton", Decimal(1000))
JIN = Unit("yuan/jin", Decimal(2000))
KG = Unit("yuan/kg", Decimal(1000))
_KG_PER_TON = Decimal(1000)

_KILO = r"公斤|千克|kg(?![a-z])|㎏"
_TENS = "[一二三四五六七八九]?十|[一二两三四五六七八九]?百"
_SMALL = rf"{_KILO}|市?斤|克|g(?![a-z])"
_BAG = "[袋包车]"
_BAG_OF = rf"{_BAG}\s?\((?:{_BAG}|每|净|重|约|\s){{0,4}}[1-9]\d{{0,3}}(?:\.\d)?\s?(?:{_SMALL}|吨)(?:装|/{_BAG})?\)"
_ONE = (
    rf"公担|市担|担(?![保心当任])|市斤|{_KILO}|公吨|吨|斤|jin(?![a-z])|metric\s?ton(?:ne)?s?"
    r"|tonnes?|tons?(?![a-z])|mt(?![a-z])|t(?![a-z])"
)
WEIGHT = rf"[1-9]\d{{0,3}}(?:\.\d)?\s*(?:{_SMALL}){_BAG}?|(?:{_TENS})\s?(?:{_KILO}|市?斤)|{_BAG_OF}|{_ONE}"
BARE_MONEY = r"(?:人民币)?(?:元人民币|元|圆|块钱|块|人民币|RMB|CNY|yuan)(?:人民币)?"
# Without a sign between them, 元 and a number are an amount and something else, except in 元500克.
_LINK = r"(?:/++|每|一|\\|per\s|an?\s)\s*+"
RMB_PER_WEIGHT = (
    rf"(?:{BARE_MONEY}\s*+{_LINK}(?:{WEIGHT})|{BARE_MONEY}\s*+(?:500\s*(?:克|g(?![a-z]))|{_ONE})"
    rf"|(?:/\s*+|每|(?<=\d)一|(?<=\d)\s(?:per|an?)\s)(?:{WEIGHT}))(?:(?<=吨)吨++|(?<=斤)斤)?"
)
HEAVY = "市?斤|公斤|千克|公?吨|百(?:市?斤|公斤|千克)"
PRICE_OF_WEIGHT = rf"[一每]?(?:{HEAVY})(?:的?价(?![格位差])|的钱)"
"""A unit as it is spoken: 公斤价, 一斤的钱."""

_COUNTED = re.compile(rf"([1-9]\d*(?:\.\d)?|{_TENS})\s*({_SMALL}|吨)[^\d]{{0,4}}$", re.IGNORECASE)
_ENDS = (
    (re.compile(r"公担$"), Unit("yuan/100kg", Decimal(10))),
    (re.compile(r"担$"), Unit("yuan/dan", Decimal(20))),
    (re.compile(r"(?:公斤|千克|kg|㎏)$", re.I), KG),
    (re.compile(r"(?:斤|jin)$", re.I), JIN),
)
_IN_KILOGRAMS = {
    "斤": ("jin", "0.5"),
    "克": ("g", "0.001"),
    "g": ("g", "0.001"),
    "吨": ("ton", "1000"),
}


@lru_cache(maxsize=512)
def unit_named(text: str) -> Unit:
    """Return the unit at the end of a printed form such as ``元/公斤`` or ``元/40斤袋``, by default ton."""
    text = text.rstrip("的价钱")
    if "万" in text:
        return TEN_THOUSANDS
    if "千元" in text:
        return _THOUSANDS
    if counted := _COUNTED.search(text):
        return _unit_of(_in_digits(counted[1]), counted[2].lower())
    return next((unit for pattern, unit in _ENDS if pattern.search(text)), TON)


def _in_digits(count: str) -> str:
    """Return a count in digits: 百 is 100, 五十 is 50."""
    if count.isdecimal() or "." in count:
        return count
    ones = {digit: value for value, digit in enumerate("一二三四五六七八九", 1)} | {"两": 2}
    return str(ones.get(count[:-1], 1) * (10 if count[-1] == "十" else 100))


def weight_named(text: str) -> Unit | None:
    """Return the unit of yuan per a weight that stands alone, None for any other text."""
    return unit_named(text) if re.fullmatch(_ONE, text, re.IGNORECASE) else None


def _unit_of(count: str, mass: str) -> Unit:
    """Return the unit of so many 公斤, 斤, 克 or 吨."""
    is_kilo = re.fullmatch(_KILO, mass) is not None
    name, kilograms = ("kg", "1") if is_kilo else _IN_KILOGRAMS[mass[-1]]
    weight = Decimal(count) * Decimal(kilograms)
    known = next((unit for unit in (KG, JIN) if unit.yuan_per_ton * weight == _KG_PER_TON), None)
    return known or Unit(f"yuan/{count}{name}", _KG_PER_TON / weight)
