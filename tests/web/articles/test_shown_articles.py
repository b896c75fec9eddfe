"""Articles as pages show them."""

from __future__ import annotations

from focuscrawl.search.search_query import read_query
from focuscrawl.search.search_results import Passage
from focuscrawl.web.articles.shown_articles import (
    LONGEST_TEXT,
    Part,
    marked,
    paragraphs,
    parts_of,
)


def test_the_words_of_a_query_are_marked_in_any_form() -> None:
    assert parts_of(Passage("学Python吧", ((1, 7),))) == (
        Part("学"), Part("Python", is_marked=True), Part("吧")
    )  # fmt: skip
    assert parts_of(Passage("\u202eab", ((1, 2), (2, 3)))) == (
        Part(" "), Part("a", is_marked=True), Part("b", is_marked=True)
    )  # fmt: skip
    assert parts_of(Passage("")) == ()
    assert marked("機器学习", read_query("机器")).spans == ((0, 2),)


def test_a_long_passage_is_cut_with_the_words_beyond() -> None:
    cut = parts_of(Passage("0123456789", ((1, 2), (4, 6), (8, 9))), 5)
    assert cut == (Part("0"), Part("1", is_marked=True), Part("234"), Part("…"))


def test_a_text_is_told_by_paragraphs_and_ends_somewhere() -> None:
    assert paragraphs("a\n\n  b\r\nc\n \n") == ["a", "  b", "c"]
    assert paragraphs("") == []
    assert sum(map(len, paragraphs("长" * (LONGEST_TEXT + 5)))) == LONGEST_TEXT
