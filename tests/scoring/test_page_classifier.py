from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.scoring import link_classifier
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures

WORDS = ["模型", "学习", "神经网络", "天气", "菜谱", "python", "2024", "旅行"]
UNKNOWN = ["：", "没见过", "9e", "改", "谷", "歌", "node.js", "a-b-c-d", "的"]
TEXTS = st.lists(st.sampled_from([*WORDS, *UNKNOWN, "", " "]), max_size=60).map(" ".join)


def trained(*lexicon: str) -> PageClassifier:
    pages = [("模型", "模型 学习 神经网络 学习"), ("旅行", "天气 菜谱 旅行 天气")] * 6
    return PageClassifier(PageFeatures(lexicon)).fit(pages, [True, False] * 6)


LEARNED = trained("神经网络", "学习")


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_a_score_is_the_sum_of_its_reasons(pages: list[tuple[str, str]]) -> None:
    for (title, text), scored in zip(pages, LEARNED.score(pages), strict=True):
        reasons = LEARNED.explain(title, text)
        assert scored.score == pytest.approx(sum(reason.weight for reason in reasons))


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_a_cleared_cache_does_not_change_scores(pages: list[tuple[str, str]]) -> None:
    scores = LEARNED.score(pages)
    with pytest.MonkeyPatch.context() as forgetful:
        forgetful.setattr(link_classifier, "_MOST_REMEMBERED", 3)
        one_by_one = [LEARNED.score([page])[0] for page in pages * 2]
    assert one_by_one == scores * 2


def test_incremental_training_changes_scores() -> None:
    classifier = trained()
    (before,) = classifier.score([("", "菜谱")])
    classifier.partial_fit([("", "菜谱 菜谱")] * 20, [True] * 20)
    (after,) = classifier.score([("", "菜谱")])
    assert before.score < after.score
