"""Dates written with words for months and numbers, rewritten in digits."""

from __future__ import annotations

import re

_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTHS = {name[:3]: number for number, name in enumerate(_NAMES, 1)}
_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_TEN = "十"
_NUMERAL = r"[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"

_MONTH = rf"(?<![a-z])({'|'.join(_NAMES)}|sept|{'|'.join(_MONTHS)})(?![a-z])\.?"
_DAY = r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_YEAR = r"((?:19|20)\d\d)(?!\d)"
_BETWEEN = r"[\s,/-]{0,3}"
# Bounded runs of separators keep the time linear in the length of the text.
_MONTH_FIRST = re.compile(f"{_MONTH}{_BETWEEN}{_DAY}(?:{_BETWEEN}{_YEAR})?", re.IGNORECASE)
_DAY_FIRST = re.compile(f"{_DAY}{_BETWEEN}{_MONTH}(?:{_BETWEEN}{_YEAR})?", re.IGNORECASE)
_CHINESE_YEAR = re.compile(r"[〇零一二三四五六七八九]{4}(?=\s?年)")
_CHINESE_NUMBER = re.compile(rf"(?<![〇零一二三四五六七八九十])(?:{_NUMERAL})(?=\s?[月日号])")


def in_digits(text: str) -> str:
    """Return the text with ``Apr 9, 2018``, ``9 April 2018`` and ``二〇一八年四月九日`` in digits.

    English dates become ``2018-04-09``, without a year ``4月9日``.
    """
    text = _CHINESE_YEAR.sub(lambda found: "".join(str(_DIGITS[c]) for c in found[0]), text)
    text = _CHINESE_NUMBER.sub(lambda found: str(_number(found[0])), text)
    text = _DAY_FIRST.sub(lambda found: _date(found[2], found[1], found[3]), text)
    return _MONTH_FIRST.sub(lambda found: _date(found[1], found[2], found[3]), text)


def _number(numeral: str) -> int:
    tens, ten, ones = numeral.rpartition(_TEN)
    if not ten:
        return _DIGITS[numeral]
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)


def _date(month: str, day: str, year: str | None) -> str:
    number = _MONTHS[month[:3].lower()]
    return f" {year}-{number:02}-{int(day):02} " if year else f" {number}月{int(day)}日 "
