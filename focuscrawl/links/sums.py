"""Decisions of a linear model, text by text: what a text adds to the score is added up once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
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
        marks = [[sum(space.get(mark, 0.0) for mark in some) for some in MARKS] for space in spaces]
        self._anchors = _Sums(_ANCHOR, marks[_ANCHOR])
        self._contexts = _PairSums(_CONTEXT, marks[_CONTEXT], self._vocabulary.shared)
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
        scores = list(map(add, scores, self._contexts.of_both(befores, afters)))
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

    def __init__(self, space: int, marks: Sequence[float]) -> None:
        self.known: dict[str, _Value] = {}
        self._space = space
        self._marks = marks

    def missing(self, texts: Iterable[str]) -> set[str]:
        """Return the texts that are new."""
        if len(self.known) > _REMEMBERED_TEXTS:
            self.known.clear()
        return set(texts).difference(self.known)

    def _mark(self, hits: int) -> float:
        return self._marks[min(hits, len(self._marks) - 1)]


class _Sums(_Texts[float]):
    """Keeps the sum of each text."""

    def learn(self, texts: Iterable[str], totals: Iterable[Total]) -> None:
        """Add texts with their totals."""
        known, space = self.known, self._space
        for text, (sums, hits, _) in zip(texts, totals, strict=True):
            known[text] = sums[space] + self._mark(hits) if hits else sums[space]


class _PairSums(_Texts[Total]):
    """Takes two texts together; keeps what they may have in common."""

    def __init__(
        self, space: int, marks: Sequence[float], shared: Callable[[bytes, bytes, int], float]
    ) -> None:
        super().__init__(space, marks)
        self._shared = shared

    def learn(self, texts: Iterable[str], totals: Iterable[Total]) -> None:
        """Add texts with their totals."""
        self.known.update(zip(texts, totals, strict=True))

    def of_both(self, ones: Iterable[str], others: Iterable[str]) -> Iterator[float]:
        """Yield the sums of two texts each; a word or mark in both counts once."""
        known, shared, space = self.known.__getitem__, self._shared, self._space
        for one, other in zip(map(known, ones), map(known, others), strict=True):
            total = one[0][space] + other[0][space]
            if one[2] and other[2]:
                total -= shared(one[2], other[2], space)
            # Both have the marks of the one with fewer terms.
            if one[1] or other[1]:
                total += self._mark(max(one[1], other[1]))
            yield total
