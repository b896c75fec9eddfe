"""Results of a search: candidates, scopes, hits with snippets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

BODY = 20_000
"""Maximum number of characters of a body that are read for ranking."""

Span = tuple[int, int]
"""Start and end of a part of a text, in characters."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope of a search: the articles of a site, of a series, with a tag, of some days, or all.

    Both days are included; an undated article is of none.
    """

    site: str | None = None
    series: str | None = None
    tag: str | None = None
    since: date | None = None
    until: date | None = None


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the spans that match the query, in order and without overlaps."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A stored text found; higher scores are better, comparable within one search only.

    ``kind`` is ``numbered``, ``article`` (of a list), ``page``, ``record`` or ``item``, ``key`` the key
    in its store. Only numbered articles have a series and a number.
    """

    kind: str
    key: str
    url: str
    site: str
    series: str
    number: int
    published: date | None
    title: Passage
    snippet: Passage
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Related(Found):
    """An article related to another one, with the tags and the words that both have.

    The words are those that count most, and are in normal form; tags are as the related one has them.
    """

    shared_tags: tuple[str, ...] = ()
    shared_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A stored text as input of ranking; ``body`` may be only its beginning."""

    key: str
    kind: str = "numbered"
    url: str
    site: str
    series: str = ""
    number: int = 0
    published: date | None
    title: str
    tags: tuple[str, ...] = ()
    description: str = ""
    body: str
    is_whole: bool = True
