from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.pages.link import Link, LinkScorer, Reason
from focuscrawl.scoring.lexicon_scorer import CONTEXT_FACTOR, PRIOR, LexiconScorer
from focuscrawl.topics import Topic

TOPIC = Topic(name="mine", lexicon={"AI": 1.5, "机器学习": 4, "茶几": -2})
SCORER: LinkScorer = LexiconScorer(TOPIC)
BIAS = math.log(PRIOR / (1 - PRIOR))
WORDS = st.lists(st.sampled_from(["AI", "机器学习", "茶几", "别的", "\ud800"])).map(" ".join)
LINKS = st.builds(
    Link, url=st.just("http://a.test/"), anchor=WORDS, before=WORDS, after=WORDS, title=WORDS,
    heading=WORDS,
)  # fmt: skip


def score(**parts: str) -> float:
    (scored,) = SCORER.score([Link("http://a.test/", **parts)])
    return scored.score


def test_terms_in_the_anchor_count_in_full_and_once() -> None:
    assert score(anchor="机器学习 AI 機器學習") == pytest.approx(BIAS + 5.5)
    assert score(anchor="茶几") == pytest.approx(BIAS - 2)


@pytest.mark.parametrize("part", ["before", "after", "title", "heading"])
def test_terms_around_a_link_count_less(part: str) -> None:
    assert score(**{part: "AI AI"}) == pytest.approx(BIAS + CONTEXT_FACTOR * 1.5)
    assert score(anchor="AI", **{part: "AI"}) == score(anchor="AI")


def test_terms_do_not_match_across_parts() -> None:
    assert score(before="机器", after="学习") == pytest.approx(BIAS)


@given(LINKS)
def test_reasons_add_up_to_the_score(link: Link) -> None:
    reasons = SCORER.explain(link)
    (scored,) = SCORER.score([link])
    assert math.fsum(reason.weight for reason in reasons) == scored.score
    assert Reason("bias", BIAS) in reasons
    assert [abs(reason.weight) for reason in reasons] == sorted(
        (abs(reason.weight) for reason in reasons), reverse=True
    )


@given(st.lists(LINKS))
def test_a_batch_equals_one_at_a_time_and_probability_follows_score(links: list[Link]) -> None:
    scored = SCORER.score(links)
    assert scored == [SCORER.score([link])[0] for link in links]
    ranked = sorted(scored, key=lambda one: one.score)
    assert [one.probability for one in ranked] == sorted(one.probability for one in scored)


def test_extreme_scores_have_probabilities() -> None:
    terms = [f"w{number:02}" for number in range(99)]
    heavy = LexiconScorer(Topic(name="x", lexicon=dict.fromkeys(terms, 10) | {"n": 1}))
    light = LexiconScorer(Topic(name="x", lexicon=dict.fromkeys(terms, -10) | {"n": 1}))
    link = Link("http://a.test/", " ".join(terms))
    assert heavy.score([link])[0].probability == 1
    assert 0 <= light.score([link])[0].probability < 1e-300


def test_the_name_says_that_it_is_the_lexicon() -> None:
    assert SCORER.name == "mine (lexicon, 3 terms)"
