from __future__ import annotations

import pytest

from focuscrawl.text.chinese_script import simplified, traditional


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("壽光澱粉廠", "寿光淀粉厂"),
        ("乾隆年間的餅乾", "乾隆年间的饼干"),
        ("Ａｂ１，①", "Ａｂ１，①"),  # widths are unchanged
        ("麥\ud800麥", "麦?麦"),
        ("", ""),
    ],
)
def test_traditional_text_in_simplified_characters(text: str, expected: str) -> None:
    assert simplified(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("寿光淀粉厂", "壽光澱粉廠"), ("饼干", "餅乾"), ("a\ud800麦", "a?麥")]
)
def test_simplified_text_in_traditional_characters(text: str, expected: str) -> None:
    assert traditional(text) == expected
