"""Articles as readers browse them, numbered ones and those of list crawls alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

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


def newest_first(place: Place) -> tuple[bool, date, str]:
    """Return the key that sorts places in reverse: undated articles last."""
    published, key = place
    return published is not None, published or date.min, key
