"""Marks of quotes in the text of their article, by their character offsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from focuscrawl.items import Quote

_SENTENCE_ENDS = "。！？；\n"
_MOST_AROUND = 200
"""Characters shown before and after a price at most, for texts without any end of a sentence."""


class Piece(NamedTuple):
    """A part of a text; ``seq`` is the position of the quote whose price it is, None for all else."""

    text: str
    seq: int | None = None
    is_chosen: bool = False


class Sentence(NamedTuple):
    """The sentence around a price, which is empty if its place in the text is not known."""

    before: str
    price: str
    after: str


def has_place(quote: Quote, text: str) -> bool:
    """Return whether the place of a quote in a text is known, as it is not of old versions."""
    return 0 <= quote.text_start < quote.text_end <= len(text)


def marked_pieces(text: str, quotes: Sequence[Quote], chosen: int | None = None) -> list[Piece]:
    """Split a text where prices begin and end.

    Where prices overlap, as one that is for several firms, a part belongs to the chosen one, or else
    to the first.
    """
    places = {seq: quote for seq, quote in enumerate(quotes) if has_place(quote, text)}
    edges = {0, len(text)}
    begins: dict[int, list[int]] = {}
    for seq, quote in places.items():
        edges |= {quote.text_start, quote.text_end}
        begins.setdefault(quote.text_start, []).append(seq)
    ordered, open_now, found = sorted(edges), set[int](), list[Piece]()
    for start, end in pairwise(ordered):
        open_now = {seq for seq in open_now if places[seq].text_end > start}
        open_now |= {*begins.get(start, ())}
        owner = chosen if chosen in open_now else min(open_now, default=None)
        _append(found, Piece(text[start:end], owner, owner is not None and owner == chosen))
    return found


def _append(found: list[Piece], piece: Piece) -> None:
    if found and found[-1][1:] == piece[1:]:
        piece = piece._replace(text=found.pop().text + piece.text)
    found.append(piece)


def sentence_of(text: str, quote: Quote) -> Sentence:
    """Return the sentence around the price of a quote; without its place, what was read."""
    if not has_place(quote, text):
        return Sentence(quote.span, "", "")
    first = max(0, quote.text_start - _MOST_AROUND)
    last = quote.text_end + _MOST_AROUND
    before, after = text[first : quote.text_start], text[quote.text_end : last]
    begin = max(before.rfind(end) for end in _SENTENCE_ENDS) + 1
    ends = [place for end in _SENTENCE_ENDS if (place := after.find(end)) >= 0]
    cut = min(ends, default=len(after) - 1) + 1
    return Sentence(
        before[begin:].lstrip(), text[quote.text_start : quote.text_end], after[:cut].rstrip()
    )
