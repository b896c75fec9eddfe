"""What a user types, as terms that an index must hold and pieces that ranking looks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from focuscrawl.errors import ArgumentError
from focuscrawl.search.folding import fold
from focuscrawl.search.terms import letters, terms_of
from focuscrawl.text.engines import first_engine, load_engine
from focuscrawl.text.normalise import normal_form
from focuscrawl.text.stopwords import STOP_WORDS

LONGEST_QUERY = 500
"""How many characters a query may have."""

# SQLite takes an expression of 256 levels; documents with so many terms have the rest as well.
_MOST_TERMS, _MOST_PARTS = 60, 8
_LATIN = re.compile("[a-z0-9]+")


@dataclass(frozen=True)
class Query:
    """A query: an article matches if it has all ``terms`` and ``parts``, in whatever fields.

    ``pieces`` are the words of the query, ``phrases`` what stood between blanks and has several,
    both folded. ``terms`` are as in :func:`~focuscrawl.search.terms.search_terms`; ``parts`` are
    single characters, which some term of the article must contain.
    """

    pieces: tuple[str, ...]
    phrases: tuple[str, ...]
    terms: tuple[str, ...]
    parts: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds phrases and pieces in folded texts, the longest wherever one begins."""
        wanted = sorted({*self.pieces, *self.phrases}, key=lambda piece: (-len(piece), piece))
        return re.compile("|".join(map(_whole, wanted)))


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
    pieces = {piece: _says_nothing(piece, chunk) for chunk in chunks for piece in chunks[chunk]}
    wanted = [piece for piece, is_idle in pieces.items() if not is_idle] or [*pieces]
    if not wanted:
        raise ArgumentError(f"there is no word in {_shown(text)}; give letters or digits")
    return query_for(wanted, [chunk for chunk, cut in chunks.items() if len(cut) > 1])


def query_for(pieces: Sequence[str], phrases: Sequence[str] = ()) -> Query:
    """Return the query for articles that have all of the pieces, in normal form."""
    single = [piece for piece in pieces if _is_single(piece)]
    terms = dict.fromkeys(t for piece in pieces if not _is_single(piece) for t in terms_of(piece))
    return Query(
        pieces=tuple(map(fold, pieces)),
        phrases=tuple(map(fold, phrases)),
        terms=tuple(terms)[:_MOST_TERMS],
        parts=tuple(map(letters, single))[:_MOST_PARTS],
    )


def _pieces(chunk: str) -> list[str]:
    """Cut a text without blanks: dictionary words, Latin words, and what is in no dictionary."""
    cut = [piece for piece in load_engine(first_engine())(chunk) if any(map(str.isalnum, piece))]
    return [
        piece for is_unknown, run in groupby(cut, _is_unknown) for piece in _joined(is_unknown, run)
    ]


def _joined(is_unknown: bool, run: Iterator[str]) -> Iterator[str]:
    """Join single characters, into which the dictionary's cutter lets unknown words fall."""
    yield from ["".join(run)] if is_unknown else run


def _is_unknown(piece: str) -> bool:
    return len(piece) == 1 and not piece.isascii() and piece not in STOP_WORDS


def _says_nothing(piece: str, chunk: str) -> bool:
    """Whether a piece is a stop word; a Latin one is none in a name such as A股."""
    return piece in STOP_WORDS and (piece == chunk or not piece.isascii())


def _is_single(piece: str) -> bool:
    return len(piece) == 1 and not piece.isascii()


def _whole(piece: str) -> str:
    """Return an expression for a piece; short Latin ones are words of their own."""
    if len(piece) < 3 and _LATIN.fullmatch(piece):
        return f"(?<![a-z0-9]){piece}(?![a-z0-9])"
    return re.escape(piece)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
