"""Calendar dates in the formats of Chinese sites."""

from __future__ import annotations

import itertools
import re
from datetime import date, datetime, timedelta, timezone

from focuscrawl.text.normal_form import composed

# Dates written with words for months and numbers, rewritten in digits.

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


CHINA = timezone(timedelta(hours=8))
"""The day in China is meant where a site gives a moment."""

_FULL = re.compile(r"(?<!\d)((?:19|20)\d{2})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
# Years of the Republic of China, which began in 1912. Without 民國 only in three digits, by which a year
# is told from other numbers.
_REPUBLIC = re.compile(
    r"民[國国]\s*(\d{1,3})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)"
    r"|(?<![\d./-])(1\d\d)(?:\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日|([-/])(\d\d)\7(\d\d)(?![\d./-]))"
)
_REPUBLIC_BEFORE = 1911
# These count only as a whole text, perhaps with a label and the time: in a title they may be versions.
_LABEL = r"\s*+(?:[^\W\d]{1,8}[:：])?+[\s\[(【]*+"
_BEHIND = r"(?:[\sT]*+\d\d:?\d\d(?::?\d\d)?+)?[\s\])】]*+"
_COMPACT = re.compile(rf"{_LABEL}((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]){_BEHIND}")
_SHORT_YEAR = re.compile(r"(?<!\d)(\d\d)\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
# Any of three numbers of two digits may be the year.
_SHORT = re.compile(rf"{_LABEL}(\d\d)([-/.])(\d\d)\2(\d\d){_BEHIND}")
_LIKELY_AGE = timedelta(days=3650)
_MOMENT = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-/.]?(\d\d)[-/.]?(\d\d)(T|\s{1,2})(\d\d):?(\d\d)(:?\d\d)?(?:[.,]\d{1,9})?\s?"
    r"(?:(?:Z|UTC|GMT)(?![A-Z+-])|(?:UTC|GMT)?([+-])(0\d|1[0-4]):?([0-5]\d)(?![\d:]))",
    re.IGNORECASE,
)
# Neither after a year nor before one: the rest of an impossible full date must not match.
_MONTH_DAY = re.compile(
    r"(?<!\d)(?<!\d[-/])(?<!\d{3}[-/.年])(?<!\d{3}[-/.年]\s)(?<!\d{3}\s[-/.年])(?<!\d{3}\s[-/.年]\s)"
    r"(\d{1,2})\s*[-/月]\s*(\d{1,2})(?!\d|[-/]\d|\s?[-/.年]\s?\d{3})"
)
_EARLIEST, _LONGEST_AHEAD = date(1990, 1, 1), timedelta(days=366)
_RELATIVE = {
    word: days
    for days, words in enumerate(
        (
            "今天 今日 今晨 今早 今晚 刚刚 剛剛 刚才 剛才 today|just now",
            "昨天 昨日 昨晚 yesterday",
            "前天 前日",
            "大前天",
        )
    )
    for word in re.split(r"[ |](?!now)", words)
}
_AGO = re.compile(
    r"(?<![\d.])(\d{1,3}|[一二两兩三四五六七八九十]{1,3}|半|[几幾数數]|an?(?=\s))\s?(?:个|個)?(?:多|半)?\s?"
    r"(天|日|周|週|星期|礼拜|禮拜|月|年|小时|小時|钟头|鐘頭|分钟|分鐘|分|秒钟|秒鐘|秒|刻钟|刻鐘"
    r"|days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|secs?)\s?(?:之?前|以前|ago)"
)
_DAYS = {"天": 1, "日": 1, "周": 7, "週": 7, "星期": 7, "礼拜": 7, "禮拜": 7, "月": 30, "年": 365} | {
    "day": 1, "week": 7, "month": 30, "year": 365,
}  # fmt: skip


def find_full_date(text: str, today: date) -> date | None:
    """Return the first date with a year in ``text``, or None.

    Forms: 2017年1月11日, 2017-01-11, 2017/1/11, 11 Jan 2017, Jan 11, 2017, 二〇一七年一月十一日,
    民國106年1月11日, 106-01-11, 20170111, 17年1月11日, and 17-01-11 where no other order of its parts is
    likely. A moment with a time zone is the day in China. Dates before 1990, or more than 366 days after
    ``today``, are ignored.
    """
    return _full_date(in_digits(composed(text)), today)


def day_in_china(text: str) -> str:
    """Return the text with each moment that has a time zone, such as 2017-01-10T16:30:00Z, as a date."""
    return _MOMENT.sub(_day_of_moment, text)


def _day_of_moment(found: re.Match[str]) -> str:
    year, month, day, between, hour, minute, seconds, sign, hours, minutes = found.groups()
    # 10:00-12:00 is a period.
    if sign and between.isspace() and not seconds:
        return found[0]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        written = datetime(int(year), int(month), int(day), int(hour), int(minute))
    except ValueError:
        return found[0]
    zone = timezone(-offset if sign == "-" else offset)
    return written.replace(tzinfo=zone).astimezone(CHINA).date().isoformat()


def _full_date(text: str, today: date) -> date | None:
    text = day_in_china(text)
    written = ((match.groups(), 0) for match in _FULL.finditer(text))
    republic = ((match.groups(), _REPUBLIC_BEFORE) for match in _REPUBLIC.finditer(text))
    compact = ((match.groups(), 0) for match in [_COMPACT.fullmatch(text)] if match)
    short = ((match.groups(), 2000) for match in _SHORT_YEAR.finditer(text))
    for groups, before in itertools.chain(written, republic, compact, short):
        year, month, day = (int(group) for group in groups if group and group.isdecimal())
        found = _make(year + before, month, day)
        if found and found >= _EARLIEST and found - today <= _LONGEST_AHEAD:
            return found
    parts = _SHORT.fullmatch(text)
    return _short_date(parts, today) if parts else None


def _short_date(found: re.Match[str], today: date) -> date | None:
    """Return the date of a text such as 17-01-11 unless its parts make a likely date in another order."""
    one, two, three = (int(found[part]) for part in (1, 3, 4))
    orders = ((one, two, three), (three, two, one), (three, one, two))
    dates = [_make(2000 + year, month, day) for year, month, day in orders]
    likely = [d for d in dates if d and -timedelta(days=1) <= today - d <= _LIKELY_AGE]
    return dates[0] if likely and set(likely) == {dates[0]} else None


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
    if (ago := _AGO.search(text)) and (passed := _days_ago(ago[1], ago[2])) is not None:
        return today - timedelta(days=passed)
    for word, days in sorted(_RELATIVE.items(), key=lambda one: -one[1]):
        if word in text:
            return today - timedelta(days=days)
    return None


def _days_ago(number: str, unit: str) -> int | None:
    """Return how many days ago 3 天, 两个月 or half a year are; None for some days, weeks or years."""
    days = _DAYS.get(unit.rstrip("s"), 0)
    if number in "几幾数數":
        return None if days else 0
    if number == "半":
        return days // 2
    return days * (
        int(number) if number.isdecimal() else 1 if number[0] == "a" else number_of(number)
    )


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
