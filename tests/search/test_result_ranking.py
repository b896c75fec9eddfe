"""Ranking, snippets and related articles, from texts only."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.search.article_search import COMMON_WORDS, key_words, most_related, ranked
from focuscrawl.search.search_query import read_query
from focuscrawl.search.search_results import WIDTH, Passage, Related, TextCandidate, snippet
from focuscrawl.text.character_folding import normal_characters


def candidate(key: str, **fields: Any) -> TextCandidate:
    plain: dict[str, Any] = {
        "key": key,
        "url": f"http://n.example/{key}",
        "site": "n.example",
        "series": "http://n.example/{n}",
        "number": 1,
        "published": None,
        "title": "",
        "tags": (),
        "description": "",
        "body": "",
    }
    return TextCandidate(**(plain | fields))


def order(query: str, *candidates: TextCandidate, limit: int = 9) -> list[str]:
    found = ranked(read_query(query), candidates, limit)
    return [one.url.rpartition("/")[2] for one in found]


def marked(passage: Passage) -> list[str]:
    return [passage.text[start:end] for start, end in passage.spans]


def test_title_before_tags_before_description_before_body() -> None:
    given_fields: dict[str, Any] = {
        "body": {"body": "漏洞"},
        "description": {"description": "漏洞"},
        "tags": {"tags": ("漏洞",)},
        "title": {"title": "漏洞"},
    }
    entries = [candidate(name, **fields) for name, fields in given_fields.items()]
    assert order("漏洞", *entries) == ["title", "tags", "description", "body"]
    assert order("漏洞", *entries, limit=2) == ["title", "tags"]


def test_phrases_rank_before_separate_words() -> None:
    apart = candidate("apart", body="学习用的机器")
    together = candidate("together", body="讲的是机器学习")
    assert order("机器学习", apart, together) == ["together", "apart"]


def test_ties_are_ordered_by_date_and_key() -> None:
    old, new = date(2020, 1, 1), date(2021, 1, 1)
    days = {"b": old, "a": old, "c": new, "d": None}
    entries = [candidate(key, body="猫粮", published=day) for key, day in days.items()]
    assert order("猫粮", *entries) == ["c", "a", "b", "d"]


def test_articles_that_match_by_chance_are_omitted_if_read_completely() -> None:
    body = "pyth ytho thon"  # has all trigrams of the word
    assert order("python", candidate("chance", body=body)) == []
    assert order("python", candidate("long", body=body, is_whole=False)) == ["long"]


def test_words_that_overlap_in_the_text_are_both_found() -> None:
    assert order("机器学习 学习机", candidate("a", body="机器学习机")) == ["a"]
    assert order("2024年", candidate("a", body="在 2024 年")) == ["a"]


def test_short_latin_words_rank_best_as_whole_words() -> None:
    part, word = candidate("a", body="category, cargo, gone"), candidate("b", body="用Go写，Go")
    assert order("go", part, word) == ["b", "a"]


def test_query_words_are_marked_in_the_original_text() -> None:
    one = candidate("a", title="機器學習 101", body="关于ＰＹＴＨＯＮ的機器\n學習")
    (found,) = ranked(read_query("机器 学习 python"), [one], 1)
    assert marked(found.title) == ["機器", "學習"]
    assert found.snippet.text == "关于ＰＹＴＨＯＮ的機器 學習"
    assert marked(found.snippet) == ["ＰＹＴＨＯＮ", "機器", "學習"]


def test_a_snippet_contains_most_words() -> None:
    body = "漏洞" + "，别的" * 100 + "漏洞与补丁" + "，别的" * 100
    (found,) = ranked(read_query("补丁 漏洞"), [candidate("a", body=body)], 1)
    assert marked(found.snippet) == ["漏洞", "补丁"]
    assert found.snippet.text[0] == found.snippet.text[-1] == "…"


@given(st.text(max_size=400), st.data())
def test_a_snippet_is_one_short_line_with_the_given_spans(text: str, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(0, max(0, len(text) - 2)), unique=True, max_size=9))
    spans = [(start, start + 2) for start in sorted(starts) if start + 2 <= len(text)]
    passage = snippet(text, spans, normal_characters(text))
    assert len(passage.text) <= WIDTH + 2
    assert passage.text.isprintable()
    assert bool(passage.spans) == bool(spans)
    assert all(0 <= start < end <= len(passage.text) for start, end in passage.spans)


def related(own: TextCandidate, *others: TextCandidate) -> dict[str, Related]:
    return {one.url.rpartition("/")[2]: one for one in most_related(own, others, 5)}


def test_related_articles_share_tags_or_rare_words() -> None:
    own = candidate("own", title="漏洞修复", tags=("安全",), body="缓冲区溢出的漏洞怎样修复")
    tagged = candidate("tagged", title="别的", tags=("安全",), body="防火墙")
    worded = candidate("worded", title="又一个漏洞", body="缓冲区溢出")
    neither = candidate("neither", title="养猫", body="猫粮")
    assert [*related(own, neither, worded, tagged, own)] == ["tagged", "worded"]
    assert key_words(own)[0] == "安全"
    assert "漏洞" in key_words(own)


def test_tags_are_shared_whatever_their_form_and_shown_as_the_other_has_them() -> None:
    own = candidate("own", tags=("python", "爬蟲", "自己的"))
    found = related(own, candidate("other", tags=("爬虫", "Python", "别的")))
    assert found["other"].shared_tags == ("爬虫", "Python")


def test_words_are_named_the_weightiest_first_without_numbers_and_single_letters() -> None:
    text = "数据库 连接 2024 年 的 查询 索引 事务 备份 a b"
    own = candidate("own", title="数据库", body=text)
    same, little = (
        candidate("same", title="数据库", body=text),
        candidate("little", body="比赛 连接"),
    )
    found = related(own, same, little)
    assert [*found] == ["same", "little"]
    assert found["same"].shared_words[0] == "数据库"
    assert len(found["same"].shared_words) == COMMON_WORDS
    assert not any("#" in word or len(word) == 1 for word in found["same"].shared_words)
    assert found["little"].shared_words == ("连接",)
