"""Calendars: endless pages that differ in their dates only.

The URLs of an archive by month look the same, but its pages lead to articles; those of a daily series
have other words and figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

# Copies that make a calendar, beside one for each page that is none.
_COPIES = 12
_MOST_PATTERNS = 200
_ALIKE = 0.8

_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = rf"(?<!\d)(?:19|20)\d\d(?:[/_.-]?{_MONTH}(?:[/_.-]?{_DAY})?)?(?!\d)"
_VIEW = r"(?:\.[a-z]+|/(?:page/\d+|list|agenda|month|week|day))?/?"
_DATE_AT_END = re.compile(rf"{_DATE}(?={_VIEW}$)")
_DATE_VALUE = re.compile(rf"{_DATE}(?:[t+ ].*)?|1\d{{9}}")
_WORD = re.compile(r"\d+(?:\.\d+)?|[a-z]+|[^\W\d_]")
_OF_DATE = re.compile(rf"{_DAY}|{_DATE}")


class _Last(NamedTuple):
    """The words and links of the last page of a pattern; how many were copies of the one before."""

    words: frozenset[str]
    links: frozenset[str]
    copies: int
    others: int


class Calendars:
    """Detector of patterns of URLs by date whose pages have nothing of their own."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._last: dict[str, _Last] = {}

    def visited(self, url: str, text: str, links: Iterable[str]) -> str:
        """Learn from a page; return the pattern of its URL if that is a calendar from now on, else ``""``."""
        pattern = dated_pattern(url)
        if not pattern or pattern in self.found:
            return ""
        dated = {*self.found, pattern}
        own = frozenset(link for link in links if dated_pattern(link) not in dated)
        words = frozenset(w for w in _WORD.findall(text.lower()) if not _OF_DATE.fullmatch(w))
        last = self._last.pop(pattern, None) or _Last(frozenset(), frozenset(), 0, 0)
        is_copy = own <= last.links and _are_alike(words, last.words)
        copies, others = last.copies + is_copy, last.others + (not is_copy)
        if copies > _COPIES + others:
            self.found.add(pattern)
            return pattern
        self._last[pattern] = _Last(words, own, copies, others)
        if len(self._last) > _MOST_PATTERNS:
            del self._last[next(iter(self._last))]
        return ""


def _are_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    differing = words ^ others
    has_figures = any(word[0].isdigit() for word in differing)
    return not has_figures and len(differing) <= (1 - _ALIKE) * len(words | others)


def _precision(day: re.Match[str]) -> str:
    # Years, months and days are different pages.
    return f"#{(len(day[0]) + 1) // 3}"


def dated_pattern(url: str) -> str:
    """Return a URL with dates and the numbers of its query replaced, ``""`` without a date.

    >>> dated_pattern("http://a.test/cal?y=2026&m=3&view=list")
    'http://a.test/cal?m=#&view=list&y=#1'
    """
    address, _, query = url.lower().partition("?")
    pattern = _DATE_AT_END.sub(_precision, address)
    is_dated = pattern != address
    parts = []
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if day := _DATE_VALUE.fullmatch(value):
            is_dated, value = True, _precision(day)
        parts.append(f"{name}={'#' if value.isdigit() else value}")
    return f"{pattern}?{'&'.join(sorted(parts))}" if is_dated else ""
