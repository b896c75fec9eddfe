"""What the words of texts add to the scores of a linear model: the inner loop of link scoring.

:class:`WordAdder` here says what is computed. ``_word_adder.c`` computes the same, and is used
wherever it could be compiled when focuscrawl was installed: links are scored 1.6 times as fast.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import repeat

Word = int
"""The number of a word of the vocabulary, from 1 up; 0: any other."""

Found = int | tuple[Word, ...]
"""What a piece of a text is: ``END`` of the text; the word ``found >> 1``, a character that stands
alone if ``found & 1``; or several words. 0 is nothing that counts."""

END = -1
_LONGEST_REMEMBERED = 100

Total = tuple[tuple[float, ...], int, bytes]
"""Of one text: the sum in each column, how many of its words are terms, its distinct words."""


class WordAdder:
    """Adds up the weights of the distinct words of each text.

    ``columns`` hold weights by word, in each column one for all, that of 0 first; words up to
    ``terms`` are terms of the lexicon. ``find`` tells what a piece is, ``find_pair`` the word that two
    neighbours make which stand alone. What they have said is remembered.
    """

    def __init__(
        self,
        find: Callable[[str], Found],
        find_pair: Callable[[str, str], Word],
        columns: Sequence[array[float]],
        terms: int,
    ) -> None:
        self._find = find
        self._find_pair = find_pair
        self._columns = columns
        self._terms = terms
        self._found: dict[str, Found] = {}
        self._pairs: dict[tuple[str, str], Word] = {}

    def add(self, pieces: Sequence[str]) -> list[Total]:
        """Return the totals of texts, given their pieces in order with an ``END`` between texts."""
        totals = []
        words: dict[Word, None] = {}
        known = self._found.get
        before: str | None = None
        for piece in pieces:
            found = known(piece)
            if found is None:
                found = self._asked(piece)
            alone = None
            # Nearly half of all pieces are nothing that counts.
            if not found:
                pass
            elif isinstance(found, tuple):
                words.update(zip(found, repeat(None)))
            elif found == END:
                totals.append(self._total(words))
                words = {}
            else:
                words[found >> 1] = None
                if found & 1:
                    alone = piece
                    if before is not None:
                        words[self._pair(before, piece)] = None
            before = alone
        totals.append(self._total(words))
        return totals

    def shared(self, words: bytes, others: bytes, column: int) -> float:
        """Return the sum of the words that two texts have in common."""
        both = set(array("i", words)).intersection(array("i", others))
        return sum(map(self._columns[column].__getitem__, both), 0.0)

    def __len__(self) -> int:
        """How much is remembered."""
        return len(self._found) + len(self._pairs)

    def forget(self) -> None:
        """Forget what pieces are."""
        self._found.clear()
        self._pairs.clear()

    def _asked(self, piece: str) -> Found:
        found = self._find(piece)
        if len(piece) <= _LONGEST_REMEMBERED:
            self._found[piece] = found
        return found

    def _pair(self, before: str, piece: str) -> Word:
        word = self._pairs.get((before, piece))
        if word is None:
            word = self._pairs[before, piece] = self._find_pair(before, piece)
        return word

    def _total(self, words: dict[Word, None]) -> Total:
        words.pop(0, None)
        sums = tuple([sum(map(column.__getitem__, words), 0.0) for column in self._columns])
        terms = sum(map(self._terms.__ge__, words))
        return sums, terms, array("i", words).tobytes()
