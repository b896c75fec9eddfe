"""Decisions of a linear model, text by text: what a text adds to the score is added up once."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from operator import add
from typing import Generic, TypeVar

from focuscrawl.links.features import MARKS, FeatureGroup, LinkFeatures, url_text
from focuscrawl.links.linear import LinearModel
from focuscrawl.links.link import Link
from focuscrawl.links.vocabulary import Vocabulary
from focuscrawl.links.word_adder import Total

_REMEMBERED_TEXTS = 100_000
_ANCHOR, _CONTEXT, _URL = range(3)
_SPACES = ("anchor", "context", "url")
_Column = tuple[str, ...]
_Value = TypeVar("_Value")


class LinkSums:
    """Equal to ``model.decision(features of the link)`` but for the rounding of another order.

    Most texts come again: as the anchor of the same link on the next page, as the context of its
    neighbour. A word on both sides of an anchor counts once.
    """

    def __init__(self, features: LinkFeatures, model: LinearModel) -> None:
        self._group = features.group
        self._bias = model.bias
        weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for name, weight in model.weights.items():
            space, _, word = name.partition(":")
            weights[space][word] = weight
        spaces = [weights[space] for space in _SPACES]
        self._vocabulary = Vocabulary(features.tokeniser, sorted(features.lexicon), spaces)
        marks = [
            array("d", [sum(space.get(mark, 0.0) for mark in some) for some in MARKS])
            for space in spaces
        ]
        self._anchors = _Sums(_ANCHOR, marks[_ANCHOR])
        self._contexts = _Totals()
        self._context_marks = marks[_CONTEXT]
        self._urls = _Sums(_URL, marks[_URL])
        self._positions = weights["position"]

    def decisions(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        if not links:
            return []
        urls, names, befores, afters, _, _, positions, _ = zip(*links, strict=True)
        self._read(urls, names, befores, afters)
        scores = list(map(add, map(self._anchors.known.__getitem__, names), repeat(self._bias)))
        if self._group is FeatureGroup.ANCHOR:
            return scores
        total_of = self._contexts.known.__getitem__
        before, after = list(map(total_of, befores)), list(map(total_of, afters))
        both = self._vocabulary.both(before, after, _CONTEXT, self._context_marks)
        scores = list(map(add, scores, both))
        if self._group is FeatureGroup.CONTEXT:
            return scores
        scores = list(map(add, scores, map(self._urls.known.__getitem__, urls)))
        return list(map(add, scores, map(self._positions.get, positions, repeat(0.0))))

    def _read(self, urls: _Column, names: _Column, befores: _Column, afters: _Column) -> None:
        """Cut what is new in one call, for a call costs more than a text."""
        anchors = self._anchors.missing(names)
        sides: set[str] = set()
        addresses: dict[str, str] = {}
        if self._group >= FeatureGroup.CONTEXT:
            sides = self._contexts.missing(chain(befores, afters))
        if self._group is FeatureGroup.URL:
            addresses = {url: url_text(url) for url in self._urls.missing(urls)}
        texts = list(anchors.union(sides, addresses.values()))
        total_of = dict(zip(texts, self._vocabulary.totals(texts), strict=True)).__getitem__
        self._anchors.learn(anchors, map(total_of, anchors))
        self._contexts.learn(sides, map(total_of, sides))
        self._urls.learn(addresses, map(total_of, addresses.values()))


class _Texts(Generic[_Value]):
    """Of one namespace: what there is to say of each text that is ``known``."""

    def __init__(self) -> None:
        self.known: dict[str, _Value] = {}

    def missing(self, texts: Iterable[str]) -> set[str]:
        """Return the texts that are new."""
        if len(self.known) > _REMEMBERED_TEXTS:
            self.known.clear()
        return set(texts).difference(self.known)


class _Totals(_Texts[Total]):
    """Keeps the total of each text."""

    def learn(self, texts: Iterable[str], totals: Iterable[Total]) -> None:
        """Add texts with their totals."""
        self.known.update(zip(texts, totals, strict=True))


class _Sums(_Texts[float]):
    """Keeps the sum of each text; ``marks``: what so many terms add to it, or more for the last."""

    def __init__(self, space: int, marks: Sequence[float]) -> None:
        super().__init__()
        self._space = space
        self._marks = marks

    def learn(self, texts: Iterable[str], totals: Iterable[Total]) -> None:
        """Add texts with their totals."""
        space, marks, last = self._space, self._marks, len(self._marks) - 1
        self.known.update(
            (text, sums[space] + marks[min(terms, last)])
            for text, (sums, terms, _) in zip(texts, totals, strict=True)
        )
