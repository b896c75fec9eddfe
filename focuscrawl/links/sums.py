"""Decisions of a linear model, text by text: what a text adds to the score is added up once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from focuscrawl.links.features import MARKS, FeatureGroup, LinkFeatures, url_text
from focuscrawl.links.linear import LinearModel
from focuscrawl.links.link import Link

_REMEMBERED_TEXTS = 100_000


class LinkSums:
    """Equal to ``model.decision(features of the link)`` but for the rounding of another order.

    Most texts come again: as the anchor of the same link on the next page, as the context of its
    neighbour. A word on both sides of an anchor counts once.
    """

    def __init__(self, features: LinkFeatures, model: LinearModel) -> None:
        self._features = features
        self._bias = model.bias
        weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for name, weight in model.weights.items():
            space, _, word = name.partition(":")
            weights[space][word] = weight
        self._anchors = _Sums(weights["anchor"], features.lexicon)
        self._contexts = _PairSums(weights["context"], features.lexicon)
        self._urls = _Sums(weights["url"], features.lexicon)
        self._positions = weights["position"]

    def decisions(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        self._read(links)
        anchors, both_sides, urls = self._anchors, self._contexts.of_both, self._urls
        group, bias, positions = self._features.group, self._bias, self._positions
        if group is FeatureGroup.ANCHOR:
            return [bias + anchors[link.anchor] for link in links]
        scores = [
            bias + anchors[link.anchor] + both_sides(link.before, link.after) for link in links
        ]
        if group is FeatureGroup.CONTEXT:
            return scores
        return [
            score + urls[link.url] + positions.get(link.position, 0.0)
            for score, link in zip(scores, links, strict=True)
        ]

    def _read(self, links: Sequence[Link]) -> None:
        """Cut what is new in one call, for a call costs more than a text."""
        group = self._features.group
        anchors = self._anchors.missing([link.anchor for link in links])
        sides: list[str] = []
        addresses: list[str] = []
        if group >= FeatureGroup.CONTEXT:
            sides = self._contexts.missing([text for link in links for text in link[2:4]])
        if group is FeatureGroup.URL:
            addresses = self._urls.missing([link.url for link in links])
        paths = [url_text(url) for url in addresses]
        tokens = self._features.tokeniser.tokens_of([*anchors, *sides, *paths])
        self._anchors.learn(anchors, tokens)
        self._contexts.learn(sides, tokens[len(anchors) :])
        self._urls.learn(addresses, tokens[len(anchors) + len(sides) :])


class _Sums(dict[str, float]):
    """Of one namespace: the sum of each text."""

    def __init__(self, weights: dict[str, float], lexicon: frozenset[str]) -> None:
        super().__init__()
        self._weights = weights
        self._lexicon = lexicon
        self._marks = [sum(weights.get(mark, 0.0) for mark in marks) for marks in MARKS]

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return the texts that are new, each once."""
        if len(self) > _REMEMBERED_TEXTS:
            self.clear()
        return [text for text in dict.fromkeys(texts) if text not in self]

    def learn(self, texts: Iterable[str], tokens: Iterable[list[str]]) -> None:
        """Add texts with their tokens; there may be more of these."""
        weight_of, lexicon = self._weights.get, self._lexicon
        for text, words in zip(texts, tokens, strict=False):
            distinct = dict.fromkeys(words)
            hits = min(len(lexicon.intersection(distinct)), len(MARKS) - 1)
            self[text] = sum(filter(None, map(weight_of, distinct))) + self._marks[hits]
            self._keep(text, distinct, hits)

    def _keep(self, text: str, words: dict[str, None], hits: int) -> None:
        """Keep what is in a text, where that is of use."""


class _PairSums(_Sums):
    """Also keeps the words of each text, for two of them together."""

    def __init__(self, weights: dict[str, float], lexicon: frozenset[str]) -> None:
        super().__init__(weights, lexicon)
        self._words: dict[str, dict[str, None]] = {}
        self._hits: dict[str, int] = {}

    def clear(self) -> None:
        """Forget everything."""
        super().clear()
        self._words.clear()
        self._hits.clear()

    def _keep(self, text: str, words: dict[str, None], hits: int) -> None:
        self._words[text] = words
        if hits:
            self._hits[text] = hits

    def of_both(self, one: str, other: str) -> float:
        """Return the sum of two texts; a word or mark in both counts once."""
        total = self[one] + self[other]
        words, others = self._words[one], self._words[other]
        if not words.keys().isdisjoint(others):
            weight_of = self._weights.get
            total -= sum(filter(None, [weight_of(word) for word in words if word in others]))
        if one in self._hits and other in self._hits:
            total -= self._marks[min(self._hits[one], self._hits[other])]
        return total
