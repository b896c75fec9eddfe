"""Texts as terms for the full-text indexes of SQLite, MySQL and MongoDB alike.

The engines disagree on what a word is: MySQL drops words of less than three characters and a list
of English ones, MongoDB and SQLite fold accents away, and each has delimiters of its own. So terms
are made of what all of them keep whole, Chinese characters and ``a-z0-9``, with a mark in front:

* a Chinese character 猫 is ``hh猫``, each two that stand together ``h谷歌``: whatever part of a text is
  asked for, its pairs are in the index, wherever a dictionary would cut. Letters of other scripts
  count as Chinese characters and are written by their numbers, ``u3042``;
* a Latin word or a number of one or two characters is ``xxgo``, a longer one all threes in it,
  ``qpyt qyth qtho qhon``.

A term stands once in a text's terms: ranking reads the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from focuscrawl.text.normalise import normal_form

_RUN = re.compile("([a-z0-9]+)|((?:[^\\W_](?<![a-z0-9]))+)")
_FOREIGN = re.compile("[^\u3400-\u4dbf\u4e00-\u9fff]")


def search_terms(text: str) -> str:
    """Return the terms of a text, each once, parted by blanks: letters and digits only."""
    return " ".join(dict.fromkeys(terms_of(normal_form(text))))


def terms_of(normal: str) -> Iterator[str]:
    """Yield the terms of a text in normal form, in order."""
    for run in _RUN.finditer(normal):
        latin, wide = run.groups()
        yield from _latin_terms(latin) if latin else _wide_terms(wide)


def _latin_terms(word: str) -> Iterator[str]:
    if len(word) < 3:
        yield f"xx{word}"
    for start in range(len(word) - 2):
        yield f"q{word[start : start + 3]}"


def _wide_terms(run: str) -> Iterator[str]:
    characters = [_FOREIGN.sub(_numbered, character) for character in run]
    for character in characters:
        yield f"hh{character}"
    for first, second in pairwise(characters):
        yield f"h{first}{second}"


def _numbered(character: re.Match[str]) -> str:
    return f"u{ord(character[0]):x}"
