"""Interface of the stored texts, as a search needs it: an index of numbered articles, the others read."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import add

from focuscrawl.search.search_results import Scope, TextCandidate
from focuscrawl.text.normal_form import normal_form

# Index terms of texts, portable between the full-text indexes of SQLite, MySQL and MongoDB.

HEADLINE = "tt"
"""Prefix of the terms of titles and tags, so that they can be searched separately."""

MEETING = re.compile("(?<=[a-z0-9]) ?(?=[^\\W_a-z0-9])|(?<=[^\\W_a-z0-9]) ?(?=[a-z0-9])")
"""Boundary between a Latin letter or digit and a character of another script."""

_MARKS = {1: "zz", 2: "p", 3: "q"}
# MongoDB rejects a document if its terms and weights take 4 MB, at 36 bytes each.
_MOST, _MOST_IN_HEADLINE = 40_000, 2_500
_LONGEST = 1_000_000

_LATIN = re.compile("[a-z0-9]+")
_WIDE = re.compile("[^\\W_a-z0-9]+")
_FOREIGN = re.compile("[^ a-z0-9\u3400-\u4dbf\u4e00-\u9fff]")


def search_terms(text: str, *, is_headline: bool = False) -> str:
    """Return the distinct terms of a text, separated by spaces: letters and digits only.

    Those of a headline (a title, tags) are repeated with the prefix :data:`HEADLINE`. Of a very
    long text only 40,000 terms of the first million characters are returned.
    """
    terms = terms_of(normal_form(text[:_LONGEST]))
    if not is_headline:
        return " ".join(terms[:_MOST])
    del terms[_MOST_IN_HEADLINE:]
    return " ".join(terms + headline_terms(terms))


def headline_terms(terms: Iterable[str]) -> list[str]:
    """Return the terms with the prefix of headlines."""
    return [HEADLINE + term for term in terms]


def terms_of(normal: str) -> list[str]:
    """Return the distinct terms of a text in normal form, in a fixed order."""
    words = dict.fromkeys(_LATIN.findall(normal))
    runs = dict.fromkeys(_WIDE.findall(normal))
    whole = [word_term(word) for word in words if len(word) < 3]
    latin = dict.fromkeys(term for size in (3, 2, 1) for w in words for term in _grams(w, size))
    line = " ".join(runs)
    # Including pairs with spaces, which are dropped below: this avoids a loop in Python.
    pairs = dict.fromkeys(map(add, line, line[1:]))
    wide = [f"hh{run}" for run in runs if len(run) == 1]
    wide += [f"h{pair}" for pair in pairs if " " not in pair]
    wide += [f"m{pair}" for pair in meetings(normal)] if words else []
    # Chinese before parts of Latin words, because an encoded image contains all possible ones.
    return [*whole, *letters(" ".join(wide)).split(), *latin]


def required_terms(piece: str) -> list[str]:
    """Return the terms that every text with a piece (in normal form) anywhere has.

    The piece may begin or end within a longer word. A non-Latin character without
    neighbours in the piece gives no term.
    """
    latin = [term for word in _LATIN.findall(piece) for term in _grams(word, min(3, len(word)))]
    pairs = [first + second for run in _WIDE.findall(piece) for first, second in pairwise(run)]
    wide = [*(f"h{pair}" for pair in pairs), *(f"m{pair}" for pair in meetings(piece))]
    return [*dict.fromkeys(latin), *dict.fromkeys(letters(" ".join(wide)).split())]


def word_term(word: str) -> str:
    """Return the term of a whole word of one or two Latin letters or digits."""
    return f"xx{word}"


def meetings(normal: str) -> list[str]:
    """Return the pairs of a Latin letter or digit and an adjacent other character, without a space."""
    places = (match.span() for match in MEETING.finditer(normal))
    return [*dict.fromkeys(normal[start - 1] + normal[end] for start, end in places)]


def _grams(word: str, size: int) -> Iterator[str]:
    return (_MARKS[size] + word[at : at + size] for at in range(len(word) - size + 1))


def letters(text: str) -> str:
    """Return Chinese characters, ``a-z0-9`` and spaces unchanged, all others as code points."""
    return _FOREIGN.sub(_numbered, text)


def _numbered(character: re.Match[str]) -> str:
    return f"u{ord(character[0]):x}"


class SearchIndex(ABC):
    """An index that finds articles by their terms."""

    @abstractmethod
    async def matching(
        self,
        terms: Sequence[str],
        parts: Sequence[str],
        scope: Scope,
        limit: int,
        *,
        in_headline: bool,
    ) -> list[str]:
        """Return the keys of articles with all terms and parts: the newest first, then by key.

        ``terms`` are in any of the columns of terms, ``parts`` within one of them: those of title
        and tags if ``in_headline``, else of all four.
        """

    @abstractmethod
    async def unindexed(
        self, spellings: Sequence[str], scope: Scope, limit: int
    ) -> list[TextCandidate]:
        """Return texts of other kinds, not gone, that match all regular expressions ``spellings``.

        Of each kind ``limit`` at most: those with all in the title first, then the newest.
        """

    @abstractmethod
    async def candidates(self, keys: Sequence[str]) -> list[TextCandidate]:
        """Return the articles with the given keys, in any order, with bodies truncated to BODY."""
