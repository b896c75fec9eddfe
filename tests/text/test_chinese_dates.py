from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.chinese_dates import find_date, find_full_date, in_digits

TODAY = date(2017, 2, 22)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2017年1月11日山东玉米价格", date(2017, 1, 11)),
        ("更新时间:2017/1/11 6:17:56", date(2017, 1, 11)),
        ("2017-01-11", date(2017, 1, 11)),
        ("2017.1.11", date(2017, 1, 11)),
        ("２０１７年１月１１日", date(2017, 1, 11)),
        ("2017年13月1日,2017年3月1日", date(2017, 3, 1)),
        ("[02-22]", date(2017, 2, 22)),
        ("[02-23]", date(2017, 2, 23)),
        ("[02-24]", date(2016, 2, 24)),
        ("12月31日", date(2016, 12, 31)),
        ("02-29", date(2016, 2, 29)),
        ("昨日行情", date(2017, 2, 21)),
        ("今日行情", date(2017, 2, 22)),
        ("没有日期", None),
        ("1234567-89", None),
        ("17年2月20日", date(2017, 2, 20)),
        ("9999-12-31 玉米", None),
        ("0001-01-01", None),
        ("99999-01-01", None),
        ("99999年9月9日", None),
        ("9999 年 1月 1日", None),
        ("1-12-99999", None),
        ("1989-12-31", None),
        ("1990-01-01", date(1990, 1, 1)),
        ("2018-02-22", date(2018, 2, 22)),
        ("2018-02-24", None),
        ("2019年1月1日起,今日", date(2017, 2, 22)),
        ("2099-01-01 [02-20]", date(2017, 2, 20)),
        ("09 / Apr / 2016", date(2016, 4, 9)),
        ("Posted on January 3rd, 2016", date(2016, 1, 3)),
        ("May 5", date(2016, 5, 5)),
        ("maybe 5", None),
        ("二月 20日", date(2017, 2, 20)),
        ("二〇一六年十二月三十一日", date(2016, 12, 31)),
        ("发表于 3 天前", date(2017, 2, 19)),
        ("2小时前", date(2017, 2, 22)),
        ("1 week ago", date(2017, 2, 15)),
        ("昨天 10:05", date(2017, 2, 21)),
        ("民國106年2月20日", date(2017, 2, 20)),
        ("民国 106.02.20", date(2017, 2, 20)),
        ("發布日期：106-02-20", date(2017, 2, 20)),
        ("106/02/20", date(2017, 2, 20)),
        ("106年2月20日", date(2017, 2, 20)),
        ("民國99年2月20日", date(2010, 2, 20)),
        ("115-02-20", None),
        ("電話 106-02-201", None),
        ("106-13-20", None),
        ("1106-02-20", None),
        ("2017-02-20T16:30:00Z", date(2017, 2, 21)),
        ("2017-02-20T16:30:00.123Z", date(2017, 2, 21)),
        ("2017-02-20T15:59:59+00:00", date(2017, 2, 20)),
        ("2017-02-20T08:30-0800", date(2017, 2, 21)),
        ("2017-02-21 00:30:00 +0800", date(2017, 2, 21)),
        ("20170220T163000Z", date(2017, 2, 21)),
        ("Mon, 20 Feb 2017 16:30:00 GMT", date(2017, 2, 21)),
        ("2017-02-20T23:30:00", date(2017, 2, 20)),
        ("2017-02-20 20:00-23:00", date(2017, 2, 20)),
        ("20170220", date(2017, 2, 20)),
        ("发布：20170220", date(2017, 2, 20)),
        ("20170220103000", date(2017, 2, 20)),
        ("[20170220 10:30]", date(2017, 2, 20)),
        ("Destoon 20160827版本", None),
        ("20170220元", None),
        ("ab20170220", None),
        ("20171320", None),
        ("16年2月20日", date(2016, 2, 20)),
        ("17-01-31", date(2017, 1, 31)),
        ("12-03-14", None),
        ("10-02-11", None),
        ("二○一七年二月二十日", date(2017, 2, 20)),
        ("2分鐘前", TODAY),
        ("3小時前", TODAY),
        ("剛剛", TODAY),
        ("兩天前", date(2017, 2, 20)),
        ("2週前", date(2017, 2, 8)),
        ("半小时前", TODAY),
        ("几分钟前", TODAY),
        ("几天前", None),
        ("前天 10:05", date(2017, 2, 20)),
        ("大前天", date(2017, 2, 19)),
        ("1 個月前", date(2017, 1, 23)),
        ("an hour ago", TODAY),
        ("5 mins ago", TODAY),
        ("Just now", TODAY),
    ],
)
def test_dates_are_found(text: str, found: date | None) -> None:
    assert find_date(text, TODAY) == found


def test_a_date_without_year_is_not_a_full_date() -> None:
    assert find_full_date("[02-22]", TODAY) is None


@given(st.text(), st.dates(min_value=date(1990, 1, 1), max_value=date(2090, 1, 1)))
def test_no_text_raises(text: str, today: date) -> None:
    assert find_date(text, today) is None or isinstance(find_date(text, today), date)


@given(st.dates(min_value=date(1990, 1, 1), max_value=TODAY))
def test_a_printed_date_is_read_as_the_same_date(day: date) -> None:
    assert find_date(f"{day.year}年{day.month}月{day.day}日", TODAY) == day
    assert find_full_date(day.isoformat(), TODAY) == day


# Months and numbers in words become digits; other text stays as it is.

_NUMERALS = "一二三四五六七八九十"


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("二〇一八年十二月三十一日", "2018年12月31日"),
        ("二零二四年十月二十日", "2024年10月20日"),
        ("三月五号", "3月5号"),
        ("9 Apr 2018", " 2018-04-09 "),
        ("September 1st", " 9月1日 "),
        ("Sept. 1, 2020", " 2020-09-01 "),
        ("三月", "3月"),
        ("一个月", "一个月"),
        ("十一长假", "十一长假"),
        ("Maypole 3", "Maypole 3"),
        ("March", "March"),
        ("20 2024-03", "2024-03-20"),
        ("2024年3月 20日", "2024-03-20"),
        ("03/20 2024", "2024-03-20"),
        ("2024 03-20", "2024-03-20"),
        ("20 03.2024", "2024-03-20"),
        ("2024 3 20", "2024-03-20"),
        ("20 三月", "03-20"),
        ("共 20 2024-03 期", "共 20 2024-03 期"),
        ("20 30", "20 30"),
    ],
)
def test_words_become_digits(text: str, digits: str) -> None:
    assert in_digits(text) == digits


@given(
    st.dates(date(1990, 1, 1), date(2026, 1, 1)),
    st.sampled_from(["%d %B %Y", "%b %d, %Y", "%B %d %Y"]),
)
def test_any_english_date_is_read(day: date, form: str) -> None:
    assert find_full_date(day.strftime(form), date(2026, 1, 1)) == day


@given(st.text(st.sampled_from(f"{_NUMERALS}〇零年月日号 0129/-JanMarDec,."), max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(in_digits(text), str)
