"""What stands for "no such article"."""

from __future__ import annotations

import pytest

from focuscrawl.articles.soft_404_detection import MissingPages, impossible_numbers, is_home
from focuscrawl.articles.url_patterns import UrlPattern

HOST = "http://host.test"
PATTERN = UrlPattern(f"{HOST}/article/{{n}}.htm")


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("", True),
        ("/", True),
        ("/index.html", True),
        ("/home/", True),
        ("/?id=7", False),
        ("/indexes/", False),
    ],
)
def test_home_pages(path: str, home: bool) -> None:
    assert is_home(HOST + path) is home


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"{HOST}/article/7.htm", ""),
        ("https://host.test/article/7.html", ""),
        (f"{HOST}/2024/7", ""),
        ("https://other.test/", "sent home"),
        (f"{HOST}/article/55.htm", "sent to number 55"),
        ("https://www.host.test/article/55.htm/", "sent to number 55"),
        (f"{HOST}/lost", "sent elsewhere"),
        (f"{HOST}/error.php?id=7", "sent elsewhere"),
    ],
)
def test_where_a_request_is_led_to(url: str, reason: str) -> None:
    pages = MissingPages(PATTERN, redirect=r"/error\.php")
    pages.learn(f"{HOST}/lost", "", was_redirected=True)
    assert pages.redirect_reason(7, url) == reason


def test_the_look_of_numbers_that_cannot_exist_is_learnt() -> None:
    pages = MissingPages(PATTERN)
    assert pages.look_reason("") == ""
    for number in impossible_numbers(0):
        pages.learn(PATTERN.url(number), "a", was_redirected=False)
    assert (pages.look_reason("a"), pages.look_reason("b"), pages.varies) == ("soft 404", "", False)  # fmt: skip
    pages.learn(PATTERN.url(9), "b", was_redirected=False)
    assert pages.varies


def test_pages_that_differ_matter_not_where_all_are_led_to_one() -> None:
    pages = MissingPages(PATTERN)
    for look in "ab":
        pages.learn(f"{HOST}/", look, was_redirected=True)
    assert not pages.varies


@pytest.mark.parametrize("highest", [0, 80_000, 202_603_051_200])
def test_numbers_that_cannot_exist_are_beyond_the_highest(highest: int) -> None:
    first, second = impossible_numbers(highest)
    assert first != second
    assert min(first, second) > 9 * highest


def test_a_page_that_comes_twice_is_a_wall_if_numbers_that_cannot_exist_get_it_too() -> None:
    pages = MissingPages(PATTERN)
    doubtful = [
        pages.is_doubtful(look, number) for number, look in enumerate(["a", "b", "", "", "a", "b"])
    ]
    assert doubtful == [False, False, False, False, True, True]
    assert pages.judge("a", probe_look="a") == 0
    assert pages.judge("b", probe_look="a") is None
    assert [pages.is_wall(look) for look in "abc"] == [True, False, False]
    assert not any(pages.is_doubtful(look, 9) for look in "abab")
    later = MissingPages(PATTERN)
    later.expect_walls(pages.walls)
    assert [later.is_wall(look) for look in "abc"] == [True, False, False]


def test_the_same_page_for_number_after_number_is_a_wall_whatever_others_get() -> None:
    pages = MissingPages(PATTERN)
    posted_thrice = [pages.add_article("test", "1", number) for number in (1, 2, 3)]
    draws = [pages.add_article("digits folded", str(number), number) for number in range(4, 20)]
    same = [pages.add_article("gone", "2", number) for number in range(20, 30)]
    assert posted_thrice == [None] * 3
    assert draws == [None] * 16
    assert same == [None] * 5 + [20] + [None] * 4
    assert [pages.is_wall(look) for look in ("test", "digits folded", "gone")] == [
        False,
        False,
        True,
    ]
