"""Calendar dates in the formats of Chinese sites."""

from __future__ import annotations

import itertools
import re
from datetime import date, timedelta

from focuscrawl.text.normal_form import composed
from focuscrawl.text.written_dates import in_digits

_FULL = re.compile(r"(?<!\d)((?:19|20)\d{2})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
# Years of the Republic of China, which began in 1912. Without 民國 only in three digits, by which a year
# is told from other numbers.
_REPUBLIC = re.compile(
    r"民[國国]\s*(\d{1,3})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)"
    r"|(?<![\d./-])(1\d\d)(?:\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日|([-/])(\d\d)\7(\d\d)(?![\d./-]))"
)
_REPUBLIC_BEFORE = 1911
# Neither after a year nor before one: the rest of an impossible full date must not match.
_MONTH_DAY = re.compile(
    r"(?<!\d)(?<!\d{3}[-/.年])(?<!\d{3}[-/.年]\s)(?<!\d{3}\s[-/.年])(?<!\d{3}\s[-/.年]\s)"
    r"(\d{1,2})\s*[-/月]\s*(\d{1,2})(?!\d|\s?[-/.年]\s?\d{3})"
)
_EARLIEST, _LONGEST_AHEAD = date(1990, 1, 1), timedelta(days=366)
_RELATIVE = {
    "今天": 0,
    "今日": 0,
    "昨天": 1,
    "昨日": 1,
    "前天": 2,
    "刚刚": 0,
    "yesterday": 1,
    "today": 0,
}
_AGO = re.compile(
    r"(?<!\d)(\d{1,3})\s*(?:个|個)?\s*(天|日|周|星期|月|年|小时|分钟|秒|days?|weeks?|months?|years?|hours?|minutes?)"
    r"\s*(?:之?前|ago)"
)
_DAYS = {
    "天": 1,
    "日": 1,
    "周": 7,
    "星期": 7,
    "月": 30,
    "年": 365,
    "day": 1,
    "week": 7,
    "month": 30,
    "year": 365,
}


def find_full_date(text: str, today: date) -> date | None:
    """Return the first date with a year in ``text``, or None.

    Forms: 2017年1月11日, 2017-01-11, 2017/1/11, 11 Jan 2017, Jan 11, 2017, 二〇一七年一月十一日,
    民國106年1月11日, 106-01-11. Dates before 1990, or more than 366 days after ``today``, are ignored.
    """
    return _full_date(in_digits(composed(text)), today)


def _full_date(text: str, today: date) -> date | None:
    written = ((match.groups(), 0) for match in _FULL.finditer(text))
    republic = ((match.groups(), _REPUBLIC_BEFORE) for match in _REPUBLIC.finditer(text))
    for groups, before in itertools.chain(written, republic):
        year, month, day = (int(group) for group in groups if group and group.isdecimal())
        found = _make(year + before, month, day)
        if found and found >= _EARLIEST and found - today <= _LONGEST_AHEAD:
            return found
    return None


def find_date(text: str, today: date) -> date | None:
    """Return the first date in ``text``, or None; without a year the latest such day up to tomorrow.

    A date with a year takes precedence, and one without over 今天, 昨天, 3天前 and the like. Months and
    years ago are taken for 30 and 365 days.
    """
    text = in_digits(composed(text))
    if full := _full_date(text, today):
        return full
    text = text.lower()
    for match in _MONTH_DAY.finditer(text):
        # Eight years back, so that 29 February is found too.
        for year in range(today.year + 1, today.year - 8, -1):
            found = _make(year, int(match[1]), int(match[2]))
            if found and found <= today + timedelta(days=1):
                return found
    if ago := _AGO.search(text):
        return today - timedelta(days=int(ago[1]) * _DAYS.get(ago[2].rstrip("s"), 0))
    for word, days in _RELATIVE.items():
        if word in text:
            return today - timedelta(days=days)
    return None


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
