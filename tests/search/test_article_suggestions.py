"""Suggestions by words, by likes and by both, and the tags that make sections."""

from __future__ import annotations

import pytest

from focuscrawl.search.article_suggestions import (
    LikeIndex,
    Suggestion,
    TextIndex,
    distinct_tags,
    merged,
)

NONE: frozenset[str] = frozenset()
TEXTS = {
    "spider": "Python 爬虫 入门",
    "scrapy": "用 Scrapy 写网络爬虫 2026",
    "maize": "山东玉米价格上涨",
    "wheat": "小麦价格与玉米价格 2026",
    "empty": "",
    "numbers": "2026 12345",
}


def test_texts_like_those_that_a_reader_marked_come_with_their_words() -> None:
    index = TextIndex(TEXTS)
    (found,) = index.like(["Python 爬虫 入门"], frozenset({"spider"}), 5)
    assert found == Suggestion("scrapy", ("爬虫",))
    both = index.like(["爬虫", "玉米 价格 爬虫"], NONE, 3)
    assert {one.key for one in both[:3]} == {"spider", "scrapy", "wheat"}
    # Traditional and full-width writing is the same.
    assert index.like(["價格 ＰＹＴＨＯＮ"], NONE, 9)[0].key in ("spider", "wheat")


@pytest.mark.parametrize("marked", [[], [""], ["2026 12345"], ["没有别人写过的量子纠缠"]])
def test_a_reader_whose_words_nobody_else_has_gets_nothing(marked: list[str]) -> None:
    assert TextIndex(TEXTS).like(marked, NONE, 5) == []


@pytest.mark.parametrize("texts", [{}, {"a": ""}, {"a": "，。"}])
def test_texts_without_words_are_like_none(texts: dict[str, str]) -> None:
    assert TextIndex(texts).like(["爬虫"], NONE, 5) == []


def test_words_that_most_texts_have_tell_nothing() -> None:
    texts = {str(n): f"讲座 {'爬虫' if n % 3 else '玉米'}" for n in range(12)}
    found = TextIndex(texts).like(["讲座 玉米"], NONE, 99)
    assert found == [Suggestion(str(n), ("玉米",)) for n in (0, 3, 6, 9)]
    assert TextIndex(dict.fromkeys("0123456789", "讲座")).like(["讲座"], NONE, 5) == []


def _readers(prefix: str, keys: str, number: int = 4) -> list[tuple[str, str]]:
    return [(f"{prefix}{n}", key) for n in range(number) for key in keys[: 4 - n % 2]]


def test_readers_alike_like_it() -> None:
    index = LikeIndex([*_readers("p", "abcd"), *_readers("m", "wxyz")])
    found = index.like("ab", frozenset("ab"), 5)
    assert found == [Suggestion("c", readers=4), Suggestion("d", readers=2)]
    assert [one.key for one in index.like("w", frozenset("wx"), 5)] == ["y", "z"]
    assert index.like("q", NONE, 5) == index.like("", NONE, 5) == []


def test_what_only_one_reader_alike_likes_is_not_told() -> None:
    index = LikeIndex([*_readers("p", "abcd"), ("p0", "secret"), ("other", "x")])
    assert "secret" not in [one.key for one in index.like("a", frozenset("a"), 9)]


@pytest.mark.parametrize(
    "likes", [[], _readers("p", "abcd"), _readers("p", "a", 9)], ids=["none", "few", "one article"]
)
def test_too_little_is_known_to_compare_readers(likes: list[tuple[str, str]]) -> None:
    assert LikeIndex(likes).like("a", frozenset("a"), 5) == []


def test_readers_who_all_like_the_same_know_no_more() -> None:
    same = LikeIndex([(f"r{n}", key) for n in range(9) for key in "ab"])
    assert same.like("ab", frozenset("ab"), 5) == []
    assert same.like("a", frozenset("a"), 5) == [Suggestion("b", readers=9)]


def test_what_two_lists_have_comes_first_with_both_reasons() -> None:
    words = [Suggestion("a", ("x",)), Suggestion("b", ("y",))]
    likes = [Suggestion("b", readers=3), Suggestion("c", readers=2)]
    assert merged([words, likes]) == [Suggestion("b", ("y",), 3), words[0], likes[1]]
    assert merged([[], []]) == []


def test_sections_are_tags_that_cover_different_articles() -> None:
    tagged = [
        *[["教程", "Python", "爬虫"]] * 4,
        *[["教程", "python"]],
        *[["教程", "理财"]] * 3,
        *[["教程", "少见"]],
        *[["网络安全"]] * 2,
        [],
    ]
    # On most articles: 教程; on no others than Python: 爬虫.
    assert distinct_tags(tagged, 6, 2) == ["Python", "理财", "网络安全"]
    assert distinct_tags(tagged, 1, 2) == ["Python"]
    assert distinct_tags([], 6, 2) == distinct_tags([[], [" "]], 6, 2) == []
