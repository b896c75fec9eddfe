"""Calendars are told from archives by month and from daily series."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from focuscrawl.policy.calendars import Calendars, dated_pattern

SITE = "http://a.test"
MENU = [f"{SITE}/", f"{SITE}/about/", f"{SITE}/loans/"]
URLS = [
    "/cal?y={y}&m={m}",
    "/cal?year={y}&month={m:02}",
    "/cal.php?ym={y}{m:02}",
    "/cal.php?date={y}-{m:02}-01",
    "/?tribe-bar-date={y}-{m:02}-01&eventdisplay=month",
    "/events?category=3&from={y}-{m}-1&to={y}-{m}-28",
    "/{y}/{m:02}/",
    "/{y}-{m:02}",
    "/rili/{y}{m:02}.html",
    "/events/{y}/{m}/list/",
]


def months(count: int = 150) -> Iterator[tuple[int, int]]:
    """Yield months, backwards from March 2026."""
    for number in range(count):
        yield 2026 - (number + 9) // 12, (2 - number) % 12 + 1


def address(pattern: str, year: int, month: int) -> str:
    return SITE + pattern.format(y=year, m=month)


@pytest.mark.parametrize("pattern", URLS)
def test_pages_that_differ_in_dates_only_are_a_calendar(pattern: str) -> None:
    calendars = Calendars()
    for place, (year, month) in enumerate(months()):
        url = address(pattern, year, month)
        text = f"{year}年{month}月理财日历 存款利率、理财、基金、股票的行情 {' '.join(map(str, range(1, 31)))}"
        links = [*MENU, address(pattern, year - 1, month), address(pattern, year, month % 12 + 1)]
        if found := calendars.visited(url, text, links):
            assert found == dated_pattern(url)
            assert place < 20
            assert dated_pattern(address(pattern, 2031, 1)) in calendars.found
            return
    pytest.fail("150 pages of a calendar")


@pytest.mark.parametrize("pattern", URLS)
@pytest.mark.parametrize("article", ["/news/{n}.html", "/{y}/{m:02}/{n}/", "/a/{y}{m:02}15.html"])
def test_an_archive_by_month_leads_to_articles(pattern: str, article: str) -> None:
    calendars = Calendars()
    for number, (year, month) in enumerate(months()):
        text = f"{year}年{month}月归档 玉米行情 第{number % 31}期"
        links = [*MENU, SITE + article.format(y=year, m=month, n=number)]
        assert not calendars.visited(address(pattern, year, month), text, links)


def test_a_daily_series_has_figures_of_its_own() -> None:
    calendars = Calendars()
    for number in range(150):
        day = date(2026, 3, 5) - timedelta(number)
        text = f"{day}玉米收购价格 寿光金玉米 {2280 + number}元/吨"
        links = [*MENU, f"{SITE}/price/{day - timedelta(1)}.html"]
        assert not calendars.visited(f"{SITE}/price/{day}.html", text, links)


def test_a_calendar_of_months_and_days_ends_with_its_days() -> None:
    calendars = Calendars()
    waiting = [f"{SITE}/{y}/{m:02}/" for y, m in months()]
    visits = 0
    while waiting:
        url = waiting.pop(0)
        if dated_pattern(url) in calendars.found:
            continue
        visits += 1
        days = [f"{url}{day:02}/" for day in range(1, 29)] if url.count("/") == 5 else []
        calendars.visited(url, "理财日历 没有活动", [*MENU, *days])
        waiting = days + waiting
    assert visits < 60


def test_events_with_further_pages_end_behind_the_last() -> None:
    calendars = Calendars()
    last = 0
    for number, (year, month) in enumerate(months()):
        events = [f"{SITE}/event/{number}"] if number < 10 else []
        words = f"讲座{chr(0x4E00 + 40 * number)}" if events else "没有活动"
        if calendars.visited(f"{SITE}/events?date={year}-{month:02}", words, [*MENU, *events]):
            last = number
    assert 10 < last < 40


@pytest.mark.parametrize(
    "path", ["/", "/news/123.html", "/?p=12", "/2019/07/12/word2vec/", "/list?page=3", "/a2024b/"]
)
def test_other_urls_have_no_date(path: str) -> None:
    assert dated_pattern(SITE + path) == ""
