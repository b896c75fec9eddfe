"""Numbered vocabulary of a model, and sums over the words of texts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

from focuscrawl.scoring.word_adder import END, Found, Total, Weighed, Word, WordAdder
from focuscrawl.text.normal_form import BETWEEN
from focuscrawl.text.tokeniser import LONGEST_WORD, Tokeniser, stands_alone

_MOST_REMEMBERED = 200_000


class Vocabulary:
    """Finds the tokens of texts that a model knows, and adds up their weights.

    ``terms`` of the lexicon have the first numbers, from 1 up. ``weights`` are those of the model, one
    mapping from words to weights per namespace. All words are tokens of the tokeniser. With
    ``every_word``, unknown words are counted, too, with weight 0.
    """

    def __init__(
        self,
        tokeniser: Tokeniser,
        terms: Iterable[str],
        weights: Sequence[Mapping[str, float]],
        *,
        every_word: bool = False,
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
        self._every_word = every_word
        self._others: dict[str, Word] = {}
        self._number: Callable[[str], Word | None] = (
            self._any_number if every_word else self._numbers.get
        )
        self._adder = WordAdder(self._find, self._find_pair, columns, count)
        self.union_sums = self._adder.union_sums

    def totals(self, texts: Sequence[str]) -> list[Total]:
        """Return the totals of each text, the input of ``union_sums``."""
        return self._adder.add(self._pieces(texts)) if texts else []

    def weighed(self, texts: Sequence[str], count_weights: array[float]) -> list[Weighed]:
        """Return the weighted totals of each text, see :data:`~focuscrawl.scoring.word_adder.Weighed`.

        Every word is weighted by ``count_weights[occurrences]``.
        """
        return self._adder.weigh(self._pieces(texts), count_weights) if texts else []

    def _pieces(self, texts: Sequence[str]) -> list[str]:
        if len(self._adder) > _MOST_REMEMBERED:
            self._adder.forget()
            self._others.clear()
        return self._tokeniser.pieces(texts)

    def _find(self, piece: str) -> Found:
        if piece == BETWEEN:
            return END
        is_alone = stands_alone(piece)
        if word := self._numbers.get(piece):
            return word << 1 | is_alone
        # The common case of unknown pieces: a word that the tokeniser does not split.
        if (
            not self._every_word
            and not is_alone
            and piece.isalpha()
            and len(piece) <= LONGEST_WORD
            and (piece.islower() or not piece.isascii())
        ):
            return 0
        tokens = self._tokens_of(piece)
        words = tuple(filter(None, map(self._number, tokens)))
        if len(words) > 1:
            return words
        return sum(words) << 1 | (is_alone and bool(tokens))

    def _find_pair(self, before: str, piece: str) -> Word:
        return self._number(before + piece) or 0

    def _any_number(self, word: str) -> Word:
        next_number = len(self._numbers) + len(self._others) + 1
        return self._numbers.get(word) or self._others.setdefault(word, next_number)
