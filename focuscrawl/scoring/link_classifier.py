"""Link classifier, which scores links before they are fetched and explains the scores."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from operator import add
from typing import Literal, Self

from focuscrawl.pages.link import Link, Reason, ScoredLink
from focuscrawl.scoring.linear_model import LinearModel, fit_linear
from focuscrawl.scoring.link_features import MARKS, FeatureGroup, LinkFeatures, url_text
from focuscrawl.scoring.naive_bayes import NaiveBayes
from focuscrawl.scoring.probability_calibration import Calibration, cross_calibration
from focuscrawl.scoring.sample_weights import host_weights
from focuscrawl.scoring.word_adder import END, Found, Total, Word, WordAdder
from focuscrawl.text.normal_form import BETWEEN
from focuscrawl.text.tokeniser import LONGEST_WORD, Tokeniser, stands_alone

# Fast log-odds of links by a linear model, which caches the sum of every text.


# Numbered vocabulary of a model, and sums over the words of texts.


_MOST_REMEMBERED = 200_000


class Vocabulary:
    """Finds the tokens of texts that a model knows, and adds up their weights.

    ``terms`` of the lexicon have the first numbers, from 1 up. ``weights`` are those of the model, one
    mapping from words to weights per namespace. All words are tokens of the tokeniser.
    """

    def __init__(
        self,
        tokeniser: Tokeniser,
        terms: Iterable[str],
        weights: Sequence[Mapping[str, float]],
    ) -> None:
        self._tokeniser = tokeniser
        self._tokens_of = tokeniser.tokens_of_piece
        distinct = dict.fromkeys(terms)
        count = len(distinct)
        for space in weights:
            distinct.update(dict.fromkeys(space))
        self._numbers: dict[str, Word] = {word: number for number, word in enumerate(distinct, 1)}
        columns = [
            {self._numbers[word]: weight for word, weight in space.items() if weight}
            for space in weights
        ]
        self._adder = WordAdder(self._find, self._find_pair, columns, count)
        self.union_sums = self._adder.union_sums

    def totals(self, texts: Sequence[str]) -> list[Total]:
        """Return the totals of each text, the input of ``union_sums``."""
        return self._adder.add(self._pieces(texts)) if texts else []

    def _pieces(self, texts: Sequence[str]) -> list[str]:
        if len(self._adder) > _MOST_REMEMBERED:
            self._adder.forget()
        return self._tokeniser.pieces(texts)

    def _find(self, piece: str) -> Found:
        if piece == BETWEEN:
            return END
        is_alone = stands_alone(piece)
        if word := self._numbers.get(piece):
            return word << 1 | is_alone
        # The common case of unknown pieces: a word that the tokeniser does not split.
        if (
            not is_alone
            and piece.isalpha()
            and len(piece) <= LONGEST_WORD
            and (piece.islower() or not piece.isascii())
        ):
            return 0
        tokens = self._tokens_of(piece)
        words = tuple(filter(None, map(self._numbers.get, tokens)))
        if len(words) > 1:
            return words
        return sum(words) << 1 | (is_alone and bool(tokens))

    def _find_pair(self, before: str, piece: str) -> Word:
        return self._numbers.get(before + piece, 0)


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


Algorithm = Literal["nb", "logistic", "svm"]

MIN_COUNT = 3

# Called a hundred times per page, and twice as fast as the constructor with keyword arguments.
_new = tuple.__new__


class LinkClassifier:
    """Scores links by linear log-odds, by default those of a Bernoulli Naive Bayes.

    ``features`` extracts the features; it holds the tokeniser, since a model cannot be used with
    another. Features that fewer than ``min_count`` training links have are ignored.
    """

    def __init__(
        self,
        features: LinkFeatures,
        *,
        algorithm: Algorithm = "nb",
        naive_bayes: NaiveBayes | None = None,
        model: LinearModel | None = None,
        calibration: Calibration | None = None,
        min_count: float = MIN_COUNT,
        name: str = "",
    ) -> None:
        self.features = features
        self.algorithm = algorithm
        self.min_count = min_count
        self.name = name
        self.naive_bayes = naive_bayes or NaiveBayes()
        self.calibration = calibration or Calibration()
        self._use(model or self.naive_bayes.linear(min_count))

    def fit(
        self, links: Sequence[Link], labels: Sequence[bool], hosts: Sequence[str] | None = None
    ) -> Self:
        """Train from scratch.

        ``hosts`` are the hosts of the links' targets; with them no host dominates the others, and
        probabilities are calibrated by cross-validation over hosts. Without, all links have weight 1.
        """
        return self.fit_features(self.features.of(links), labels, hosts)

    def fit_features(
        self,
        features: Sequence[Sequence[str]],
        labels: Sequence[bool],
        hosts: Sequence[str] | None = None,
    ) -> Self:
        """Train from scratch on what :attr:`features` extracted from links, see :meth:`fit`."""
        weights = host_weights(hosts) if hosts else [1.0] * len(features)
        if hosts:
            self.calibration = cross_calibration(self._decide, features, labels, weights, hosts)
        self.naive_bayes, model = self._trained(features, labels, weights)
        self._use(model)
        return self

    @property
    def can_learn(self) -> bool:
        """True if the algorithm supports :meth:`partial_fit`."""
        return self.algorithm == "nb"

    def partial_fit(
        self, links: Sequence[Link], labels: Sequence[bool], weights: Sequence[float] | None = None
    ) -> Self:
        """Train with further links; the calibration stays. Raises ValueError unless Naive Bayes."""
        if not self.can_learn:
            raise ValueError(f"{self.algorithm} cannot be trained incrementally; nb can")
        self.naive_bayes.partial_fit(self.features.of(links), labels, weights)
        # Frees the old weights before the new ones are computed.
        del self._log_odds, self.model
        self._use(self.naive_bayes.linear(self.min_count))
        return self

    def pairs_of(self, links: Sequence[Link], labels: Sequence[bool]) -> dict[str, list[int]]:
        """Return negative and positive counts by feature, and those of the links under ``""``."""
        pairs = {"": [0, 0]}
        for features, label in zip(self.features.of(links), labels, strict=True):
            for name in ("", *features):
                pairs.setdefault(name, [0, 0])[label] += 1
        return pairs

    def use_pairs(self, pairs: Mapping[str, Sequence[float]]) -> None:
        """Score as if trained with further links that have these counts, instead of earlier ones.

        :attr:`naive_bayes` does not change, so that rounding does not depend on the order of training.
        """
        del self._log_odds, self.model
        self._use(self.naive_bayes.plus(pairs).linear(self.min_count))

    def score(self, links: Sequence[Link]) -> list[ScoredLink]:
        """Return the links in their order with log-odds and calibrated probability."""
        scores = self.decision(links)
        rows = zip(links, scores, self.calibration.of(scores), strict=True)
        return list(map(_new, repeat(ScoredLink), rows))

    def decision(self, links: Sequence[Link]) -> list[float]:
        """Return the log-odds of each link."""
        return self._log_odds.decisions(links)

    def explain(self, link: Link) -> list[Reason]:
        """Return the features that count, heaviest first; with the bias they add up to the score."""
        return self.model.reasons(self.features.of([link])[0])

    def _use(self, model: LinearModel) -> None:
        self.model = model
        self._log_odds = LinkLogOdds(self.features, model)

    def _trained(
        self, features: Sequence[Sequence[str]], labels: Sequence[bool], weights: Sequence[float]
    ) -> tuple[NaiveBayes, LinearModel]:
        naive_bayes = NaiveBayes(self.naive_bayes.smoothing)
        if self.algorithm == "nb":
            naive_bayes.partial_fit(features, labels, weights)
            return naive_bayes, naive_bayes.linear(self.min_count)
        least = max(int(self.min_count), 1)
        return naive_bayes, fit_linear(self.algorithm, features, labels, weights, least)

    def _decide(
        self, features: Sequence[Sequence[str]], labels: Sequence[bool], weights: Sequence[float]
    ) -> Callable[[Sequence[str]], float]:
        return self._trained(features, labels, weights)[1].decision
