from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.normal_form import normal_form
from focuscrawl.topics import Lexicon, PageRule, Topic, load_topic, page_relevance

WEIGHTS = {
    "AI": 1.5,
    "机器学习": 4,
    "机器": 0.5,
    "Machine Learning": 4,
    "SQL注入": 4,
    "A股": 3,
    "茶几": -2.0,
    "C++": 1,
}
LEXICON = Lexicon(WEIGHTS)
TOPIC = Topic(name="mine", lexicon=WEIGHTS)
TEXTS = st.text(st.characters(exclude_categories=())) | st.text(
    st.sampled_from([*"AI机器学习SQL注入股茶几C+ -\x01\ud800"])
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("email said AIs a.i", []),
        ("AI, ai! 用ai写 (Ai)", ["AI"] * 4),
        ("機器學習的机器", ["机器学习", "机器"]),
        ("machine-learning machine_learning MACHINE LEARNING", ["Machine Learning"] * 3),
        ("machinelearning machine learnings", ["Machine Learning"]),
        ("sql注入 mysql注入", ["SQL注入"]),
        ("Ａ股 aa股", ["A股"]),
        ("C++11", ["C++"]),
        ("", []),
    ],
)
def test_hits(text: str, terms: list[str]) -> None:
    assert LEXICON.hits(text) == terms


def test_weights_add_up() -> None:
    assert LEXICON.weight("机器学习, AI和茶几；AI") == pytest.approx(4 + 1.5 - 2 + 1.5)
    assert LEXICON.weight("无") == 0


@given(st.lists(TEXTS))
def test_a_batch_equals_one_at_a_time(texts: list[str]) -> None:
    assert LEXICON.hits_of(texts) == [LEXICON.hits(text) for text in texts]


@given(TEXTS)
def test_hits_stand_in_the_text(text: str) -> None:
    plain = normal_form(text).replace("-", "").replace(" ", "").replace("_", "")
    for term in LEXICON.hits(text):
        assert normal_form(term).replace(" ", "") in plain


def test_a_page_about_the_topic_is_relevant() -> None:
    found = page_relevance(TOPIC, "机器学习", "SQL注入与AI。" + "别的话。" * 100)
    assert found.relevant
    assert found.terms == ["机器学习", "SQL注入", "AI"]
    weights = 1.9 * math.log(1 + 4) + 1.2 * math.log(1 + 3) + 0.9 * math.log(1 + 4 + 1.5)
    assert found.score == pytest.approx(weights - 4.2)


def test_terms_in_the_title_count_once() -> None:
    assert page_relevance(TOPIC, "AI AI ai", "") == page_relevance(TOPIC, "AI", "")


def test_terms_are_diluted_by_other_text_and_by_repeating() -> None:
    none = page_relevance(TOPIC, "", "").score
    pages = ["AI " * 3, "AI", "AI" + "，" * 1498, "，" * 1500 + "AI"]
    scores = [page_relevance(TOPIC, "", text).score for text in pages]
    assert scores == sorted(scores, reverse=True)
    assert len({none, *scores}) == 5


def test_a_higher_threshold_admits_fewer_pages() -> None:
    title, text = "机器学习", "机器学习与AI"
    assert page_relevance(TOPIC, title, text).relevant
    strict = TOPIC.model_copy(update={"page_rule": PageRule(threshold=0.9)})
    assert not page_relevance(strict, title, text).relevant


def test_a_topic_with_fewer_terms_than_its_rule_asks_for_has_relevant_pages() -> None:
    topic = Topic(name="tea", lexicon={"茶叶": 4, "茶几": -2})
    assert page_relevance(topic, "茶叶", "茶叶的产区").relevant
    assert not page_relevance(topic, "排骨", "排骨的做法").relevant


@pytest.mark.parametrize(
    "text",
    [
        "机器学习" * 50,
        "AI A股" + "，" * 5000 + "C++",
        "机器学习 AI 茶几",
        "机器学习" * 7 + "茶几",
        "",
    ],
)
def test_a_page_of_few_or_lost_terms_is_not_relevant(text: str) -> None:
    assert not page_relevance(TOPIC, "", text).relevant


@given(TEXTS, TEXTS)
def test_any_page_is_judged(title: str, text: str) -> None:
    found = page_relevance(TOPIC, title, text)
    assert set(found.terms) == {*LEXICON.hits(title), *LEXICON.hits(text)}


@pytest.mark.parametrize(
    ("name", "about", "other"),
    [
        (
            "machine-learning",
            "用 PyTorch 訓練卷積神經網路：梯度下降与过拟合",
            "周末去爬山，风景很好",
        ),
        ("security", "某CMS SQL注入漏洞复现，利用webshell提权", "用PyTorch训练卷积神经网络"),
        ("finance", "沪指收盘上涨，券商股涨停，北向资金流入", "足球世界杯小组赛今晚开赛"),
        ("agriculture", "山东玉米价格上涨，小麦平稳，生猪回落", "新手机发布，电视剧开播"),
    ],
)
def test_shipped_topics_know_their_pages(name: str, about: str, other: str) -> None:
    topic = load_topic(name)
    assert page_relevance(topic, "", about).relevant
    assert not page_relevance(topic, other, other).relevant
