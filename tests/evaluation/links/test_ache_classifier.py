"""ACHE's features: what its description says they are."""

from __future__ import annotations

import numpy as np

from focuscrawl.evaluation.links.contenders import (
    VOCABULARY,
    AcheClassifier,
    _around_words,
    _url_words,
    _words,
)
from focuscrawl.pages.link import Link


def test_words_are_those_of_its_description() -> None:
    # A Chinese clause is one word, short words are none, and percent-encoded Chinese falls to pieces.
    assert _words("学习,深度学习入门 of AI to Go python-3") == ["深度学习入门", "python-3"]
    assert _url_words(Link("http://a.cn/tags/%E5%AD%A6/deep.php")) == ["tags", "deep"]
    link = Link("http://a.cn/", before=" ".join(f"b{n:02}" for n in range(12)), after="a01 " * 12)
    words = _around_words(link)
    assert (words[:2], len(words)) == (["b02", "b03"], 20)


def _links(word: str, count: int) -> list[Link]:
    return [Link(f"http://a.cn/{word}/{n}", anchor=f"{word} article {n}") for n in range(count)]


def test_it_learns_frequent_words() -> None:
    links = _links("neural", 60) + _links("cooking", 200)
    labels = [True] * 60 + [False] * 200
    classifier = AcheClassifier().fit(links, labels)
    probabilities = classifier.probability(links)
    assert probabilities[:60].min() > 0.5 > probabilities[60:].max()
    order = np.argsort(classifier.decision(links))
    assert np.all(np.diff(probabilities[order]) >= 0)


def test_the_vocabulary_is_small() -> None:
    links = [
        Link(f"http://a.cn/{n}", anchor=f"word{number}") for n in range(7) for number in range(400)
    ]
    labels = [number % 2 == 0 for _ in range(7) for number in range(400)]
    classifier = AcheClassifier().fit(links, labels)
    assert len(classifier._vectorizers["anchor"].vocabulary) == VOCABULARY["anchor"]


def test_rare_words_are_not_learnt() -> None:
    links = [*_links("neural", 5), *_links("cooking", 5)]
    classifier = AcheClassifier().fit(links, [True] * 5 + [False] * 5)
    assert len(set(classifier.decision(links).round(9))) == 1
