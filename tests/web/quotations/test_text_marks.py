"""Marks in a text, and the sentence around a price."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.web.quotations.text_marks import Piece, marked_pieces, sentence_of
from tests.stores.record_examples import quote
from tests.web.quotations.quoted_articles import TEXT, quoted


def test_a_text_is_split_where_prices_begin_and_end() -> None:
    pieces = marked_pieces(TEXT, quoted().quotes or [], 2)
    assert [piece for piece in pieces if piece.seq is not None] == [
        Piece("0.815元/斤", 0),
        Piece("0.83元/斤", 2, is_chosen=True),
        Piece("5000元/吨", 3),
    ]
    assert "".join(piece.text for piece in pieces) == TEXT


_PLACES = st.lists(st.tuples(st.integers(-2, 12), st.integers(-2, 12)), max_size=6)


@given(st.text(max_size=10), _PLACES, st.none() | st.integers(0, 5))
def test_no_character_is_lost_and_the_chosen_ones_are_exact(
    text: str, places: list[tuple[int, int]], chosen: int | None
) -> None:
    quotes = [quote(text_start=start, text_end=end) for start, end in places]
    pieces = marked_pieces(text, quotes, chosen)
    assert "".join(piece.text for piece in pieces) == text
    marked = "".join(piece.text for piece in pieces if piece.is_chosen)
    if chosen is not None and chosen < len(places):
        start, end = places[chosen]
        assert marked == (text[start:end] if 0 <= start < end <= len(text) else "")
    else:
        assert not marked


@pytest.mark.parametrize(
    ("seq", "sentence"),
    [
        (0, ("寿光金玉米", "0.815元/斤", "，诸城兴贸、昌乐盛泰均为0.83元/斤。")),
        (3, ("青岛港", "5000元/吨", "。")),
    ],
)
def test_the_sentence_ends_at_full_stops_and_lines(seq: int, sentence: tuple[str, ...]) -> None:
    quotes = quoted().quotes or []
    assert tuple(sentence_of(TEXT, quotes[seq])) == sentence


def test_a_sentence_without_end_is_cut() -> None:
    text = "长" * 10_000 + "1" + "文" * 10_000
    found = sentence_of(text, quote(text_start=10_000, text_end=10_001))
    assert found.price == "1"
    assert max(map(len, found)) == 200


def test_without_a_place_the_sentence_is_what_was_read() -> None:
    found = sentence_of("x", quote(span="寿光0.8元", text_start=0, text_end=0))
    assert found == ("寿光0.8元", "", "")
