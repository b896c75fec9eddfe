"""Fast log-odds of links by a linear model, which caches the sum of every text."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import add

from focuscrawl.pages.link import Link
from focuscrawl.scoring.linear_model import LinearModel
from focuscrawl.scoring.link_features import MARKS, FeatureGroup, LinkFeatures, url_text
from focuscrawl.scoring.vocabulary import Vocabulary
from focuscrawl.scoring.word_adder import Total

_REMEMBERED = 100_000
_ANCHOR, _CONTEXT, _URL = range(3)
_SPACES = ("anchor", "context", "url")
_Column = tuple[str, ...]


class LinkLogOdds:
    """Log-odds equal to ``model.decision(features of the link)``, except for rounding.

    Most texts are repeated: as the anchor of the same link on the next page, or as the context of a
    neighbouring link. A word on both sides of an anchor counts once.
    """

    def __init__(self, features: LinkFeatures, model: LinearModel) -> None:
        self._group = features.group
        self._bias = model.bias
        weights = model.by_namespace()
        spaces = [weights[space] for space in _SPACES]
        self._vocabulary = Vocabulary(features.tokeniser, sorted(features.lexicon), spaces)
        self._marks = [
            array("d", [sum(space.get(mark, 0.0) for mark in some) for some in MARKS])
            for space in spaces
        ]
        self._positions = weights["position"]
        self._texts: dict[str, Total] = {}
        self._urls: dict[str, Total] = {}
        (self._nothing,) = self._vocabulary.totals([""])

    def decisions(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        if not links:
            return []
        urls, names, befores, afters, _, _, positions, _ = zip(*links, strict=True)
        self._read(urls, names, befores, afters)
        text, url = self._texts.__getitem__, self._urls.__getitem__
        nothing = [self._nothing] * len(links)
        scores = map(add, self._sums(_ANCHOR, map(text, names), nothing), repeat(self._bias))
        if self._group >= FeatureGroup.CONTEXT:
            around = self._sums(_CONTEXT, map(text, befores), map(text, afters))
            scores = map(add, scores, around)
        if self._group is FeatureGroup.URL:
            scores = map(add, scores, self._sums(_URL, map(url, urls), nothing))
            scores = map(add, scores, map(self._positions.get, positions, repeat(0.0)))
        return list(scores)

    def _sums(self, space: int, ones: Iterable[Total], others: Iterable[Total]) -> list[float]:
        return self._vocabulary.union_sums(list(ones), list(others), space, self._marks[space])

    def _read(self, urls: _Column, names: _Column, befores: _Column, afters: _Column) -> None:
        """Tokenise all new texts in one call, since a call costs more than a text."""
        for known in (self._texts, self._urls):
            if len(known) > _REMEMBERED:
                known.clear()
        texts = set(names)
        if self._group >= FeatureGroup.CONTEXT:
            texts.update(befores, afters)
        paths: dict[str, str] = {}
        if self._group is FeatureGroup.URL:
            paths = {url: url_text(url) for url in set(urls).difference(self._urls)}
        new = list(texts.union(paths.values()).difference(self._texts))
        self._texts.update(zip(new, self._vocabulary.totals(new), strict=True))
        self._urls.update((url, self._texts[path]) for url, path in paths.items())
