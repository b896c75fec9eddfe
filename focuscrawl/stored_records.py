"""Records as stores return them, with what only a store knows of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

from focuscrawl.items import FILE, Article, FoundValue, Quote, TemplateRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownArticle:
    """Summary of a stored article, enough to decide whether to request it again."""

    url: str
    url_md5: str
    title: str
    content_md5: str
    published: date | None
    stamp: str
    is_complete: bool
    is_gone: bool
    page_urls: list[str]
    validators: dict[str, list[str]]
    first_seen: datetime
    has_prices_read: bool = True

    @property
    def is_read(self) -> bool:
        """True if there is more than a link to the article."""
        return bool(self.page_urls) or FILE in self.validators


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRevision:
    """A version of an article that its site has changed since, with the quotes read from it.

    ``replaced_at`` is the time when the next version was fetched.
    """

    article_md5: str
    title: str
    published: date | None
    replaced_at: datetime
    text: str = field(repr=False)
    quotes: list[Quote] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptArticle:
    """An article with its quotes as stored; ``gone_at`` is None while its site serves it."""

    article: Article
    first_seen: datetime
    gone_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRecord:
    """A template record as stored; ``gone_at`` is None while the windows of its crawl find it.

    ``key`` is that of the store, which a damaged record may no longer have.
    """

    key: str
    record: TemplateRecord
    first_seen: datetime
    gone_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRevision:
    """Earlier values of a template record, which its page has changed since.

    ``window`` is the last one that found them, ``next_window`` the one that found others; ``gone_at``
    is set if the record was gone in between.
    """

    record_key: str
    window: int
    next_window: int
    replaced_at: datetime
    gone_at: datetime | None
    values: list[FoundValue]


class RevisedArticle(NamedTuple):
    """MD5 of an article with earlier versions, and the time of its last change."""

    article_md5: str
    replaced_at: datetime


class RecordGroup(NamedTuple):
    """A crawl with template records that are not gone, its template, and their number."""

    crawl: str
    template: str
    records: int


class TopicGroup(NamedTuple):
    """A topic with its numbers of stored and of relevant pages."""

    topic: str
    pages: int
    relevant: int


# Not frozen, as a quote is not.
@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class StoredQuote:
    """A quote with the article that it was read from; ``seq`` is its position among its quotes.

    ``is_confirmed`` if an editor has confirmed it.
    """

    quote: Quote
    article_url: str
    article_title: str
    site: str
    seq: int = field(default=0, compare=False)
    is_confirmed: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleSummary:
    """An article without its text, for reports. ``published`` is None if the site gives no date.

    ``has_text`` is False for an article that is stored with an empty text.
    """

    url: str
    site: str
    title: str
    published: date | None
    page_urls: list[str]
    missing_urls: list[str]
    is_complete: bool
    is_gone: bool
    first_seen: datetime
    has_prices_read: bool = True
    has_text: bool = True

    @property
    def is_dead_link(self) -> bool:
        """True if a list had the article, but its site never did."""
        return self.is_gone and not (self.page_urls or self.missing_urls or self.has_text)
