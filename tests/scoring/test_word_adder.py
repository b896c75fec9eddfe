"""The inner loop of link scoring."""

from __future__ import annotations

from array import array
from itertools import product
from operator import sub
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.scoring.link_classifier import Vocabulary
from focuscrawl.scoring.word_adder import END, Found, Total, WordAdder
from focuscrawl.text.tokeniser import make_tokeniser

MARKS = array("d", [0, 0.5, 0.75])
# Words 1 and 2 are terms of the lexicon; a sum in the first column tells which words there are.
WEIGHTS = [[0.0, 1.0, 10.0, 100.0, 1000.0], [0.0, 0.5, -2.0, 1e-9, 7.0]]
FOUND: dict[str, Found] = {
    "|": END, "a": 2, "b": 4, "c": (1, 2, 0, 1), "d": 8, "x": 7, "y": 5, "z": 1, "": 0, "none": (),
}  # fmt: skip
PIECES = st.lists(st.sampled_from([*FOUND, "other", "更多"]), max_size=60)


def find(piece: str) -> Found:
    return FOUND.get(piece, 0)


def find_pair(before: str, piece: str) -> int:
    return {"xy": 4, "zx": 3}.get(before + piece, 0)


def make(**changes: Any) -> WordAdder:
    columns = [dict(enumerate(column)) for column in WEIGHTS]
    given = {"find": find, "find_pair": find_pair, "columns": columns, "terms": 2} | changes
    return WordAdder(*given.values())


def read(adder: WordAdder | Vocabulary, totals: list[Total]) -> list[tuple[float, float, int]]:
    """Return the sums of texts, and how many terms each has."""
    nothing = (adder.add([]) if not isinstance(adder, Vocabulary) else adder.totals([""])) * len(
        totals
    )
    no_marks, numbers = array("d", [0]), array("d", range(100))
    ones, others = (adder.union_sums(totals, nothing, column, no_marks) for column in (0, 1))
    terms = map(sub, adder.union_sums(totals, nothing, 0, numbers), ones)
    return list(zip(ones, others, map(int, terms), strict=True))


def words(adder: WordAdder, pieces: list[str]) -> list[set[int]]:
    """Return the words of texts."""
    sums = [f"{one:04.0f}"[::-1] for one, _, _ in read(adder, adder.add(pieces))]
    return [{word for word in range(1, 5) if digits[word - 1] == "1"} for digits in sums]


def test_neighbours_that_stand_alone_make_a_word() -> None:
    pieces = "x y | y x | z x | x - y | x | y a x".split()
    assert words(make(), pieces) == [{3, 2, 4}, {2, 3}, {3}, {3, 2}, {3}, {2, 1, 3}]


@given(PIECES)
def test_a_word_of_two_texts_counts_once(pieces: list[str]) -> None:
    made = make()
    totals = made.add(pieces)
    assert len(totals) == pieces.count("|") + 1
    distinct, terms = words(made, pieces), [terms for _, _, terms in read(made, totals)]
    expected = [
        sum(WEIGHTS[0][word] for word in first | second) + MARKS[min(max(some), 2)]
        for (first, second), some in zip(
            product(distinct, repeat=2), product(terms, repeat=2), strict=True
        )
    ]
    firsts, seconds = map(list, zip(*product(totals, repeat=2), strict=True))
    assert made.union_sums(firsts, seconds, 0, MARKS) == expected


def test_each_piece_is_looked_up_once() -> None:
    requested: list[str] = []

    def ask(piece: str) -> Found:
        requested.append(piece)
        return find(piece)

    many = make(find=ask)
    pieces = [f"{number}" for number in range(5000)]
    assert len(many.add(pieces + pieces)) == 1
    assert requested == pieces
    assert len(many) == 5000
    many.forget()
    assert len(many) == 0
    many.add(["a", "a"])
    assert requested[5000:] == ["a"]


def test_a_lookup_may_look_up_and_clear_the_cache() -> None:
    def ask(piece: str) -> Found:
        if piece == "d":
            assert words(nested, ["a", "c"]) == [{1, 2}]
            nested.forget()
        return find(piece)

    nested = make(find=ask)
    pieces = ["c", "d", "c", "|", "c"]
    assert words(nested, pieces) == [{1, 2, 4}, {1, 2}]
    assert pieces == ["c", "d", "c", "|", "c"]


TERMS = ("机器学习", "machine learning", "c++", "谷歌", "sql注入")
WORDS = [
    "学习",
    "歌的",
    "谷",
    "歌",
    "#year",
    "node.js",
    "spark-streaming",
    "b",
    "x1",
    "é",
    "机器学习",
]
TEXTS = st.lists(
    st.lists(
        st.sampled_from([*TERMS, *WORDS, "谷歌的", "2019", "的", "，", "\x01", "A", "-", " ", "."])
        | st.text(max_size=3)
    ).map("".join),
    max_size=5,
    unique=True,
)


@given(TEXTS)
def test_a_vocabulary_finds_the_tokens_that_it_knows(texts: list[str]) -> None:
    tokeniser = make_tokeniser(words=TERMS)
    weights = [{word: float(number) for number, word in enumerate(WORDS, 1)}, {"谷歌": 0.25}]
    vocabulary = Vocabulary(tokeniser, tokeniser.words, weights)
    for text, found in zip(texts, read(vocabulary, vocabulary.totals(texts)), strict=True):
        tokens = set(tokeniser.tokens(text))
        one, other = (sum(space.get(token, 0) for token in tokens) for space in weights)
        assert found == (one, other, len(tokens.intersection(tokeniser.words)))
