"""The inner loop of link scoring: in Python, and compiled."""

from __future__ import annotations

import os
import shutil
import sys
from array import array
from collections import Counter
from itertools import product
from operator import sub
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.links.vocabulary import Vocabulary, fastest
from focuscrawl.links.word_adder import END, Found, Total, WordAdder
from focuscrawl.text.tokens import make_tokeniser

MARKS = array("d", [0, 0.5, 0.75])
WORTHS = array("d", [0, 1, 1.5, 2])
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


def make(adder: type[WordAdder], **changes: Any) -> WordAdder:
    columns = [array("d", column) for column in WEIGHTS]
    given = {"find": find, "find_pair": find_pair, "columns": columns, "terms": 2} | changes
    return adder(*given.values())


@pytest.fixture(scope="session")
def compiled() -> type[WordAdder]:
    if fastest() is WordAdder:
        has_compiler = any(map(shutil.which, ("cc", "gcc", "clang")))
        if os.environ.get("CI") == "true" and has_compiler:
            pytest.fail("there is a compiler, but the word adder was not compiled")
        pytest.skip("the word adder was not compiled here")
    return fastest()


@pytest.fixture(params=["python", "compiled"])
def adder(request: pytest.FixtureRequest) -> type[WordAdder]:
    if request.param == "python":
        return WordAdder
    found: type[WordAdder] = request.getfixturevalue("compiled")
    return found


def read(adder: WordAdder | Vocabulary, totals: list[Total]) -> list[tuple[float, float, int]]:
    """Return the sums of texts, and how many terms each has."""
    nothing = (adder.add([]) if not isinstance(adder, Vocabulary) else adder.totals([""])) * len(
        totals
    )
    no_marks, numbers = array("d", [0]), array("d", range(100))
    ones, others = (adder.both(totals, nothing, column, no_marks) for column in (0, 1))
    terms = map(sub, adder.both(totals, nothing, 0, numbers), ones)
    return list(zip(ones, others, map(int, terms), strict=True))


def words(adder: WordAdder, pieces: list[str]) -> list[set[int]]:
    """Return the words of texts."""
    sums = [f"{one:04.0f}"[::-1] for one, _, _ in read(adder, adder.add(pieces))]
    return [{word for word in range(1, 5) if digits[word - 1] == "1"} for digits in sums]


def test_distinct_words_of_each_text_are_added_up(adder: type[WordAdder]) -> None:
    made = make(adder)
    totals = made.add(["a", "other", "d", "a", "|", "c", "none", "b", "|"])
    assert read(made, totals) == [(1001.0, 7.5, 1), (11.0, -1.5, 2), (0.0, 0.0, 0)]


def test_words_count_for_what_so_many_of_them_are_worth(adder: type[WordAdder]) -> None:
    pieces = ["a", "other", "d", "a", "|", *["c"] * 5, "|"]
    one, two, three = make(adder).weigh(pieces, array("d", [0, 1, 1.5, 1.75]))
    assert one == ((1.5 * 1 + 1000, 1.5 * 0.5 + 7), 2, 2.5)
    assert two == ((1.75 * 11, 1.75 * -1.5), 15, 3.5)
    assert three == ((0.0, 0.0), 0, 0.0)


def test_words_without_a_weight_count_by_number(adder: type[WordAdder]) -> None:
    found = {"both": (1, 70_000), "one": 9_000, "|": END}
    answers = make(adder, find=found.__getitem__)
    pieces = ["both", "one", "one", "|", "both"]
    assert words(answers, pieces) == [{1}, {1}]
    worths = array("d", [0, 1, 3])
    assert answers.weigh(pieces, worths) == [((1.0, 0.5), 1, 5.0), ((1.0, 0.5), 1, 2.0)]


def test_neighbours_that_stand_alone_make_a_word(adder: type[WordAdder]) -> None:
    pieces = "x y | y x | z x | x - y | x | y a x".split()
    assert words(make(adder), pieces) == [{3, 2, 4}, {2, 3}, {3}, {3, 2}, {3}, {2, 1, 3}]


@given(st.lists(PIECES, max_size=4))
def test_both_say_the_same(batches: list[list[str]]) -> None:
    one, other = make(WordAdder), make(fastest())
    for pieces in batches:
        totals, others = one.add(pieces), other.add(pieces)
        assert len(totals) == pieces.count("|") + 1
        assert read(other, others) == read(one, totals)
        assert other.weigh(pieces, WORTHS) == one.weigh(pieces, WORTHS)
        assert len(one) == len(other)
        distinct, terms = words(one, pieces), [terms for _, _, terms in read(one, totals)]
        expected = [
            sum(WEIGHTS[0][word] for word in first | second) + MARKS[min(max(some), 2)]
            for (first, second), some in zip(
                product(distinct, repeat=2), product(terms, repeat=2), strict=True
            )
        ]
        for adder, made in ((one, totals), (other, others)):
            firsts, seconds = map(list, zip(*product(made, repeat=2), strict=True))
            assert adder.both(firsts, seconds, 0, MARKS) == expected


def test_strings_of_the_same_bytes_are_not_the_same(adder: type[WordAdder]) -> None:
    # Python's hashes of them are equal.
    twins = {"9e": 2, "改": 4, "e94e": 6, "㥥攴": 8}
    assert hash("9e") == hash("改")
    answers = make(adder, find=lambda piece: twins[piece])
    for _ in range(2):
        assert [words(answers, [piece]) for piece in twins] == [[{1}], [{2}], [{3}], [{4}]]


def test_each_piece_is_asked_for_once(adder: type[WordAdder]) -> None:
    asked: list[str] = []

    def ask(piece: str) -> Found:
        asked.append(piece)
        return find(piece)

    many = make(adder, find=ask)
    pieces = [f"{number}" for number in range(5000)]
    assert len(many.add(pieces + pieces)) == 1
    assert asked == pieces
    assert len(many) == 5000
    many.forget()
    assert len(many) == 0
    many.add(["a", "a"])
    assert asked[5000:] == ["a"]


@pytest.mark.parametrize(
    ("answer", "error"), [("a", TypeError), (1.5, TypeError), (KeyError, KeyError)]
)
def test_what_cannot_be_an_answer_is_an_error(
    adder: type[WordAdder], answer: Any, error: type[Exception]
) -> None:
    def ask(*_: str) -> Any:
        if answer is KeyError:
            raise KeyError("a piece")
        return answer

    with pytest.raises(error):
        make(adder, find=ask).add(["a", "b"])
    with pytest.raises(error):
        make(adder, find_pair=ask).add(["x", "y"])


@pytest.mark.parametrize("pieces", [["a", 1], ["a", None], 7, None])
def test_what_are_no_pieces_is_an_error(adder: type[WordAdder], pieces: Any) -> None:
    with pytest.raises(TypeError):
        make(adder).add(pieces)


@pytest.mark.parametrize("number", [-7, 2**25, 2**40, 2**80])
@pytest.mark.parametrize("as_one_of", [False, True])
def test_the_compiled_one_reads_no_weight_that_is_not_there(
    compiled: type[WordAdder], number: int, as_one_of: bool
) -> None:
    answer = (1, number) if as_one_of else number
    with pytest.raises((ValueError, OverflowError)):
        make(compiled, find=lambda piece: answer).add(["a"])
    with pytest.raises((ValueError, OverflowError)):
        make(compiled, find_pair=lambda before, piece: number).add(["x", "y"])
    for bad in ([array("f", [0, 1])], [array("d", [0]), array("d", [0, 1])], [array("d")], 7):
        with pytest.raises((ValueError, TypeError)):
            make(compiled, columns=bad)
        with pytest.raises((ValueError, TypeError)):
            make(compiled).weigh(["a"], bad)
        with pytest.raises((ValueError, TypeError)):
            make(compiled).both([], [], 0, bad)


@pytest.mark.parametrize("number", range(11))
def test_the_compiled_one_takes_no_totals_that_are_none(
    compiled: type[WordAdder], number: int
) -> None:
    made = make(compiled)
    total = made.add(["a"])
    bad: Any = [
        (total, total, 2, MARKS),
        (total, total, -1, MARKS),
        (total, total, "0", MARKS),
        (total, [], 0, MARKS),
        (total, [7], 0, MARKS),
        (total, make(WordAdder).add(["a"]), 0, MARKS),
        ([total[0][:-5]], total, 0, MARKS),
        ([b""], total, 0, MARKS),
        (tuple(total), total, 0, MARKS),
        (total, total, 0),
        (total, total, 0, []),
    ][number]
    with pytest.raises((ValueError, TypeError)):
        made.both(*bad)


def test_the_compiled_one_reads_no_word_that_is_not_there(compiled: type[WordAdder]) -> None:
    (total,) = make(compiled).add([])
    odd = [total + b"\xff" * 8 + b"\x00\x00\x00\x40odd"]
    assert make(compiled).both(odd, odd, 0, MARKS) == [0.0]


def test_whoever_is_asked_may_ask_and_forget(adder: type[WordAdder]) -> None:
    def ask(piece: str) -> Found:
        if piece == "d":
            assert words(nested, ["a", "c"]) == [{1, 2}]
            nested.forget()
        return find(piece)

    nested = make(adder, find=ask)
    pieces = ["c", "d", "c", "|", "c"]
    assert words(nested, pieces) == [{1, 2, 4}, {1, 2}]
    assert pieces == ["c", "d", "c", "|", "c"]


def test_nothing_is_held_longer_than_it_is_needed(adder: type[WordAdder]) -> None:
    piece = "a piece of its own" + str(adder)
    before = sys.getrefcount(piece)
    kept = make(adder)
    for _ in range(100):
        kept.add([piece, "|", piece])
    kept.forget()
    assert sys.getrefcount(piece) == before


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
    for kind in {WordAdder, fastest()}:
        vocabulary = Vocabulary(tokeniser, tokeniser.words, weights, kind)
        for text, found in zip(texts, read(vocabulary, vocabulary.totals(texts)), strict=True):
            tokens = set(tokeniser.tokens(text))
            one, other = (sum(space.get(token, 0) for token in tokens) for space in weights)
            assert found == (one, other, len(tokens.intersection(tokeniser.words)))


@given(TEXTS)
def test_a_vocabulary_counts_every_word_where_that_is_asked_for(texts: list[str]) -> None:
    tokeniser = make_tokeniser(words=TERMS)
    weights = {word: float(number) for number, word in enumerate(WORDS, 1)}
    worths = array("d", [0, 1, 1.5, 1.75, 1.875])
    for kind in {WordAdder, fastest()}:
        vocabulary = Vocabulary(tokeniser, tokeniser.words, [weights], kind, every_word=True)
        counted = vocabulary.weighed(texts, worths)
        for text, ((total,), terms, value) in zip(texts, counted, strict=True):
            counts = Counter(tokeniser.tokens(text))
            values = {word: worths[min(times, 4)] for word, times in counts.items()}
            assert total == sum(weights.get(word, 0) * values[word] for word in counts)
            assert terms == sum(counts[term] for term in tokeniser.words)
            assert value == sum(values.values())
