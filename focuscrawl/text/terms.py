"""Terms of a lexicon as one regular expression over normal forms."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from .normalise import normal_form

_JOINTS = re.compile(r"[\s_-]+")
_LATIN = "[a-z0-9]"


def term_spelling(text: str) -> str:
    """Return the normal form of a term on one line, its words joined by ``-``."""
    return _JOINTS.sub("-", normal_form(text)).strip("-")


def term_key(spelling: str) -> str:
    """Return what all spellings of a term share, given a normal form: ``machinelearning``."""
    return _JOINTS.sub("", spelling)


def term_pattern(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds the longest term wherever one begins, in a normal form.

    Latin terms are found between boundaries of Latin words only; a blank, hyphen or underscore in
    a term matches any of them or none. ``term_key`` of a match is that of its term. None without terms.
    """
    by_first: defaultdict[str, set[str]] = defaultdict(set)
    for term in terms:
        if spelling := term_spelling(term):
            by_first[spelling[0]].add(spelling)
    groups = [_group(first, by_first[first]) for first in sorted(by_first)]
    return re.compile("|".join(groups)) if groups else None


def _group(first: str, spellings: set[str]) -> str:
    # Every group begins with a literal: then the search skips characters that begin no term.
    rests = "|".join(_rest(term) for term in sorted(spellings, key=lambda term: (-len(term), term)))
    boundary = f"(?<!{_LATIN}.)" if re.match(_LATIN, first) else ""
    return f"{re.escape(first)}{boundary}(?:{rests})"


def _rest(spelling: str) -> str:
    rest = "[ _-]?".join(re.escape(part) for part in spelling[1:].split("-"))
    return f"{rest}(?!{_LATIN})" if re.match(_LATIN, spelling[-1]) else rest
