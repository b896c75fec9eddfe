"""Articles as readers browse them, numbered ones and those of list crawls alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

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
    """An article with its text; ``gone_at`` is set if its site no longer serves it."""

    text: str
    gone_at: datetime | None = None
    is_complete: bool = True


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
