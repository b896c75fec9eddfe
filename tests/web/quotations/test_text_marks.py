"""Marks in a text, and the sentence around a price."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.web.quotations.text_marks import marked_pieces, sentence_of
from tests.stores.record_examples import quote
from tests.web.quotations.quoted_articles import TEXT, quoted

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


def test_a_sentence_ends_at_a_full_stop_one_without_is_cut_and_one_without_a_place_is_what_was_read() -> (
    None
):
    first = (quoted().quotes or [])[0]
    after = "，诸城兴贸、昌乐盛泰均为0.83元/斤。"
    assert sentence_of(TEXT, first) == ("寿光金玉米", "0.815元/斤", after)
    text = "长" * 10_000 + "1" + "文" * 10_000
    found = sentence_of(text, quote(text_start=10_000, text_end=10_001))
    assert found.price == "1"
    assert max(map(len, found)) == 200
    unknown = quote(span="寿光0.8元", text_start=0, text_end=0)
    assert sentence_of("x", unknown) == ("寿光0.8元", "", "")
