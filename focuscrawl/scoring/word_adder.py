"""Sums of word weights over texts: the inner loop of link scoring."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat

Word = int
"""The number of a word of the vocabulary, from 1 up; 0: any other."""

Found = int | tuple[Word, ...]
"""The meaning of a piece of text: ``END`` of the text; the word ``found >> 1``, which is a single
character if ``found & 1``; or several words. 0 is a piece without words."""

END = -1
_LONGEST_REMEMBERED = 100

Total = tuple[list[float], int, frozenset[Word]]
"""Totals of one text: the sum of weights in each column, the number of distinct terms, and the
distinct words."""


class WordAdder:
    """Adds up the weights of the words of each text.

    ``columns`` map numbers of words to nonzero weights; words up to number ``terms`` are terms of the
    lexicon. ``find`` returns the words of a piece, ``find_pair`` the word made of two adjacent single
    characters; the results are cached.
    """

    def __init__(
        self,
        find: Callable[[str], Found],
        find_pair: Callable[[str, str], Word],
        columns: Sequence[Mapping[Word, float]],
        terms: int,
    ) -> None:
        self._find = find
        self._find_pair = find_pair
        self._weights = [column.get for column in columns]
        self._terms = terms
        self._found: dict[str, Found] = {}
        self._pairs: dict[tuple[str, str], Word] = {}

    def add(self, pieces: Sequence[str]) -> list[Total]:
        """Return the totals of texts, given their pieces in order with an ``END`` between texts.

        A word counts once, however often it occurs.
        """
        return [self._total(dict.fromkeys(words)) for words in self._texts(pieces)]

    def union_sums(
        self, ones: list[Total], others: list[Total], column: int, marks: array[float]
    ) -> list[float]:
        """Return, for each pair of texts, the sum in a column over the union of their words.

        ``marks[terms]`` is added, where ``terms`` is the larger of the two numbers of terms; the last
        mark is for more. ``ones`` and ``others`` are totals of :meth:`add`.
        """
        weight, last, found = self._weights[column], len(marks) - 1, []
        for (sums, terms, words), (more_sums, more_terms, more_words) in zip(
            ones, others, strict=True
        ):
            total = sums[column] + more_sums[column]
            if words and more_words:
                total -= sum(map(weight, words & more_words, repeat(0.0)), 0.0)
            found.append(total + marks[min(max(terms, more_terms), last)])
        return found

    def __len__(self) -> int:
        """Return the number of cached pieces and pairs."""
        return len(self._found) + len(self._pairs)

    def forget(self) -> None:
        """Clear the caches."""
        self._found.clear()
        self._pairs.clear()

    def _looked_up(self, piece: str) -> Found:
        found = self._find(piece)
        if len(piece) <= _LONGEST_REMEMBERED:
            self._found[piece] = found
        return found

    def _pair(self, before: str, piece: str) -> Word:
        word = self._pairs.get((before, piece))
        if word is None:
            word = self._pairs[before, piece] = self._find_pair(before, piece)
        return word

    def _texts(self, pieces: Sequence[str]) -> list[list[Word]]:
        texts = []
        words: list[Word] = []
        known = self._found.get
        before: str | None = None
        for piece in pieces:
            found = known(piece)
            if found is None:
                found = self._looked_up(piece)
            alone = None
            # The most frequent case first: nearly half of all pieces have no words.
            if not found:
                pass
            elif isinstance(found, tuple):
                words += found
            elif found == END:
                texts.append(words)
                words = []
            else:
                words.append(found >> 1)
                if found & 1:
                    alone = piece
                    if before is not None:
                        words.append(self._pair(before, piece))
            before = alone
        texts.append(words)
        return texts

    def _total(self, words: dict[Word, None]) -> Total:
        words.pop(0, None)
        sums = [sum(map(weight, words, repeat(0.0)), 0.0) for weight in self._weights]
        return sums, sum(map(self._terms.__ge__, words)), frozenset(words)
