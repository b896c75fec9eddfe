"""Numbered vocabulary of a model, and sums over the words of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from focuscrawl.scoring.word_adder import END, Found, Total, Word, WordAdder
from focuscrawl.text.normal_form import BETWEEN
from focuscrawl.text.tokeniser import LONGEST_WORD, Tokeniser, stands_alone

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
