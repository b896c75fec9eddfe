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
        self._contexts = _PairSums(weights["context"])
        self._urls = _Sums(weights["url"])
        self._positions = weights["position"]

    def decisions(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        self._read(links)
        anchors, contexts, urls = self._anchors, self._contexts, self._urls
        group, bias, positions = self._features.group, self._bias, self._positions
        if group is FeatureGroup.ANCHOR:
            return [bias + anchors[link.anchor] for link in links]
        scores = [
            bias + anchors[link.anchor] + contexts.of_both(link.before, link.after)
            for link in links
        ]
        if group is FeatureGroup.CONTEXT:
            return scores
        return [
            score + urls[link.url] + positions.get(link.position, 0.0)
            for score, link in zip(scores, links, strict=True)
        ]

    def _read(self, links: Sequence[Link]) -> None:
        """Read what is new; one call for all texts, for a call costs more than a text."""
        group = self._features.group
        anchors = self._anchors.missing([link.anchor for link in links])
        sides: list[str] = []
        addresses: dict[str, str] = {}
        if group >= FeatureGroup.CONTEXT:
            sides = [text for link in links for text in (link.before, link.after)]
            sides = self._contexts.missing(sides)
        if group is FeatureGroup.URL:
            new = self._urls.missing([link.url for link in links])
            addresses = {url: url_text(url) for url in new}
        words = self._features.words([*anchors, *sides, *addresses.values()])
        self._anchors.learn((text, words[text]) for text in anchors)
        self._contexts.learn((text, words[text]) for text in sides)
        self._urls.learn((url, words[text]) for url, text in addresses.items())


class _Sums(dict[str, float]):
    """Of one namespace: the sum of each text."""

    def __init__(self, weights: dict[str, float]) -> None:
        super().__init__()
        self._weights = weights

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return the texts that are new, each once."""
        if len(self) > _REMEMBERED_TEXTS:
            self.clear()
        return [text for text in dict.fromkeys(texts) if text not in self]

    def learn(self, texts: Iterable[tuple[str, list[str]]]) -> None:
        """Add texts with their words."""
        known = self._weights
        for text, words in texts:
            self[text] = sum([known[word] for word in words if word in known])


class _PairSums(_Sums):
    """Also keeps the words of each text, for two of them together."""

    def __init__(self, weights: dict[str, float]) -> None:
        super().__init__(weights)
        self._words: dict[str, frozenset[str]] = {}

    def clear(self) -> None:
        super().clear()
        self._words.clear()

    def learn(self, texts: Iterable[tuple[str, list[str]]]) -> None:
        known, kept = self._weights, self._words
        for text, words in texts:
            weighed = [word for word in words if word in known]
            self[text] = sum([known[word] for word in weighed])
            kept[text] = frozenset(weighed)

    def of_both(self, one: str, other: str) -> float:
        """Return the sum of two texts; a word in both counts once."""
        total = self[one] + self[other]
        shared = self._words[one] & self._words[other]
        if shared:
            # Sorted: the order of a set changes from process to process, and with it the rounding.
            total -= sum([self._weights[word] for word in sorted(shared)])
        return total
