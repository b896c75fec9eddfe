"""Prices as they are spoken: 一块一毛四分五, 8毛65, 两块六七, 三元二角, 六块整."""

from __future__ import annotations

import re
from decimal import Decimal

from focuscrawl.prices.tokens.price_units import WEIGHT

_HAN = "一二两三四五六七八九"
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_WORTH = {"块": "1", "元": "1", "毛": "0.1", "角": "0.1", "分": "0.01", "厘": "0.001"}
_RISING = "一二|二三|三四|四五|五六|六七|七八|八九"
_PAIRS = frozenset(_RISING.split("|"))
_WHOLE = rf"(?:\d{{1,2}}(?:\.\d)?|[{_HAN}]?十[{_HAN}]?|[{_HAN}])"
_PER = rf"(?:\s*(?:/|每|一)\s*(?:{WEIGHT}))"
# The 一 of 八毛五一斤 and 两块五一口价 is no digit of the price, nor is the 5 of 3块5公斤.
_DIGIT = rf"(?:(?!一(?:{WEIGHT}|[口次车手把]))[零{_HAN}]|\d(?!\.\d|\d*\s?(?:斤|公斤|千克|吨|袋|个|号|头|车|%|水)))"
_CENTS = rf"(?:零?{_DIGIT}分(?:{_DIGIT}厘?)?|零?{_DIGIT}厘|{_DIGIT}{{1,3}}(?!\d))"
_DIMES = rf"(?:{_DIGIT}[毛角](?:{_CENTS})?|零{_DIGIT}分(?:{_DIGIT}厘?)?|{_DIGIT}{{1,3}}(?!\d)|半)"
_ENDS = r"(?=钱|整|左右|上下|[每/至到,。;:、!?)\s了的吧呢\-]|$)"
SPOKEN = (
    rf"{_WHOLE}块{_DIMES}钱?{_PER}?"
    rf"|{_WHOLE}元(?:{_DIGIT}[毛角](?:{_CENTS})?|零{_DIGIT}分){_PER}?"
    rf"|{_WHOLE}[毛角](?:{_CENTS}|半)钱?{_PER}?"
    rf"|(?:{_WHOLE}|[1-8]、[2-9]|{_RISING})[块毛角]钱?{_PER}"
    rf"|(?:[1-8]、[2-9]|{_RISING})[块毛]{_ENDS}"
    rf"|(?:(?<=[到至\-])一|[{_HAN}]?十[{_HAN}]?|[两三四五六七八九])块{_ENDS}"
    rf"|(?<![{_HAN}十])[两四五六七九]角{_ENDS}"
    rf"|(?<![外内土杂{_HAN}十百千第])(?:[{_HAN}]?十[{_HAN}]?|[{_HAN}])元(?:{_PER}|{_ENDS})"
    rf"|[{_HAN}]?十[{_HAN}]?(?={_PER}){_PER}"
)
"""A pattern of spoken prices, with or without a unit of weight."""

_PART = re.compile(rf"({_WHOLE}(?=[块元毛角分厘])|[\d零{_HAN}半])([块元毛角分厘]?)")
_HAS_PER = re.compile(rf"{_PER}$", re.IGNORECASE)


def spoken_value(printed: str) -> tuple[Decimal, Decimal]:
    """Return both ends of a spoken price in yuan.

    ``一块两毛五`` is 1.25, ``1块零8分5`` 1.085; two digits that follow each other are a range:
    ``两块六七`` is 2.6 to 2.7, ``八九毛`` 0.8 to 0.9.
    """
    price = _HAS_PER.sub("", printed).rstrip("钱整")
    if several := re.match(rf"(?:([1-8])、([2-9])|({_RISING}))([块毛角])", price):
        ends = (several[3] or several[1] + several[2]) + several[4]
        return _amount(ends[0] + ends[2]), _amount(ends[1:])
    if price[-2:] in _PAIRS:
        return _amount(price[:-1]), _amount(price[:-2] + price[-1])
    return (_amount(price),) * 2


def has_weight(printed: str) -> bool:
    """Return whether a spoken price ends in its unit: 八毛五一斤."""
    return _HAS_PER.search(printed) is not None


def _amount(price: str) -> Decimal:
    if not re.search("[块元毛角]", price):
        return _number(price)
    total, worth = Decimal(0), Decimal(10)
    for number, mark in _PART.findall(price):
        worth = Decimal(_WORTH[mark]) if mark else worth / 10
        total += _number(number) * worth
    return total


def _number(printed: str) -> Decimal:
    """Return a number below a hundred: 12, 9.8, 二十四, 半."""
    if printed == "半":
        return Decimal(5)
    if "十" in printed:
        tens, ones = printed.split("十")
        return Decimal(10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0))
    return Decimal(_DIGITS[printed]) if printed in _DIGITS else Decimal(printed)
