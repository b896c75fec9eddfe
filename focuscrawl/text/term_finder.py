"""Finder of the terms of a lexicon in normal forms, by regular expressions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable

from focuscrawl.text.normal_form import normal_form

_JOINTS = re.compile(r"[\s_-]+")
_LATIN = "[a-z0-9]"


def term_spelling(text: str) -> str:
    """Return the normal form of a term on one line, its words joined by ``-``."""
    return _JOINTS.sub("-", normal_form(text)).strip("-")


def term_key(spelling: str) -> str:
    """Return the key shared by all spellings of a term, given in normal form: ``machinelearning``."""
    return _JOINTS.sub("", spelling)


class TermFinder:
    """Finder of the longest term at each position.

    Latin terms match whole Latin words only; a space, hyphen or underscore in a term matches any of
    them or none. Terms with Latin letters or digits are matched first.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        spellings = {spelling for term in terms if (spelling := term_spelling(term))}
        latin = {spelling for spelling in spellings if re.search(_LATIN, spelling)}
        # A single expression takes twice the time: every Latin letter would be compared with the
        # first characters of all Chinese terms.
        self._patterns = [_pattern(part) for part in (latin, spellings - latin) if part]

    def find(self, text: str) -> list[str]:
        """Return the keys of the terms in ``text``, a normal form, one for each occurrence."""
        found: list[str] = []
        for pattern in self._patterns:
            if matches := pattern.findall(text):
                found += map(term_key, matches)
                text = pattern.sub("\n", text)
        return found

    def replace(self, text: str, replaced: Callable[[str], str]) -> str:
        """Return ``text``, a normal form, with each term replaced by ``replaced`` of its key."""
        for pattern in self._patterns:
            text = pattern.sub(lambda match: replaced(term_key(match[0])), text)
        return text


def _pattern(spellings: Iterable[str]) -> re.Pattern[str]:
    by_first: defaultdict[str, list[str]] = defaultdict(list)
    for spelling in sorted(spellings, key=lambda spelling: (-len(spelling), spelling)):
        by_first[spelling[0]].append(_rest(spelling))
    # Every branch begins with a literal, which lets the search skip all other characters.
    return re.compile("|".join(map(_branch, by_first, by_first.values())))


def _branch(first: str, rests: list[str]) -> str:
    boundary = f"(?<!{_LATIN}.)" if re.match(_LATIN, first) else ""
    return f"{re.escape(first)}{boundary}(?:{'|'.join(rests)})"


def _rest(spelling: str) -> str:
    rest = "[ _-]?".join(re.escape(part) for part in spelling[1:].split("-"))
    return f"{rest}(?!{_LATIN})" if re.match(_LATIN, spelling[-1]) else rest
