"""Decisions of a linear model, text by text: what a text adds to the score is added up once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from operator import add

from focuscrawl.links.features import MARKS, FeatureGroup, LinkFeatures, url_text
from focuscrawl.links.linear import LinearModel
from focuscrawl.links.link import Link

_REMEMBERED_TEXTS = 100_000
_Texts = tuple[str, ...]


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
        if not links:
            return []
        urls, names, befores, afters, _, _, positions, _ = zip(*links, strict=True)
        self._read(urls, names, befores, afters)
        group, bias = self._features.group, self._bias
        scores = [bias + anchor for anchor in map(self._anchors.known.__getitem__, names)]
        if group is FeatureGroup.ANCHOR:
            return scores
        sides = map(self._contexts.of_both, befores, afters)
        scores = list(map(add, scores, sides))
        if group is FeatureGroup.CONTEXT:
            return scores
        scores = list(map(add, scores, map(self._urls.known.__getitem__, urls)))
        return list(map(add, scores, map(self._positions.get, positions, repeat(0.0))))

    def _read(self, urls: _Texts, names: _Texts, befores: _Texts, afters: _Texts) -> None:
        """Cut what is new in one call, for a call costs more than a text."""
        group = self._features.group
        anchors = self._anchors.missing(names)
        sides: set[str] = set()
        addresses: dict[str, str] = {}
        if group >= FeatureGroup.CONTEXT:
            sides = self._contexts.missing(chain(befores, afters))
        if group is FeatureGroup.URL:
            addresses = {url: url_text(url) for url in self._urls.missing(urls)}
        texts = list(anchors.union(sides, addresses.values()))
        tokens = map(dict.fromkeys, self._features.tokeniser.tokens_of(texts))
        words = dict(zip(texts, tokens, strict=True))
        self._anchors.learn((text, words[text]) for text in anchors)
        self._contexts.learn((text, words[text]) for text in sides)
        self._urls.learn((url, words[text]) for url, text in addresses.items())


class _Sums:
    """Of one namespace: the sum of each text that is ``known``."""

    def __init__(self, weights: dict[str, float], lexicon: frozenset[str]) -> None:
        self.known: dict[str, float] = {}
        self._weights = weights
        self._lexicon = lexicon
        self._marks = [sum(weights.get(mark, 0.0) for mark in marks) for marks in MARKS]

    def missing(self, texts: Iterable[str]) -> set[str]:
        """Return the texts that are new."""
        if len(self.known) > _REMEMBERED_TEXTS:
            self._forget()
        return set(texts).difference(self.known)

    def learn(self, texts: Iterable[tuple[str, dict[str, None]]]) -> None:
        """Add texts with their distinct words."""
        weight_of, lexicon, known = self._weights.get, self._lexicon, self.known
        for text, words in texts:
            total = sum(map(weight_of, words, repeat(0.0)))
            if not lexicon.isdisjoint(words):
                hits = min(len(lexicon.intersection(words)), len(MARKS) - 1)
                total += self._marks[hits]
                self._keep_hits(text, hits)
            known[text] = total

    def _keep_hits(self, text: str, hits: int) -> None:
        """Keep how many terms are in a text, where that is of use."""

    def _forget(self) -> None:
        self.known.clear()


class _PairSums(_Sums):
    """Also keeps the words of each text, for two of them together."""

    def __init__(self, weights: dict[str, float], lexicon: frozenset[str]) -> None:
        super().__init__(weights, lexicon)
        self._words: dict[str, dict[str, None]] = {}
        self._hits: dict[str, int] = {}

    def learn(self, texts: Iterable[tuple[str, dict[str, None]]]) -> None:
        """Add texts with their distinct words."""
        new = dict(texts)
        self._words.update(new)
        super().learn(new.items())

    def of_both(self, one: str, other: str) -> float:
        """Return the sum of two texts; a word or mark in both counts once."""
        total = self.known[one] + self.known[other]
        words, others = self._words[one], self._words[other]
        if not words.keys().isdisjoint(others):
            weight_of = self._weights.get
            total -= sum(filter(None, [weight_of(word) for word in words if word in others]))
        if one in self._hits and other in self._hits:
            total -= self._marks[min(self._hits[one], self._hits[other])]
        return total

    def _keep_hits(self, text: str, hits: int) -> None:
        self._hits[text] = hits

    def _forget(self) -> None:
        super()._forget()
        self._words.clear()
        self._hits.clear()
