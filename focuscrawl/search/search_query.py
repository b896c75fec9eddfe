"""Query of a user as index terms and as pieces for ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, groupby

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_index import MEETING, letters, meetings, required_terms, word_term
from focuscrawl.text.character_folding import normal_characters
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.tokeniser import STOP_WORDS, word_cutter

LONGEST_QUERY = 500
"""Maximum number of characters of a query."""

# SQLite allows expressions of 256 levels; a document with so many of the terms has the others too.
_MOST_TERMS, _MOST_PARTS = 60, 8
_SHORT = re.compile("[a-z0-9]{1,2}")


@dataclass(frozen=True)
class Query:
    """A query: an article matches if it has all ``terms`` and ``parts``, in any field.

    ``pieces`` are the words of the query, ``phrases`` its space-separated parts of several words,
    both folded. ``terms`` are as in :func:`~focuscrawl.search.search_index.search_terms`; ``parts`` are
    single characters, which some term of the article must contain. ``words`` are the terms of short
    Latin words; articles that also have these rank first.
    """

    pieces: tuple[str, ...]
    phrases: tuple[str, ...]
    terms: tuple[str, ...]
    parts: tuple[str, ...]
    words: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern of phrases and pieces in folded texts, the longest first."""
        wanted = sorted({*self.pieces, *self.phrases}, key=lambda piece: (-len(piece), piece))
        return re.compile("|".join(map(_whole, wanted)))

    @property
    def spellings(self) -> list[str]:
        """Regular expressions that a text must have all of, of any engine: for texts without an index.

        They match traditional and full-width characters, too; of rarer variants (², 𝐚) there are none.
        """
        runs = dict.fromkeys(run for piece in self.pieces for run in MEETING.split(piece))
        return ["".join(map(_spellings, run.strip())) for run in runs]

    def is_in(self, piece: str, folded: str) -> bool:
        """Return whether a piece is in a text, even if it overlaps another one."""
        return re.search(_anywhere(piece), folded) is not None


def read_query(text: str) -> Query:
    """Return the query of a text: space-separated words, segmented further by the word cutter.

    There are no operators: every character is plain text. Raises ArgumentError for a query without
    any letter or digit, and for one of more than :data:`LONGEST_QUERY` characters.
    """
    if len(text) > LONGEST_QUERY:
        raise ArgumentError(
            f"the query has {len(text):,} characters; shorten it to at most {LONGEST_QUERY}"
        )
    chunks = {chunk: _pieces(chunk) for chunk in normal_form(text).split()}
    pieces = dict.fromkeys(piece for cut in chunks.values() for piece in cut)
    wanted = [piece for piece in pieces if piece not in STOP_WORDS] or [*pieces]
    if not wanted:
        raise ArgumentError(f"there is no word in {_shown(text)}; give letters or digits")
    return query_for(wanted, [chunk for chunk, cut in chunks.items() if cut != [chunk]])


def query_for(pieces: Sequence[str], phrases: Sequence[str] = ()) -> Query:
    """Return the query for articles that contain all of the pieces, given in normal form."""
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
    """Return the words of a text without spaces: dictionary words, Latin words, and unknown ones."""
    cut = word_cutter()(chunk)
    # The cutter splits unknown words into single characters.
    runs = ((is_unknown, [*run]) for is_unknown, run in groupby(cut, _is_unknown))
    joined = [
        piece for is_unknown, run in runs for piece in (["".join(run)] if is_unknown else run)
    ]
    return [piece for piece in _with_neighbours(joined) if any(map(str.isalnum, piece))]


def _with_neighbours(cut: Sequence[str]) -> list[str]:
    """Return the words with short neighbours joined between Chinese and Latin: A股, 2024年, 第3."""
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
    """Return a regular expression for a piece; short Latin ones match whole words only."""
    if _is_short(piece):
        return f"(?<![a-z0-9]){piece}(?![a-z0-9])"
    return _anywhere(piece)


def _anywhere(piece: str) -> str:
    return MEETING.sub(" ?", re.escape(piece))


def _spellings(character: str) -> str:
    every = dict.fromkeys([character, character.upper(), *_variants().get(character, "")])
    written = [re.escape(one) for one in every if len(one) == 1]
    return written[0] if len(written) == 1 else f"[{''.join(written)}]"


@cache
def _variants() -> dict[str, str]:
    """Return the characters, other than itself, that are folded to a Chinese or Latin one."""
    found: dict[str, str] = {}
    for code in chain(range(0x2E80, 0xA000), range(0xF900, 0xFB00), range(0xFE30, 0xFFF0)):
        if (folded := normal_characters(chr(code))) != chr(code):
            found[folded] = found.get(folded, "") + chr(code)
    return found


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
