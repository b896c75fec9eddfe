"""Months and numbers in words become digits; other text stays as it is."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.chinese_dates import find_full_date, in_digits

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
