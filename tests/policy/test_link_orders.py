"""Crawl orders on a small example, and online learning of the classifier."""

from __future__ import annotations

import pytest

from focuscrawl.pages.link import Link, ScoredLink
from focuscrawl.policy.link_orders import (
    AtRandom,
    ByArrival,
    ByClassifier,
    ByParent,
    ByStatistics,
    ByTruth,
    order_of,
)
from focuscrawl.policy.online_learner import OnlineLearner
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.spider_arguments import TunnelArguments
from focuscrawl.topics import Topic

PAGE = "http://a.test/"
LINKS = [
    ScoredLink(Link(f"http://a.test/{name}", name), score, probability)
    for name, score, probability in [("x", -1.5, 0.2), ("y", 2.0, 0.9), ("z", 0.0, 0.5)]
]
WORDS = ("神经网络", "红烧排骨", "梯度下降", "周末爬山")


def labelled(count: int) -> list[tuple[Link, bool]]:
    return [
        (Link(f"http://a.test/{n}", f"{WORDS[n % 4]} {n % 7}"), n % 4 in (0, 2))
        for n in range(count)
    ]


def test_scores_of_each_order_on_an_example() -> None:
    assert ByClassifier().scores(PAGE, False, LINKS) == [-1.5, 2.0, 0.0]
    assert ByParent().scores(PAGE, True, LINKS) == [1, 1, 1]
    assert ByParent().scores(PAGE, False, LINKS) == [0, 0, 0]
    assert ByArrival().scores(PAGE, True, LINKS) == [0, 0, 0]
    truth = {"http://a.test/z": True, "http://a.test/x": False}
    assert ByTruth(truth).scores(PAGE, False, LINKS) == [0, 0, 1]
    assert all(
        order.scores(PAGE, True, []) == [] for order in (ByClassifier(), AtRandom(), ByTruth({}))
    )


def test_a_script_puts_links_with_a_keyword_first_and_the_newest_before_older_ones() -> None:
    topic = Topic(name="nets", lexicon={"神经网络": 3.0, "nlp": 2.0, "天气": -2.0})
    links = [
        ScoredLink(Link(f"http://a.test/{path}", anchor), 0.0, 0.5)
        for path, anchor in [
            ("1", "神经网络 入门"),
            ("tags/NLP/", "more"),
            ("%E7%A5%9E%E7%BB%8F%E7%BD%91%E7%BB%9C", "more"),
            ("2", "天气"),
            ("3", ""),
        ]
    ]
    by_anchor, by_both = (
        order_of(TunnelArguments(topic="nets", order=order), None, {}, topic)
        for order in ("keyword-front", "crawlee")
    )
    for page in (1, 2):
        assert by_anchor.scores(PAGE, False, links) == [page, 0, 0, 0, 0]
        assert by_both.scores(PAGE, False, links) == [page, page, page, 0, 0]
    assert by_both.scores(PAGE, False, []) == []


def test_random_order_is_reproducible_and_ignores_relevance() -> None:
    many = [ScoredLink(Link(f"http://a.test/{n}"), n, 0.5) for n in range(500)]
    scores = AtRandom().scores(PAGE, True, many)
    assert scores == AtRandom().scores("http://b.test/", False, many)
    assert len(set(scores)) == 500
    assert 0 <= min(scores) < 0.05 < 0.95 < max(scores) < 1
    assert sum(scores[:250]) == pytest.approx(sum(scores[250:]), rel=0.2)


def test_every_page_is_scored_with_the_latest_statistics() -> None:
    statistics = OnlineStatistics()
    order = ByStatistics(statistics)
    for known in range(3):
        expected = [statistics.score(Trail(link, PAGE), chance) for link, _, chance in LINKS]
        assert order.scores(PAGE, True, LINKS) == expected
        assert expected[1] > expected[2] > expected[0]
        statistics.judged(f"http://a.test/{known}", Trail(Link("http://a.test/"), PAGE), True)


def test_training_in_batches_equals_training_at_once() -> None:
    known, found = labelled(40), labelled(400)[40:]
    going, at_once = (
        LinkClassifier(LinkFeatures(WORDS)).fit(*zip(*known, strict=True)) for _ in range(2)
    )
    scorer = CachedScorer(going)
    learner = OnlineLearner(scorer)
    requested = Link("http://b.test/", "神经网络 笔记")
    moments, scores = [], []
    for count, (link, label) in enumerate(found, 1):
        scores.append(scorer.score([requested])[0].score)
        if learner.add(link, label):
            moments.append(count)
    assert moments == [128, 256]
    # The cache was cleared of the scores before the training.
    assert len(set(scores)) == len(moments) + 1
    taught = found[: moments[-1]]
    at_once.partial_fit(*zip(*taught, strict=True))
    links = [link for link, _ in found]
    assert [each.score for each in scorer.score(links)] == pytest.approx(
        [each.score for each in at_once.score(links)]
    )


def test_a_lexicon_is_not_trained() -> None:
    topic = Topic(name="nets", lexicon={"神经网络": 3.0})
    scorer = CachedScorer(LexiconScorer(topic))
    scorer.score([link for link, _ in labelled(4)])
    learner = OnlineLearner(scorer)
    assert not any(learner.add(link, label) for link, label in labelled(300))
    assert len(scorer) == 4


def test_an_algorithm_without_incremental_training_is_not_trained() -> None:
    known = labelled(200)
    classifier = LinkClassifier(LinkFeatures(WORDS), algorithm="logistic")
    classifier.fit(*zip(*known, strict=True))
    learner = OnlineLearner(CachedScorer(classifier))
    assert not any(learner.add(link, label) for link, label in known)
