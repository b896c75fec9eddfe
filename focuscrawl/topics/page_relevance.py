"""Relevance of a page by the lexicon of a topic, used until a classifier has been trained."""

from __future__ import annotations

import math
from typing import NamedTuple

from focuscrawl.topics.topic_model import Topic

_PER = 1000  # characters


class PageRelevance(NamedTuple):
    """Relevance of a page, its score, and its distinct terms, those of the title first."""

    relevant: bool
    score: float
    terms: list[str]


def page_relevance(topic: Topic, title: str, text: str) -> PageRelevance:
    """Judge a page by ``topic.page_rule``.

    The score is the weight of the terms per 1,000 characters of ``text`` plus ``title_factor`` times
    the weight of those in the title; a shorter text counts as 1,000 characters. A repeated term
    counts as its weight times log2(1 + count). A page is relevant if its score is at least
    ``min_score`` and it has at least ``min_terms`` distinct terms of positive weight, including those
    of the title.
    """
    rule, words = topic.page_rule, topic.words
    in_title, in_text = words.hits_of([title, text])
    counts = dict.fromkeys(in_text, 0)
    for term in in_text:
        counts[term] += 1
    weight = math.fsum(words.weights[term] * math.log2(1 + n) for term, n in counts.items())
    score = weight * _PER / max(len(text), _PER) + rule.title_factor * words.weight_of(
        set(in_title)
    )
    terms = list(dict.fromkeys([*in_title, *in_text]))
    positive = sum(words.weights[term] > 0 for term in terms)
    return PageRelevance(score >= rule.min_score and positive >= rule.min_terms, score, terms)
