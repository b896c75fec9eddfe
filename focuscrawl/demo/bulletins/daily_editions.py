"""Bulletins of a day and their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from focuscrawl.demo.bulletins import bulletin_writing as writing
from focuscrawl.demo.bulletins.bulletin_writing import Block
from focuscrawl.demo.bulletins.buyer_places import (
    GBK_ONLY_FIRMS,
    LATE_REPORTERS,
    NEIGHBOURS,
    SHANDONG,
    City,
)
from focuscrawl.demo.bulletins.market_prices import Market
from focuscrawl.demo.repeatable_chance import draw, pick

MAIN, FIRST_OTHER, SECOND_OTHER, FLASH, PORTS = 1, 2, 3, 8, 9
"""Kinds of bulletins, the last digit of an article's number."""

DAYS_TO_CORRECTION = 2
DAYS_TO_WITHDRAWAL = 3

# Every quirk occurs once in nine days, so that a web of ten days has all of them.
_QUIRK_PERIOD = 9
_UTF8, _GBK, _BIG5, _FORMULA = 1, 3, 5, 7

_OTHERS = (
    ("河北", "玉米"),
    ("河南", "玉米"),
    ("山东", "小麦"),
    ("吉林", "玉米"),
    ("河北", "小麦"),
)
_HOURS = {MAIN: 8, FIRST_OTHER: 9, SECOND_OTHER: 10, FLASH: 7, PORTS: 11}
_CORRECTION_HOUR = 16
_TAILS = ("价格行情", "收购价格汇总", "最新价格", "价格一览")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulletin:
    """One article: its pages as blocks, and the codec and declared charset of each page."""

    day: date
    kind: int
    title: str
    heading: str
    commodity: str
    updated: datetime
    published: datetime
    pages: tuple[tuple[Block, ...], ...]
    encodings: tuple[str, ...]
    charset: str


def kinds_of_day(day: date, today: date) -> list[int]:
    """Return the kinds of bulletins of ``day`` that are online ``today``, newest first."""
    kinds = [MAIN, FIRST_OTHER, SECOND_OTHER]
    if today - day < timedelta(days=DAYS_TO_WITHDRAWAL):
        kinds.append(FLASH)
    if _quirk(day) == _BIG5:
        kinds.append(PORTS)
    return sorted(kinds, key=lambda kind: _HOURS[kind], reverse=True)


def title_of(seed: int, day: date, kind: int) -> str:
    """Return the title on the list page."""
    words = writing.long_date(day)
    if kind == FLASH:
        return f"{words}山东玉米早间快报"
    if kind == PORTS:
        return f"{words}山东玉米港口报价（繁体版）"
    province, commodity = _subject(day, kind)
    return f"{words}{province}{commodity}{pick(_TAILS, seed, day, kind, 'title')}"


def published_at(seed: int, day: date, kind: int) -> datetime:
    """Return the time of publication, in China's time zone."""
    return _moment(seed, day, _HOURS[kind], kind)


def updated_at(seed: int, day: date, kind: int, today: date) -> datetime:
    """Return the time of the last change as of ``today``, in China's time zone."""
    if _is_corrected(day, kind, today):
        return _moment(seed, day + timedelta(days=DAYS_TO_CORRECTION), _CORRECTION_HOUR, kind)
    return published_at(seed, day, kind)


def compose(seed: int, day: date, kind: int, today: date) -> Bulletin:
    """Return the content of the bulletin as of ``today``."""
    blocks = _blocks(seed, day, kind)
    if _is_corrected(day, kind, today):
        firm = pick(LATE_REPORTERS, seed, day, "late")
        blocks.append(writing.late_report(Market(seed, "玉米"), firm, day))
    title = title_of(seed, day, kind)
    pages = _split(blocks, _page_count(seed, day, kind))
    return Bulletin(
        day=day,
        kind=kind,
        title=title,
        heading=f"{writing.long_date(day)}山東玉米港口報價" if kind == PORTS else title,
        commodity=_subject(day, kind)[1],
        updated=updated_at(seed, day, kind, today),
        published=published_at(seed, day, kind),
        pages=pages,
        encodings=_encodings(day, kind, len(pages)),
        charset="big5" if kind == PORTS else "gb2312",
    )


def _blocks(seed: int, day: date, kind: int) -> list[Block]:
    if kind == MAIN:
        return _main_blocks(Market(seed, "玉米"), day, _page_count(seed, day, kind))
    if kind == FLASH:
        market = Market(seed, "玉米")
        cities = [writing.firms_of_city(market, city, day) for city in SHANDONG[:2]]
        return [writing.lead(day, "山东玉米早间"), *cities]
    if kind == PORTS:
        return list(writing.ports_in_traditional(Market(seed, "玉米"), day))
    province, commodity = _subject(day, kind)
    cities_of = SHANDONG[:2] if province == "山东" else NEIGHBOURS[province]
    return _other_blocks(Market(seed, commodity), cities_of, day, province)


def _main_blocks(market: Market, day: date, pages: int) -> list[Block]:
    cities = [writing.firms_of_city(market, city, day) for city in SHANDONG[: 2 * pages]]
    if _quirk(day) == _GBK:
        cities.append(writing.firms_of_city(market, City("聊城", GBK_ONLY_FIRMS, ()), day))
    tables = [
        writing.county_table(market, SHANDONG[:4], day, formula=_quirk(day) == _FORMULA),
        writing.county_table(market, SHANDONG[4:], day),
    ]
    return [
        writing.lead(day, "山东玉米"),
        *cities,
        writing.feed_mills(market, day),
        writing.traders(market, day),
        *tables[: 1 if pages < 3 else 2],
        writing.closing(day),
    ]


def _other_blocks(market: Market, cities: Sequence[City], day: date, province: str) -> list[Block]:
    return [
        writing.lead(day, province + market.commodity),
        *(writing.firms_of_city(market, city, day) for city in cities),
        writing.county_table(market, cities, day),
    ]


def _subject(day: date, kind: int) -> tuple[str, str]:
    if kind not in (FIRST_OTHER, SECOND_OTHER):
        return "山东", "玉米"
    return _OTHERS[(2 * day.toordinal() + kind) % len(_OTHERS)]


def _page_count(seed: int, day: date, kind: int) -> int:
    if kind != MAIN:
        return 1
    # The page in the wrong charset is the last of several, so that the first one does not reveal it.
    fewest = 2 if _quirk(day) == _UTF8 else 1
    return max(fewest, 1 + int(4 * draw(seed, day, "pages")))


def _encodings(day: date, kind: int, pages: int) -> tuple[str, ...]:
    if kind == PORTS:
        return ("big5",)
    if kind == MAIN and _quirk(day) == _GBK:
        return ("gbk",) * pages
    if kind == MAIN and _quirk(day) == _UTF8:
        return ("gb2312",) * (pages - 1) + ("utf-8",)
    return ("gb2312",) * pages


def _split(blocks: Sequence[Block], pages: int) -> tuple[tuple[Block, ...], ...]:
    cuts = [len(blocks) * n // pages for n in range(pages + 1)]
    return tuple(tuple(blocks[start:end]) for start, end in pairwise(cuts))


def _is_corrected(day: date, kind: int, today: date) -> bool:
    return kind == MAIN and today - day >= timedelta(days=DAYS_TO_CORRECTION)


def _quirk(day: date) -> int:
    return day.toordinal() % _QUIRK_PERIOD


def _moment(seed: int, day: date, hour: int, kind: int) -> datetime:
    seconds = int(3600 * draw(seed, day, kind, hour, "moment"))
    return datetime.combine(day, time(hour)) + timedelta(seconds=seconds)
