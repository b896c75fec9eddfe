"""Texts as terms for the full-text indexes of SQLite, MySQL and MongoDB alike.

The engines disagree on what a word is: MySQL drops words of less than three characters and a list
of English ones, MongoDB and SQLite fold accents away, and each has delimiters of its own. So terms
are made of what all of them keep whole, Chinese characters and ``a-z0-9``, with a mark in front:

* two Chinese characters that stand together are ``h谷歌``: whatever part of a text is asked for, its
  pairs are in the index, wherever a dictionary would cut; ``hh猫`` is one that stands alone. Letters
  of other scripts count as Chinese ones and are written by their numbers, ``u3042``;
* of a Latin word or a number all threes, twos and ones in it are ``qpyt pyt zzy``; one of one or two
  characters is also ``xxgo``, for who asks for that word and not for a part of others;
* where the two meet, with a blank between them or none, both characters are ``m股a``, as in 港股ABC.

A term stands once in a text's terms: ranking reads the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import add

from focuscrawl.text.normal_form import normal_form

HEADLINE = "tt"
"""Put before the terms of titles and tags, which can so be asked for alone."""

MEETING = re.compile("(?<=[a-z0-9]) ?(?=[^\\W_a-z0-9])|(?<=[^\\W_a-z0-9]) ?(?=[a-z0-9])")
"""Where a Latin letter or a digit meets a character of another script."""

_MARKS = {1: "zz", 2: "p", 3: "q"}
# MongoDB refuses a document whose terms and their weights take 4 MB, 36 bytes each.
_MOST, _MOST_IN_HEADLINE = 40_000, 2_500
_LONGEST = 1_000_000

_LATIN = re.compile("[a-z0-9]+")
_WIDE = re.compile("[^\\W_a-z0-9]+")
_FOREIGN = re.compile("[^ a-z0-9\u3400-\u4dbf\u4e00-\u9fff]")


def search_terms(text: str, *, is_headline: bool = False) -> str:
    """Return the terms of a text, each once, parted by blanks: letters and digits only.

    Those of a headline (a title, tags) are there a second time with :data:`HEADLINE` before them.
    A very long text is not indexed to its end: 40,000 terms of its first million characters are.
    """
    terms = terms_of(normal_form(text[:_LONGEST]))
    if not is_headline:
        return " ".join(terms[:_MOST])
    del terms[_MOST_IN_HEADLINE:]
    return " ".join(terms + headline_terms(terms))


def headline_terms(terms: Iterable[str]) -> list[str]:
    """Return the terms as they are indexed for headlines."""
    return [HEADLINE + term for term in terms]


def terms_of(normal: str) -> list[str]:
    """Return the terms of a text in normal form, each once, in a fixed order."""
    words = dict.fromkeys(_LATIN.findall(normal))
    runs = dict.fromkeys(_WIDE.findall(normal))
    whole = [word_term(word) for word in words if len(word) < 3]
    latin = dict.fromkeys(term for size in (3, 2, 1) for w in words for term in _grams(w, size))
    line = " ".join(runs)
    # With the blanks, for so no step of it is taken in Python.
    pairs = dict.fromkeys(map(add, line, line[1:]))
    wide = [f"hh{run}" for run in runs if len(run) == 1]
    wide += [f"h{pair}" for pair in pairs if " " not in pair]
    wide += [f"m{pair}" for pair in meetings(normal)] if words else []
    # Chinese before parts of Latin words, of which an encoded picture has all there are.
    return [*whole, *letters(" ".join(wide)).split(), *latin]


def required_terms(piece: str) -> list[str]:
    """Return the terms of every text that has a piece (in normal form) anywhere.

    What the piece begins or ends with may be part of a longer word there. A single character of
    another script than Latin that nothing stands next to is in no one term.
    """
    latin = [term for word in _LATIN.findall(piece) for term in _grams(word, min(3, len(word)))]
    pairs = [first + second for run in _WIDE.findall(piece) for first, second in pairwise(run)]
    wide = [*(f"h{pair}" for pair in pairs), *(f"m{pair}" for pair in meetings(piece))]
    return [*dict.fromkeys(latin), *dict.fromkeys(letters(" ".join(wide)).split())]


def word_term(word: str) -> str:
    """Return the term of texts in which a word of one or two Latin letters or digits stands alone."""
    return f"xx{word}"


def meetings(normal: str) -> list[str]:
    """Return the pairs of characters of which one is Latin or a digit, without a blank between."""
    places = (match.span() for match in MEETING.finditer(normal))
    return [*dict.fromkeys(normal[start - 1] + normal[end] for start, end in places)]


def _grams(word: str, size: int) -> Iterator[str]:
    return (_MARKS[size] + word[at : at + size] for at in range(len(word) - size + 1))


def letters(text: str) -> str:
    """Return Chinese characters, ``a-z0-9`` and blanks as they are, any others by their numbers."""
    return _FOREIGN.sub(_numbered, text)


def _numbered(character: re.Match[str]) -> str:
    return f"u{ord(character[0]):x}"
