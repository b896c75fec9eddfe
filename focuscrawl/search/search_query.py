"""Query of a user as index terms and as pieces for ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from focuscrawl.errors import ArgumentError
from focuscrawl.search.index_terms import MEETING, letters, meetings, required_terms, word_term
from focuscrawl.text.character_folding import normal_characters
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.stop_words import STOP_WORDS
from focuscrawl.text.word_cutter import word_cutter

LONGEST_QUERY = 500
"""How many characters a query may have."""

# SQLite takes an expression of 256 levels; documents with so many terms have the rest as well.
_MOST_TERMS, _MOST_PARTS = 60, 8
_SHORT = re.compile("[a-z0-9]{1,2}")


@dataclass(frozen=True)
class Query:
    """A query: an article matches if it has all ``terms`` and ``parts``, in whatever fields.

    ``pieces`` are the words of the query, ``phrases`` what stood between blanks and has several,
    both folded. ``terms`` are as in :func:`~focuscrawl.search.index_terms.search_terms`; ``parts`` are
    single characters, which some term of the article must contain. Articles with ``words`` too go
    before others: terms of short Latin words that stand alone.
    """

    pieces: tuple[str, ...]
    phrases: tuple[str, ...]
    terms: tuple[str, ...]
    parts: tuple[str, ...]
    words: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds phrases and pieces in folded texts, the longest wherever one begins."""
        wanted = sorted({*self.pieces, *self.phrases}, key=lambda piece: (-len(piece), piece))
        return re.compile("|".join(map(_whole, wanted)))

    def is_in(self, piece: str, folded: str) -> bool:
        """Return whether a piece is in a text, be it within or across another one."""
        return re.search(_anywhere(piece), folded) is not None


def read_query(text: str) -> Query:
    """Read a query: words parted by blanks, cut further by the project's tokeniser.

    Every character is just text: there are no operators. Raises ArgumentError for a query without
    any letter or digit, and for one of more than :data:`LONGEST_QUERY` characters.
    """
    if len(text) > LONGEST_QUERY:
        raise ArgumentError(
            f"the query has {len(text):,} characters; at most {LONGEST_QUERY} can be searched for"
        )
    chunks = {chunk: _pieces(chunk) for chunk in normal_form(text).split()}
    pieces = dict.fromkeys(piece for cut in chunks.values() for piece in cut)
    wanted = [piece for piece in pieces if piece not in STOP_WORDS] or [*pieces]
    if not wanted:
        raise ArgumentError(f"there is no word in {_shown(text)}; give letters or digits")
    return query_for(wanted, [chunk for chunk, cut in chunks.items() if cut != [chunk]])


def query_for(pieces: Sequence[str], phrases: Sequence[str] = ()) -> Query:
    """Return the query for articles that have all of the pieces, in normal form."""
    single = [piece for piece in pieces if _is_single(piece)]
    several = (piece for piece in pieces if not _is_single(piece))
    terms = dict.fromkeys(term for piece in several for term in required_terms(piece))
    return Query(
        pieces=tuple(map(normal_characters, pieces)),
        phrases=tuple(map(normal_characters, phrases)),
        terms=tuple(terms)[:_MOST_TERMS],
        parts=tuple(map(letters, single))[:_MOST_PARTS],
        words=tuple(word_term(piece) for piece in pieces if _is_short(piece))[:_MOST_PARTS],
    )


def _pieces(chunk: str) -> list[str]:
    """Cut a text without blanks: dictionary words, Latin words, and what is in no dictionary."""
    cut = word_cutter()(chunk)
    # Unknown words fall to single characters.
    runs = ((is_unknown, [*run]) for is_unknown, run in groupby(cut, _is_unknown))
    joined = [
        piece for is_unknown, run in runs for piece in (["".join(run)] if is_unknown else run)
    ]
    return [piece for piece in _with_neighbours(joined) if any(map(str.isalnum, piece))]


def _with_neighbours(cut: Sequence[str]) -> list[str]:
    """Join what says little by itself where Chinese and Latin meet: A股, 2024年, 第3."""
    pieces: list[str] = []
    for place, piece in enumerate(cut, 1):
        before = pieces[-1] if pieces else ""
        is_last = place == len(cut)
        is_short = _is_short(before) or _is_single(piece) or (is_last and _is_short(piece))
        if is_short and meetings(before[-1:] + piece[:1]):
            pieces[-1] = before + piece
        else:
            pieces.append(piece)
    return pieces


def _is_unknown(piece: str) -> bool:
    return _is_single(piece) and piece.isalnum() and piece not in STOP_WORDS


def _is_single(piece: str) -> bool:
    return len(piece) == 1 and not piece.isascii()


def _is_short(piece: str) -> bool:
    return _SHORT.fullmatch(piece) is not None


def _whole(piece: str) -> str:
    """Return an expression for a piece; short Latin ones are words of their own."""
    if _is_short(piece):
        return f"(?<![a-z0-9]){piece}(?![a-z0-9])"
    return _anywhere(piece)


def _anywhere(piece: str) -> str:
    return MEETING.sub(" ?", re.escape(piece))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
