"""Suggestions of articles: those like what a reader likes, and those that readers alike like."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from focuscrawl.text.tokeniser import make_tokeniser

_FEATURES, _ENOUGH_TEXTS, _WORDS, _COMPONENTS, _FUSION = 50_000, 10, 3, 16, 60
LEAST_SIMILARITY = 0.05
"""Cosine below which two texts share no more than a common word or two."""
ENOUGH_READERS, _ALIKE, _NOISE = 5, 2, 1e-3
"""Number of readers with likes from which on likes are compared; fewer would tell who liked what."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An article by its key, and why: shared words, and how many readers alike like it."""

    key: str
    words: tuple[str, ...] = ()
    readers: int = 0


class TextIndex:
    """TF-IDF vectors of texts, of unit length; the vocabulary has the 50,000 most frequent words.

    ``texts`` maps keys to texts. Words are those of the tokeniser, without classes of numbers and those
    that more than half of the texts have, if there are ten texts or more.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        # Imported here: they take a second, which no other page of the web views needs.
        from sklearn.feature_extraction.text import TfidfVectorizer

        words = _without_common(_words_of([*texts.values()]))
        self._keys = [*texts]
        self._vectorizer: Any = None
        if any(words):
            self._vectorizer = TfidfVectorizer(
                analyzer=list, max_features=_FEATURES, sublinear_tf=True, dtype=np.float32
            )
            self._vectors = self._vectorizer.fit_transform(words)
            self._names = self._vectorizer.get_feature_names_out()

    def like(self, texts: Sequence[str], own: frozenset[str], most: int) -> list[Suggestion]:
        """Return the texts most similar to the mean of others, best first, without ``own`` keys.

        Each has the words that count most for its similarity, which is at least
        :data:`LEAST_SIMILARITY`.
        """
        if self._vectorizer is None or not texts:
            return []
        profile = np.asarray(self._vectorizer.transform(_words_of(texts)).mean(axis=0)).ravel()
        length = float(np.linalg.norm(profile))
        if not length:
            return []
        profile /= length
        scores = self._vectors @ profile
        found: list[Suggestion] = []
        for row in np.argsort(-scores, kind="stable"):
            if len(found) == most or scores[row] < LEAST_SIMILARITY:
                break
            if self._keys[row] not in own:
                found.append(Suggestion(self._keys[row], self._shared(row, profile)))
        return found

    def _shared(self, row: int, profile: Any) -> tuple[str, ...]:
        vector = self._vectors[row]
        shares = vector.data * profile[vector.indices]
        best = np.argsort(-shares, kind="stable")[:_WORDS]
        return tuple(str(self._names[vector.indices[at]]) for at in best if shares[at] > 0)


def _words_of(texts: Sequence[str]) -> list[list[str]]:
    tokens = make_tokeniser().tokens_of(texts)
    return [[token for token in one if len(token) > 1 and token[0] != "#"] for one in tokens]


def _without_common(words: list[list[str]]) -> list[list[str]]:
    # Here and not by the vectorizer, which refuses texts of which nothing is left.
    numbers = Counter(word for one in words for word in set(one))
    common = {word for word, number in numbers.items() if number * 2 > len(words) >= _ENOUGH_TEXTS}
    return [[word for word in one if word not in common] for one in words]


class LikeIndex:
    """Readers and what they like, in few dimensions (truncated SVD), to tell what readers alike like.

    ``likes`` are pairs of a reader and a key. There are no suggestions with fewer than
    :data:`ENOUGH_READERS` readers.
    """

    def __init__(self, likes: Iterable[tuple[str, str]]) -> None:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.preprocessing import MultiLabelBinarizer

        liked: defaultdict[str, set[str]] = defaultdict(set)
        for name, key in likes:
            liked[name].add(key)
        binarizer = MultiLabelBinarizer(sparse_output=True)
        self._matrix = binarizer.fit_transform([liked[name] for name in sorted(liked)])
        self._keys: list[str] = binarizer.classes_.tolist()
        self._columns = {key: at for at, key in enumerate(self._keys)}
        self._svd: Any = None
        if len(liked) >= ENOUGH_READERS and len(self._keys) > 1:
            # With as many as there are readers or articles, nobody is like anybody else.
            size = min(_COMPONENTS, len(liked) // 3, len(self._keys) - 1)
            # Readers who all like the same have no variance.
            with np.errstate(invalid="ignore", divide="ignore"):
                self._svd = TruncatedSVD(size, random_state=0).fit(self._matrix.astype(np.float32))

    def like(self, liked: Iterable[str], own: frozenset[str], most: int) -> list[Suggestion]:
        """Return what two or more readers who like something of ``liked`` like, best first.

        Keys of ``own`` are left out.
        """
        columns = [self._columns[key] for key in liked if key in self._columns]
        if self._svd is None or not columns:
            return []
        row = np.zeros((1, len(self._keys)), np.float32)
        row[0, columns] = 1
        scores = self._svd.inverse_transform(self._svd.transform(row))[0]
        readers = (self._matrix @ row[0] > 0).astype(np.float32) @ self._matrix
        order = np.argsort(-scores, kind="stable")
        good = (at for at in order if scores[at] > _NOISE and readers[at] >= _ALIKE)
        found = [
            Suggestion(self._keys[at], readers=int(readers[at]))
            for at in good
            if self._keys[at] not in own
        ]
        return found[:most]


def merged(lists: Sequence[Sequence[Suggestion]]) -> list[Suggestion]:
    """Return suggestions of several lists, each with all its reasons, by reciprocal rank fusion.

    The sum of 1 / (60 + rank) decides (Cormack, Clarke and Büttcher 2009, section 2).
    """
    scores: defaultdict[str, float] = defaultdict(float)
    every: dict[str, Suggestion] = {}
    for suggestions in lists:
        for rank, one in enumerate(suggestions, 1):
            scores[one.key] += 1 / (_FUSION + rank)
            known = every.get(one.key, one)
            every[one.key] = Suggestion(
                one.key, known.words or one.words, max(known.readers, one.readers)
            )
    return sorted(every.values(), key=lambda one: -scores[one.key])


def distinct_tags(tagged: Iterable[Sequence[str]], most: int, least: int) -> list[str]:
    """Return the tags that cover most articles together, each with ``least`` articles of its own.

    ``tagged`` has the tags of each article. One that more than half of them have tells nothing.
    """
    articles: dict[str, set[int]] = {}
    spellings: dict[str, Counter[str]] = {}
    number = 0
    for number, tags in enumerate(filter(None, tagged), 1):
        for tag in {*map(str.strip, tags)} - {""}:
            articles.setdefault(tag.casefold(), set()).add(number)
            spellings.setdefault(tag.casefold(), Counter())[tag] += 1
    left = {tag: found for tag, found in articles.items() if len(found) * 2 <= number}
    chosen: list[str] = []
    while left and len(chosen) < most:
        best = min(left, key=lambda tag: (-len(left[tag]), tag))
        if len(left[best]) < least:
            break
        chosen.append(max(sorted(spellings[best]), key=spellings[best].__getitem__))
        covered = left.pop(best)
        left = {tag: rest for tag, found in left.items() if (rest := found - covered)}
    return chosen
