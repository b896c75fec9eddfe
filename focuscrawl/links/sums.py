"""Decisions of a linear model, text by text: what a text adds to the score is added up once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from focuscrawl.links.features import FeatureGroup, LinkFeatures, url_text
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
        self._anchors = _Sums(weights["anchor"])
        self._contexts = _Sums(weights["context"])
        self._urls = _Sums(weights["url"])
        self._positions = weights["position"]

    def decisions(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        group = self._features.group
        paths = [url_text(link.url) for link in links] if group is FeatureGroup.URL else []
        self._read(links, paths)
        anchors, urls = self._anchors.sums, self._urls.sums
        scores = [self._bias + anchors[link.anchor] for link in links]
        if group >= FeatureGroup.CONTEXT:
            contexts = self._contexts
            scores = [
                score + contexts.of_both(link.before, link.after)
                for score, link in zip(scores, links, strict=True)
            ]
        if paths:
            positions = self._positions
            scores = [
                score + urls[path] + positions.get(link.position, 0.0)
                for score, path, link in zip(scores, paths, links, strict=True)
            ]
        return scores

    def _read(self, links: Sequence[Link], paths: Sequence[str]) -> None:
        wanted = [self._anchors.missing(link.anchor for link in links), self._urls.missing(paths)]
        if self._features.group >= FeatureGroup.CONTEXT:
            sides = (text for link in links for text in (link.before, link.after))
            wanted.append(self._contexts.missing(sides))
        # One call for all new texts: a call costs more than a text.
        words = self._features.words(text for texts in wanted for text in texts)
        for sums, texts in zip((self._anchors, self._urls, self._contexts), wanted, strict=False):
            sums.learn(texts, words)


class _Sums:
    """Of one namespace: the sum of each text, and its words that have a weight."""

    def __init__(self, weights: dict[str, float]) -> None:
        self._weights = weights
        self._words: dict[str, frozenset[str]] = {}
        self.sums: dict[str, float] = {}

    def missing(self, texts: Iterable[str]) -> list[str]:
        if len(self.sums) > _REMEMBERED_TEXTS:
            self.sums.clear()
            self._words.clear()
        return [text for text in dict.fromkeys(texts) if text not in self.sums]

    def learn(self, texts: Iterable[str], words: dict[str, list[str]]) -> None:
        known = self._weights
        for text in texts:
            weighed = [word for word in words[text] if word in known]
            self.sums[text] = sum([known[word] for word in weighed])
            self._words[text] = frozenset(weighed)

    def of_both(self, one: str, other: str) -> float:
        total = self.sums[one] + self.sums[other]
        shared = self._words[one] & self._words[other]
        if shared:
            # Sorted: the order of a set changes from process to process, and with it the rounding.
            total -= sum([self._weights[word] for word in sorted(shared)])
        return total
