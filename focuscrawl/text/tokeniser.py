"""Tokeniser for features: dictionary words, Latin words, classes of numbers, character bigrams.

The rules, after :func:`~focuscrawl.text.normal_form.normal_form`:

* spaces, punctuation and :data:`~focuscrawl.text.tokeniser.STOP_WORDS` are dropped;
* Chinese is segmented by jieba's dictionary without its HMM, so that rjieba and jieba agree. Adjacent
  single characters also give their bigrams: 谷歌, not in the dictionary, is 谷 歌 谷歌;
* Latin words are kept with up to two joints (node.js, scikit-learn, c++, c#, .net); longer chains,
  such as the slugs of URLs, are split into words;
* a number is replaced by its class: ``#year`` from 1900 to 2099, else ``#number`` and its count of
  digits; cve-2021-44228 is ``cve #year #number5``. Words with six or more digits (hashes) are
  ``#code``;
* words given to the tokeniser (a topic's lexicon) are found before segmentation.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise

from focuscrawl.errors import TokeniserError
from focuscrawl.text.normal_form import BETWEEN, normal_form
from focuscrawl.text.term_finder import TermFinder, term_key, term_spelling

# Stop words: words without a topic. The list is short, since classifiers weigh the others.

# 不, 没, 无 and question words are not listed: 如何, 什么 begin the titles of manuals.
_CHINESE = """
的 地 得 了 着 过 是 在 和 与 及 或 并 而 且 但 也 都 就 又 还 很 再 只 才 被 把 将 让 给 从 对 向 到 由
于 以 为 因 所 之 其 此 该 这 那 我 你 您 他 她 它 们 吗 呢 吧 啊 呀 哦 嘛 个 们 上 下 里 中 有
我们 你们 他们 它们 自己 这个 那个 一个 这些 那些 这里 因为 所以 但是 如果 以及 并且 或者 而且 然后
"""
_ENGLISH = """
a an the of to in on at by for from with and or as is are was were be been it its this that these those
we you they he she our your their my me us them not
"""

STOP_WORDS = frozenset(_CHINESE.split()) | frozenset(_ENGLISH.split())


# Segmentation of Chinese text by jieba's dictionary: rjieba, or jieba if that is not installed.

Cut = Callable[[str], list[str]]

CUTTERS = ("rjieba-0.2", "jieba-0.42")
"""Releases with equal results, the fast one first; pyproject.toml admits no others."""

# jieba concatenates a Latin run letter by letter: a million letters take 13 s.
_LATIN_RUN = re.compile(r"([a-zA-Z0-9]{100,})")


@cache
def word_cutter() -> Cut:
    """Return the function that splits a text into pieces, in order and without omissions.

    Raises :class:`~focuscrawl.errors.TokeniserError` if neither cutter is installed.
    """
    try:
        import rjieba
    except ImportError:
        return _jieba()
    return lambda text: rjieba.cut(text, False)


def _jieba() -> Cut:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import jieba
    except ImportError:
        raise TokeniserError(
            "no Chinese word segmenter is installed; run: pip install rjieba (or jieba)"
        ) from None
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # Its initialize() loads a marshal file from the temporary folder, which anybody can write to.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True

    def cut(text: str) -> list[str]:
        pieces: list[str] = []
        for number, part in enumerate(_LATIN_RUN.split(text)):
            pieces += [part] if number % 2 else tokenizer.lcut(part, HMM=False)
        return pieces

    return cut


_RULES = 1  # version, to be incremented with each change of a rule: models depend on it

_SINGLE = "\x02"  # prefix of a piece of a single character
_MOST_REMEMBERED = 100_000
LONGEST_WORD = 40
_MOST_DIGITS = 5
_MOST_PARTS = 3

# Common marks changed by NFKC: without them most texts are already in NFKC, which is fast to check.
_MARKS = "，！？：；（）…｜\u3000\xa0"
# Cutters keep runs of Latin letters together, so joints are encoded as capitals, which normal forms
# do not contain: J, W and Y, which are in no word of the dictionary.
_CODES = {".": "JJ", "-": "JW", "_": "JY", "++": "WJ", "#": "WW"}
_JOINTS = {code: joint for joint, code in _CODES.items()}
_CODE = re.compile("[JW][JWY]")
_GIVEN = "Y"
# node.js c++ c# .net; one expression each, since a common one would need a replacement function.
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
    """Function from texts to tokens, created by :func:`make_tokeniser`; equal ones give equal tokens.

    ``words`` are terms that always are one token, see :class:`~focuscrawl.text.term_finder.TermFinder`.
    """

    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name to store with models: the cutter, its release, and the version of the rules."""
        return f"{CUTTERS[0]}/{_RULES}"

    def agrees_with(self, name: str) -> bool:
        """Return whether the tokeniser of a stored name gives the same tokens."""
        return name in {f"{cutter}/{_RULES}" for cutter in CUTTERS}

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of ``text`` in order."""
        return self.tokens_of([text])[0]

    def tokens_of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each text, faster than separate calls; equal texts share one list."""
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
        """Return the pieces of all texts, segmented in one call, with ``BETWEEN`` between the texts."""
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
        """Return the function from a piece to its tokens, without bigrams of single characters."""
        return self._written_piece.tokens

    @cached_property
    def _terms(self) -> TermFinder:
        # No cutter splits a plain Latin word, so given ones are recognised among the pieces.
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
    """Return the tokeniser with the given ``words``; equal words give the same object.

    Words of one character are ignored: they would split dictionary words. Raises
    :class:`~focuscrawl.errors.TokeniserError` if no cutter is installed.
    """
    word_cutter()
    known = {term_spelling(word) for word in words}
    return _shared(tuple(sorted(word for word in known if len(word) > 1)))


class _Pieces(dict[str, str]):
    """Cache of the tokens of each piece, each with a space or ``_SINGLE`` before it."""

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
        """Return the tokens of joined Latin words and numbers: one word, or its parts."""
        word = _read(piece)
        parts = word.replace(".", " ").replace("-", " ").replace("_", " ").split()
        if len(parts) > _MOST_PARTS or not self._plain.isdisjoint(parts):
            return parts
        # Only letters, because joints are encoded as letters.
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
    """Return whether a piece is a single character that is not ASCII: a word or part of one."""
    return len(piece) == 1 and not piece.isascii()


def _read(piece: str) -> str:
    """Return a piece with its joints decoded; codes of signs at the end of a word may be adjacent."""
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
