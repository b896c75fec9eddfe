"""Results of a search: candidates, scopes, hits with snippets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

BODY = 20_000
"""How many characters of a body are read to rank it."""

Span = tuple[int, int]
"""Start and end of a part of a text, in characters."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search: in the articles of a site, of a series, or in all."""

    site: str | None = None
    series: str | None = None


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the parts of it that were asked for, in order and apart."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A numbered article that was found; the higher the ``score`` the better, within one search."""

    url: str
    site: str
    series: str
    number: int
    published: date | None
    title: Passage
    snippet: Passage
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What ranking reads of an article that the index names. ``body`` may be only its beginning."""

    key: str
    url: str
    site: str
    series: str
    number: int
    published: date | None
    title: str
    tags: tuple[str, ...]
    description: str
    body: str
    is_whole: bool = True
