from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.templates.keywords import keyword_pattern


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("邮箱", "邮箱"),
        ("邮箱", "邮　　箱"),
        ("邮箱", "邮\xa0\xa0\xa0箱"),
        ("邮箱", "邮·箱"),
        ("邮箱", "郵箱"),
        ("联系我们", "聯繫我們"),
        ("电话", "電話"),
        ("电话", "电 话："),
        ("Tel", "TEL"),
        ("Tel", "ｔｅｌ"),
        ("Tel", "T e l"),
        ("E-mail", "Email"),
        ("Email", "E-mail"),
        ("Contact Us", "CONTACT  US"),
        ("联系我们", "联系我们 | Contact"),
    ],
)
def test_found(keyword: str, text: str) -> None:
    assert keyword_pattern([keyword]).search(text)


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("邮箱", "邮局在路口的文化信箱"),
        ("邮箱", "邮\n箱"),
        ("邮箱", "邮：箱"),
        ("Add", "Address"),
        ("Tel", "Hotel"),
        ("Tel", "Telephone"),
        ("Web", "website"),
    ],
)
def test_not_found(keyword: str, text: str) -> None:
    assert not keyword_pattern([keyword]).search(text)


def test_longest_synonym_first() -> None:
    match = keyword_pattern(["联系", "联系我们"]).search("请联系我们")
    assert match
    assert match[0] == "联系我们"


def test_digits_may_follow_latin_word() -> None:
    assert keyword_pattern(["Tel"]).search("TEL0571-88001234")


def test_without_keywords_nothing_is_found() -> None:
    assert not keyword_pattern([]).search("电话")
    assert not keyword_pattern(["--"]).search("--")


@given(st.lists(st.text(min_size=1, max_size=12), max_size=4))
def test_any_keywords_match_themselves(keywords: list[str]) -> None:
    pattern = keyword_pattern(keywords)
    for keyword in keywords:
        if keyword.isalnum():
            assert pattern.search(f" {keyword} ")
