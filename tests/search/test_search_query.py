"""Queries of users as pieces and terms, without operators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_query import Query, read_query


@pytest.mark.parametrize(
    ("text", "pieces", "parts"),
    [
        ("机器学习 教程", ["机器", "学习", "教程"], []),
        ("機器學習", ["机器", "学习"], []),
        ("我的猫", ["猫"], ["猫"]),
        ("谷歌", ["谷歌"], []),  # in no dictionary
        ("的", ["的"], ["的"]),
        ("the python", ["python"], []),
        ("A股", ["a股"], []),
        ("2024年", ["2024年"], []),
        ("涨了3元", ["涨", "3元"], ["涨"]),
        ("价格3", ["价格3"], []),
        ('"漏洞" NEAR(-学习* OR', ["漏洞", "near", "学习"], []),
    ],
)
def test_pieces_and_parts_of_a_query(text: str, pieces: list[str], parts: list[str]) -> None:
    query = read_query(text)
    assert (list(query.pieces), list(query.parts)) == (pieces, parts)


def test_a_run_of_words_is_a_phrase() -> None:
    assert read_query("机器学习 教程").phrases == ("机器学习",)


@pytest.mark.parametrize("text", ["", "  ", "%_", '"" -+*', "\0", "😀"])
def test_a_query_without_words_is_an_error(text: str) -> None:
    with pytest.raises(ArgumentError, match="give letters or digits"):
        read_query(text)


def test_a_query_of_ten_thousand_characters_is_an_error() -> None:
    with pytest.raises(ArgumentError, match=r"10,000 characters; shorten it to at most 500"):
        read_query("猫" * 10_000)


@given(st.text(max_size=500))
def test_any_text_is_a_query_or_an_error_of_one_line(text: str) -> None:
    try:
        query = read_query(text)
    except ArgumentError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert isinstance(query, Query)
        assert query.terms or query.parts
        assert query.pattern.search(" ".join(query.pieces))
