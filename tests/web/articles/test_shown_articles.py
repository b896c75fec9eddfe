"""Articles as pages show them."""

from __future__ import annotations

from focuscrawl.search.search_query import read_query
from focuscrawl.search.search_results import Passage
from focuscrawl.web.articles.article_counts import ArticleCounts
from focuscrawl.web.articles.article_edits import NONE, Correction
from focuscrawl.web.articles.shown_articles import (
    LONGEST_TEXT,
    Part,
    ShownArticle,
    corrected,
    line,
    marked,
    paragraphs,
    parts_of,
)

PLAIN = ShownArticle(
    url_md5="0" * 32,
    url="http://a/",
    site="a",
    title=(Part("t"),),
    summary=(Part("s"),),
    tags=("a", "b"),
    published=None,
)


def test_the_words_of_a_query_are_marked() -> None:
    assert parts_of(Passage("学Python吧", ((1, 7),))) == (
        Part("学"), Part("Python", is_marked=True), Part("吧")
    )  # fmt: skip
    assert parts_of(Passage("ab", ((0, 1), (1, 2)))) == (
        Part("a", is_marked=True), Part("b", is_marked=True)
    )  # fmt: skip
    assert parts_of(Passage("")) == ()


def test_a_long_passage_is_cut_with_the_words_beyond() -> None:
    cut = parts_of(Passage("0123456789", ((1, 2), (4, 6), (8, 9))), 5)
    assert cut == (Part("0"), Part("1", is_marked=True), Part("234"), Part("…"))


def test_nothing_changes_the_direction_of_what_follows() -> None:
    assert line("a\u202eb\u2067c\n\0d") == "a b c  d"
    assert parts_of(Passage("\u202eab", ((1, 2),))) == (
        Part(" "), Part("a", is_marked=True), Part("b")
    )  # fmt: skip


def test_a_line_is_cut() -> None:
    assert line("x" * 1_000_000) == "x" * 160 + "…"


def test_corrections_take_the_place_of_what_is_stored() -> None:
    words = Correction(is_hidden=True, title="新 Python", summary="要", tags=())
    shown = corrected(PLAIN, words, ArticleCounts(3, 1), read_query("python"))
    assert shown.title == (Part("新 "), Part("Python", is_marked=True))
    assert (shown.plain_summary, shown.tags, shown.reads, shown.likes) == ("要", (), 3, 1)
    assert shown.is_hidden
    assert corrected(PLAIN, NONE, ArticleCounts()) == PLAIN


def test_words_in_another_form_are_marked_too() -> None:
    assert marked("機器学习", read_query("机器")).spans == ((0, 2),)


def test_a_text_is_told_by_paragraphs_and_ends_somewhere() -> None:
    assert paragraphs("a\n\n  b\r\nc\n \n") == ["a", "  b", "c"]
    assert paragraphs("") == []
    assert sum(map(len, paragraphs("长" * (LONGEST_TEXT + 5)))) == LONGEST_TEXT
