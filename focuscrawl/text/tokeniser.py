"""Text as tokens for features: dictionary words, Latin words, classes of numbers, character bigrams.

The rules, after :func:`~focuscrawl.text.normal_form.normal_form`:

* blanks, punctuation and :data:`~focuscrawl.text.stop_words.STOP_WORDS` are dropped;
* Chinese is cut by jieba's dictionary without its guesses, so that rjieba and jieba agree. Single
  characters that it leaves next to each other also give their bigrams: 谷歌, unknown, is 谷 歌 谷歌;
* Latin words stay whole with up to two joints (node.js, scikit-learn, c++, c#, .net); longer chains,
  such as the slugs of addresses, fall into their words;
* a number is its class: ``#year`` from 1900 to 2099, else ``#number`` and its count of digits;
  cve-2021-44228 is ``cve #year #number5``. Words with six digits and more (hashes) are ``#code``;
* words that the tokeniser was given (a topic's lexicon) are found before anything is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from focuscrawl.text.normal_form import BETWEEN, normal_form
from focuscrawl.text.stop_words import STOP_WORDS
from focuscrawl.text.term_finder import TermFinder, term_key, term_spelling
from focuscrawl.text.word_cutter import CUTTERS, word_cutter

_RULES = 1  # one more whenever a rule above changes: models are bound to it

_SINGLE = "\x02"  # before a character that stands alone
_MOST_REMEMBERED = 100_000
LONGEST_WORD = 40
_MOST_DIGITS = 5
_MOST_PARTS = 3

# The common marks that NFKC changes: without them most texts are in NFKC, which is quick to see.
_MARKS = "，！？：；（）…｜\u3000\xa0"
# Cutters keep runs of Latin letters together, so joints are written as capitals, which a normal form
# has not; as J, W and Y, which are in no word of the dictionary.
_CODES = {".": "JJ", "-": "JW", "_": "JY", "++": "WJ", "#": "WW"}
_JOINTS = {code: joint for joint, code in _CODES.items()}
_CODE = re.compile("[JW][JWY]")
_GIVEN = "Y"
# node.js c++ c# .net; an expression for each, since one for all would have to be asked what it found.
_BETWEEN_WORDS = "(?<=[a-z0-9].)(?=[a-z0-9])"
_JOINT = {
    ".": re.compile(rf"\.(?:{_BETWEEN_WORDS}|(?<![a-z0-9].)(?=net(?![a-z0-9])))"),
    "-": re.compile(f"-{_BETWEEN_WORDS}"),
    "_": re.compile(f"_{_BETWEEN_WORDS}"),
    "++": re.compile(r"\+(?<=[a-z0-9].)\+"),
    "#": re.compile("#(?<=[a-z0-9].)(?![a-z0-9])"),
}
_PLAIN = re.compile("[a-z0-9]+")
_UNKNOWN = re.compile(f"{_SINGLE}.(?:{_SINGLE}.)+")


@dataclass(frozen=True)
class Tokeniser:
    """Turns texts into tokens. Equal tokenisers give equal tokens; ``make_tokeniser`` makes them.

    ``words``: terms that are one token wherever they stand, see :func:`~focuscrawl.text.term_finder.TermFinder`.
    """

    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name to store with what was counted: cutter, its release and that of the rules above."""
        return f"{CUTTERS[0]}/{_RULES}"

    def agrees_with(self, name: str) -> bool:
        """Tell whether the tokeniser of a stored name gives the same tokens."""
        return name in {f"{cutter}/{_RULES}" for cutter in CUTTERS}

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of ``text`` in order."""
        return self.tokens_of([text])[0]

    def tokens_of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each text, at the cost of one call for all; equal texts share one list."""
        if not texts:
            return []
        distinct = list(dict.fromkeys(texts))
        if len(self._written_piece) > _MOST_REMEMBERED:
            self._written_piece.clear()
        line = "".join(map(self._written_piece.__getitem__, self.pieces(distinct)))
        lines = _UNKNOWN.sub(_with_bigrams, line).replace(_SINGLE, " ").split(BETWEEN)
        tokens = {text: line.split() for text, line in zip(distinct, lines, strict=True)}
        return [tokens[text] for text in texts]

    def pieces(self, texts: Sequence[str]) -> list[str]:
        """Cut texts in one call; ``BETWEEN`` stands between what is of one and of the next."""
        text = BETWEEN.join(texts)
        if text.count(BETWEEN) >= len(texts):
            text = BETWEEN.join(text.replace(BETWEEN, " ") for text in texts)
        for mark in _MARKS:
            text = text.replace(mark, " ")
        text = self._terms.replace(normal_form(text), self._numbered)
        for joint, expression in _JOINT.items():
            if joint in text:
                text = expression.sub(_CODES[joint], text)
        return word_cutter()(text)

    @cached_property
    def tokens_of_piece(self) -> Callable[[str], list[str]]:
        """What returns the tokens of a piece; neighbours that stand alone give their bigrams besides."""
        return self._written_piece.tokens

    @cached_property
    def _terms(self) -> TermFinder:
        # No cutter cuts a plain Latin word, so the pieces tell which of those were given.
        return TermFinder(word for word in self.words if not _PLAIN.fullmatch(word))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {term_key(word): number for number, word in enumerate(self.words)}

    def _numbered(self, key: str) -> str:
        return f" {_GIVEN}{self._numbers[key]} "

    @cached_property
    def _written_piece(self) -> _Pieces:
        return _Pieces(self.words)


@lru_cache(maxsize=16)
def _shared(words: tuple[str, ...]) -> Tokeniser:
    return Tokeniser(words)


def make_tokeniser(words: Iterable[str] = ()) -> Tokeniser:
    """Return the tokeniser that knows ``words``; equal words give the same one.

    Words of one character are passed over: they would cut the words of the dictionary apart. Raises
    :class:`~focuscrawl.errors.TokeniserError` where no cutter is installed.
    """
    word_cutter()
    known = {term_spelling(word) for word in words}
    return _shared(tuple(sorted(word for word in known if len(word) > 1)))


class _Pieces(dict[str, str]):
    """From a piece that a cutter returned to its tokens, each after a blank or ``_SINGLE``."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = words
        self._plain = frozenset(filter(_PLAIN.fullmatch, words))

    def __missing__(self, piece: str) -> str:
        if piece == BETWEEN:
            written = piece
        elif stands_alone(piece) and self.tokens(piece):
            written = f"{_SINGLE}{piece}"
        else:
            written = " " + " ".join(self.tokens(piece))
        if len(piece) <= LONGEST_WORD:
            self[piece] = written
        return written

    def tokens(self, piece: str) -> list[str]:
        if not piece.isascii():
            is_dropped = piece in STOP_WORDS or not any(map(str.isalnum, piece))
            return [] if is_dropped else [piece]
        if piece[0] == _GIVEN:
            return [self._words[int(piece[1:])]]
        is_joined = not (piece.isalnum() and (piece.islower() or piece.isdigit()))
        words = self._parts(piece) if is_joined else [piece]
        return list(filter(None, map(self._token, words)))

    def _parts(self, piece: str) -> list[str]:
        """Return what of Latin words and figures that were joined are words of their own."""
        word = _read(piece)
        parts = word.replace(".", " ").replace("-", " ").replace("_", " ").split()
        if len(parts) > _MOST_PARTS or not self._plain.isdisjoint(parts):
            return parts
        # Joints are written as letters.
        if piece.isalpha():
            return [word]
        figures = list(filter(str.isdigit, parts))
        are_years = figures and max(map(len, figures)) >= 4
        return parts if are_years or len(figures) == len(parts) else [word]

    def _token(self, word: str) -> str:
        if word in self._plain:
            return word
        if word in STOP_WORDS or not (word.isalnum() or any(map(str.isalnum, word))):
            return ""
        return _class(word)


def stands_alone(piece: str) -> bool:
    """Tell whether a piece is one character of a script without blanks, a word or part of one."""
    return len(piece) == 1 and not piece.isascii()


def _read(piece: str) -> str:
    """Return a piece with its joints. Codes of a sign at the end of a word may touch the next."""
    if "WJ" in piece or "WW" in piece:
        return _CODE.sub(lambda code: _JOINTS[code[0]], piece)
    return piece.replace("JJ", ".").replace("JW", "-").replace("JY", "_")


def _class(word: str) -> str:
    if word.isdigit():
        is_year = len(word) == 4 and word[:2] in ("19", "20")
        return "#year" if is_year else f"#number{min(len(word), 9)}"
    has_many = not word.isalpha() and sum(map(str.isdigit, word)) > _MOST_DIGITS
    return "#code" if has_many or len(word) > LONGEST_WORD else word


def _with_bigrams(run: re.Match[str]) -> str:
    singles = run[0][1::2]
    return f" {' '.join(singles)} {' '.join(map(''.join, pairwise(singles)))} "
