"""Results of a search: candidates, scopes, hits with snippets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

BODY = 20_000
"""Maximum number of characters of a body that are read for ranking."""

Span = tuple[int, int]
"""Start and end of a part of a text, in characters."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope of a search: the articles of a site, of a series, with a tag, of some days, or all.

    Both days are included; an undated article is of none. ``least`` is the least relevance to the topic
    of the crawl; above 0 only articles are included that such a crawl has judged. ``keys`` restricts a
    search to texts with some of these keys in their store.
    """

    site: str | None = None
    series: str | None = None
    tag: str | None = None
    since: date | None = None
    until: date | None = None
    least: float = 0.0
    keys: frozenset[str] | None = None


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the spans that match the query, in order and without overlaps."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundText:
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
class Related(FoundText):
    """An article related to another one, with the tags and the words that both have.

    The words are those that count most, and are in normal form; tags are as the related one has them.
    """

    shared_tags: tuple[str, ...] = ()
    shared_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCandidate:
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


# Snippets: the passage of a text that contains most words of a query.

WIDTH = 120
"""Maximum number of characters of a snippet, without the ellipses at its ends."""

_LEAD = 20  # characters before the first of the words
_DOTS = "…"


def snippet(text: str, spans: Sequence[Span], folded: str) -> Passage:
    """Return the part of ``text`` with the most distinct words, or its beginning without ``spans``.

    ``folded`` is the text in which the words were searched, of the same length. The part is on one
    line: line breaks and other unprintable characters are replaced by spaces.
    """
    start = max(0, _best_start(spans, folded) - _LEAD)
    end = min(len(text), start + WIDTH)
    start = max(0, end - WIDTH)
    before = _DOTS if start else ""
    shift = len(before) - start
    inside = tuple((a + shift, b + shift) for a, b in spans if start <= a and b <= end)
    after = _DOTS if end < len(text) else ""
    return Passage(f"{before}{on_one_line(text[start:end])}{after}", inside)


def on_one_line(text: str) -> str:
    """Return a text of the same length with spaces in place of unprintable characters."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


def _best_start(spans: Sequence[Span], folded: str) -> int:
    """Return the start of the first word of the window with the most distinct words."""
    best, most = 0, 0
    for first, (start, _) in enumerate(spans):
        reach = start + WIDTH - _LEAD
        inside = {folded[a:b] for a, b in spans[first : first + WIDTH] if b <= reach}
        if len(inside) > most:
            best, most = start, len(inside)
    return best


# Articles as readers browse them, numbered ones and those of list crawls alike.

SUMMARY, TITLE = 300, 300
"""Maximum numbers of characters of a summary and of a title in a list."""

Place = tuple[date | None, str]
"""Date and key of an article, by which lists are ordered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedArticle:
    """An article in a list; of long titles and summaries it has the beginnings.

    ``series`` is empty for an article of a list crawl, which may have prices. An article without a
    description has the beginning of its text as ``summary``.
    """

    url_md5: str
    url: str
    site: str
    series: str = ""
    title: str
    author: str = ""
    tags: tuple[str, ...] = ()
    summary: str
    published: date | None
    first_seen: datetime

    @property
    def place(self) -> Place:
        """The place in a list."""
        return self.published, self.url_md5


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeArticle(ListedArticle):
    """An article with its text; ``gone_at`` is set if its site no longer serves it.

    ``html`` is its body as served, which only numbered articles have; ``files`` are SHA-256s of kept files.
    """

    text: str
    html: str = ""
    gone_at: datetime | None = None
    is_complete: bool = True
    files: tuple[str, ...] = ()


def latest_day() -> date:
    """Return the latest day of which there is news, tomorrow: elsewhere it has begun."""
    return date.today() + timedelta(days=1)


def newest_first(place: Place) -> tuple[int, date, str]:
    """Return the key that sorts places in reverse: undated articles behind, those of the future last."""
    published, key = place
    if published is None:
        return 1, date.min, key
    return 2 if published <= latest_day() else 0, published, key


def ranges_after(after: Place | None) -> list[list[tuple[str, str, Any]]]:
    """Return the ranges of an index with the articles after a place in a list, in order.

    Each consists of conditions: a column, a comparison (eq, lt, le or gt) and a value.
    """
    horizon = latest_day()
    undated, future = ("published", "eq", None), ("published", "gt", horizon)
    if after is None:
        return [[("published", "le", horizon)], [undated], [future]]
    day, key = after
    same = [("published", "eq", day), ("url_md5", "lt", key)]
    if day is None:
        return [same, [future]]
    older = ("published", "lt", day)
    if day > horizon:
        return [same, [future, older]]
    return [same, [older], [undated], [future]]
