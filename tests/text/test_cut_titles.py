"""Titles that end in an ellipsis, and what completes them."""

from __future__ import annotations

import pytest

from focuscrawl.text.cut_titles import completes, is_cut, whole_title


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("山东玉米价格…", True),
        ("山东玉米价格……", True),
        ("山东玉米价格...", True),
        ("[山东玉米价格..]", True),
        ("山东玉米价格", False),
        ("Version 2.", False),
        ("说……就说", False),
        ("", False),
    ],
)
def test_cut_titles_are_told(title: str, expected: bool) -> None:
    assert is_cut(title) == expected


@pytest.mark.parametrize(
    ("title", "cut", "expected"),
    [
        ("山东玉米价格稳中有涨", "山东玉米价格…", True),
        ("山东 玉米价格稳中有涨", "山东玉米价格 ...", True),
        ("山东玉米价格…", "山东玉米价格…", True),
        ("东北玉米价格稳中有涨", "山东玉米价格…", False),
        ("山东玉米价格稳中有涨", "山东玉米价格", False),
        ("山东玉米价格", "山东玉米价格…", False),
        ("啊呀呀", "啊…", False),
    ],
)
def test_what_completes_a_title(title: str, cut: str, expected: bool) -> None:
    assert completes(title, cut) == expected


@pytest.mark.parametrize(
    ("window", "cut", "title"),
    [
        ("山东玉米价格稳中有涨-某某网", "山东玉米价格...", "山东玉米价格稳中有涨"),
        ("山东玉米价格稳中有涨_行情_某某网", "山东玉米价格…", "山东玉米价格稳中有涨"),
        ("山东玉米价格稳中有涨 - 某某网", "山东玉米价格…", "山东玉米价格稳中有涨"),
        ("山东玉米价格稳中有涨", "山东玉米价格…", "山东玉米价格稳中有涨"),
        ("山东-玉米价格2280-2300元 | 某某网", "山东-玉米价格…", "山东-玉米价格2280-2300元"),
        ("山东玉米——粮食之首——某某", "山东玉米……", "山东玉米——粮食之首——某某"),
        ("某某网-山东玉米价格稳中有涨", "山东玉米价格…", ""),
        ("山东玉米价格-某某网", "山东玉米价格…", ""),
        ("山东玉米价格稳中有涨-某某网", "山东玉米价格", ""),
        ("", "山东玉米价格…", ""),
    ],
)
def test_the_title_of_a_window_without_the_name_of_the_site(
    window: str, cut: str, title: str
) -> None:
    assert whole_title(window, cut) == title
