"""Dates written with words for months and numbers, rewritten in digits."""

from __future__ import annotations

import re

_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTHS = {name[:3]: number for number, name in enumerate(_NAMES, 1)}
_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "○": 0, "两": 2, "兩": 2,
}  # fmt: skip
_TEN = "十"
_NUMERAL = r"[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"

_MONTH = rf"(?<![a-z])({'|'.join(_NAMES)}|sept|{'|'.join(_MONTHS)})(?![a-z])\.?"
_DAY = r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_YEAR = r"((?:19|20)\d\d)(?!\d)"
_BETWEEN = r"[\s,/-]{0,3}"
# Bounded runs of separators keep the time linear in the length of the text.
_MONTH_FIRST = re.compile(f"{_MONTH}{_BETWEEN}{_DAY}(?:{_BETWEEN}{_YEAR})?", re.IGNORECASE)
_DAY_FIRST = re.compile(f"{_DAY}{_BETWEEN}{_MONTH}(?:{_BETWEEN}{_YEAR})?", re.IGNORECASE)
_CHINESE_YEAR = re.compile(r"[〇○零一二三四五六七八九]{4}(?=\s?年)")
_CHINESE_NUMBER = re.compile(rf"(?<![〇零一二三四五六七八九十])(?:{_NUMERAL})(?=\s?[月日号])")

# Dates that stand in several elements, day, month and year apart: only as a whole text, since a text may
# have such numbers one after the other.
_D, _M, _Y = r"(?P<day>\d{1,2})日?", r"(?P<month>\d{1,2})", r"(?P<year>(?:19|20)\d\d)"
_APART = tuple(
    re.compile(form)
    for form in (
        rf"{_D}\s+{_Y}\s?[-/.年]\s?{_M}月?",
        rf"{_Y}\s?[-/.年]\s?{_M}月?\s+{_D}",
        rf"{_M}[-/.月]{_D}\s+{_Y}年?",
        rf"{_Y}年?\s+{_M}[-/.月]\s?{_D}",
        rf"{_D}\s+{_M}\s?[-/.月]\s?{_Y}年?",
        rf"{_Y}年?\s+{_M}月?\s+{_D}",
        rf"{_D}\s+{_M}月",
    )
)
_LONGEST_APART = 24


def in_digits(text: str) -> str:
    """Return the text with ``Apr 9, 2018``, ``9 April 2018`` and ``二〇一八年四月九日`` in digits.

    English dates become ``2018-04-09``, without a year ``4月9日``; so does a text that is nothing but a
    date in parts, such as ``09 2018-04`` and ``9 4月``.
    """
    text = _CHINESE_YEAR.sub(lambda found: "".join(str(_DIGITS[c]) for c in found[0]), text)
    text = _CHINESE_NUMBER.sub(lambda found: str(number_of(found[0])), text)
    text = _DAY_FIRST.sub(lambda found: _date(found[2], found[1], found[3]), text)
    text = _MONTH_FIRST.sub(lambda found: _date(found[1], found[2], found[3]), text)
    return _joined(text.strip()) or text


def _joined(text: str) -> str:
    """Return the date of a text that is nothing but one in parts; empty for any other."""
    matches = (form.fullmatch(text) for form in _APART if len(text) <= _LONGEST_APART)
    for found in filter(None, matches):
        parts = found.groupdict()
        rest = f"{int(parts['month']):02}-{int(parts['day']):02}"
        return f"{parts['year']}-{rest}" if parts.get("year") else rest
    return ""


def number_of(numeral: str) -> int:
    """Return the value of a Chinese numeral below 100."""
    tens, ten, ones = numeral.rpartition(_TEN)
    if not ten:
        return _DIGITS[numeral]
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)


def _date(month: str, day: str, year: str | None) -> str:
    number = _MONTHS[month[:3].lower()]
    return f" {year}-{number:02}-{int(day):02} " if year else f" {number}月{int(day)}日 "
