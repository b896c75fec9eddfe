"""What related articles share."""

from __future__ import annotations

from typing import Any

from focuscrawl.search.article_search import COMMON_WORDS, most_related
from focuscrawl.search.search_results import TextCandidate


def candidate(number: int, **fields: Any) -> TextCandidate:
    plain: dict[str, Any] = {
        "key": str(number),
        "url": f"http://n.example/{number}",
        "site": "n.example",
        "series": "http://n.example/{n}",
        "number": number,
        "published": None,
        "title": "标题",
        "tags": (),
        "description": "",
        "body": "",
    }
    return TextCandidate(**(plain | fields))


def test_tags_are_shared_whatever_their_form_and_shown_as_the_other_has_them() -> None:
    own = candidate(1, tags=("python", "爬蟲", "自己的"))
    (found,) = most_related(own, [candidate(2, tags=("爬虫", "Python", "别的"))], 5)
    assert found.shared_tags == ("爬虫", "Python")


def test_words_are_named_the_weightiest_first_without_numbers_and_single_letters() -> None:
    text = "数据库 连接 2024 年 的 查询 索引 事务 备份 a b"
    own = candidate(1, title="数据库", body=text)
    others = [candidate(2, title="数据库", body=text), candidate(3, title="足球", body="比赛 连接")]
    first, second = most_related(own, others, 5)
    assert (first.number, second.number) == (2, 3)
    assert first.shared_words[0] == "数据库"
    assert len(first.shared_words) == COMMON_WORDS
    assert not any("#" in word or len(word) == 1 for word in first.shared_words)
    assert second.shared_words == ("连接",)


def test_nothing_shared_is_not_related() -> None:
    assert most_related(candidate(1, title="足球"), [candidate(2, title="数据库")], 5) == []
