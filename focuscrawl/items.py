"""Records that spiders yield, pipelines enrich and stores keep, as dataclasses without Scrapy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal


def check_code(url: str) -> str:
    """Return the MD5 of a URL as 32 hex digits, the key of an article (Li Qiaoyu et al. 2018)."""
    return hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()


def content_md5(*parts: str) -> str:
    """Return the MD5 of the parts of a content region, white space normalised, as 32 hex digits."""
    folded = "\n".join(" ".join(part.split()) for part in parts)
    return hashlib.md5(folded.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


EntityType = Literal["firm", "place", "port", "market", "average", "other", ""]
"""Kind of owner of a price: ``average`` is that of a place or the country, ``other`` a group of buyers,
a contract or goods; empty in rows of older versions."""


# Not frozen, and not by keywords only: to read a million would take six seconds more. Nothing changes one.
@dataclass(slots=True, unsafe_hash=True)
class Quote:
    """One price of one entity, read from one place of a text.

    ``price_low`` and ``price_high`` are in ``unit`` as printed (equal if there is no range);
    the ``…_per_ton_…`` pair is the same in yuan per metric ton. ``price_change`` is in ``unit``, signed;
    for a stated range it is the low end and ``price_change_high`` the high end.
    ``flag`` is empty, or says in a few words why the price cannot be right; a flagged quote is
    excluded from the matrix. ``text_start`` and ``text_end`` are character offsets of the price in the
    text. ``region`` has the place names as printed; ``province``, ``city`` (the prefecture) and
    ``county`` are the short names of the gazetteer, empty where the text leaves them open.
    ``confidence`` is the probability, 0 to 1, that the quote is read right; None in rows of older
    versions.
    """

    date: date | None
    commodity: str
    mention: str
    entity: str
    entity_is_known: bool
    region: str
    price_low: Decimal
    price_high: Decimal
    unit: str
    price_yuan_per_ton_low: Decimal
    price_yuan_per_ton_high: Decimal
    moisture: str = ""
    goods_condition: str = ""
    price_change: Decimal | None = None
    price_change_high: Decimal | None = None
    is_primary: bool = True
    span: str = ""
    text_start: int = 0
    text_end: int = 0
    flag: str = ""
    province: str = ""
    city: str = ""
    county: str = ""
    entity_type: EntityType = ""
    confidence: Decimal | None = None


FILE = "file"
"""Key of an article's ``validators`` whose first value is the kind of file that is linked, such as PDF.

The second is the SHA-256 of the file if it is kept, and :data:`TRIED` stands behind it.
"""
TRIED = "tried"
"""Says that a file was read, or cannot be; without it, the packages that read it were missing."""


@dataclass(slots=True, kw_only=True)
class Article:
    """An article joined from its continuation pages, in order.

    ``text`` is plain text, one line per paragraph, list item or table row (cells tab-separated).
    ``page_urls`` are the pages that ``text`` was joined from, ``missing_urls`` those that failed: an
    article with any is incomplete. ``stamp`` is the last change according to the list page, ``""`` if
    it gives none. ``validators`` maps a page URL to its ``[ETag, Last-Modified]``. ``quotes`` is None
    if the text was not read for prices. A file has no text, and its kind under :data:`FILE`.
    ``relevance`` is the probability that it is relevant to the topic of its crawl, None without a topic.
    """

    url: str
    site: str
    title: str
    # Out of the repr, which Scrapy writes to the log: they are long.
    text: str = field(repr=False)
    published: date | None = None
    stamp: str = ""
    page_urls: list[str] = field(default_factory=list)
    missing_urls: list[str] = field(default_factory=list)
    validators: dict[str, list[str]] = field(default_factory=dict, repr=False)
    fetched_at: datetime
    quotes: list[Quote] | None = field(default_factory=list, repr=False)
    relevance: float | None = None

    @property
    def url_md5(self) -> str:
        """The check code: MD5 of the article's link."""
        return check_code(self.url)

    @property
    def content_md5(self) -> str:
        """MD5 of title and text, which detects changed articles."""
        return content_md5(self.title, self.text)

    @property
    def is_complete(self) -> bool:
        """True if every page of the article was fetched."""
        return bool(self.page_urls) and not self.missing_urls

    @property
    def is_read(self) -> bool:
        """True if there is more than a link to the article: a text, or the knowledge that it is a file."""
        return bool(self.page_urls or self.text) or FILE in self.validators


class RereadArticle(Article):
    """A stored article whose prices were read again.

    It is not written where a crawl has stored another text since, or has found the article gone.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneArticle:
    """An article that its site no longer serves (404 or 410).

    With ``title`` (``""`` if unknown) it was never stored: the link is, so that it counts as tried.
    """

    url: str
    site: str
    gone_at: datetime
    title: str | None = None
    published: date | None = None

    @property
    def url_md5(self) -> str:
        """The check code: MD5 of the article's link."""
        return check_code(self.url)


@dataclass(slots=True, kw_only=True)
class Page:
    """A page fetched by a topical crawl (Lin Huaizhong and Jiang Yuqian 2010).

    ``score`` is the log-odds of the best link to it, ``relevance`` the probability that the page
    itself is relevant. ``steps`` is the number of pages since the last relevant one on the path to
    it, 0 for a relevant page; ``via`` is the page whose link was followed, empty for a seed.
    """

    url: str
    site: str
    topic: str
    title: str
    # Out of the repr, which Scrapy writes to the log: it is long.
    text: str = field(repr=False)
    score: float
    relevance: float
    is_relevant: bool
    steps: int
    via: str
    fetched_at: datetime

    @property
    def key(self) -> str:
        """MD5 of topic and link, since a page may be kept for several topics."""
        return check_code(f"{self.topic} {self.url}")

    @property
    def content_md5(self) -> str:
        """MD5 of title and text, white space normalised, which detects changes."""
        return content_md5(self.title, self.text)


@dataclass(slots=True, kw_only=True)
class NumberedArticle:
    """An article of a site that numbers its articles.

    ``series`` is the URL pattern whose ``number`` gives ``url``, as in ``http://host/article/{n}.htm``.
    ``body_html`` is the body as served, ``body_text`` its plain text; ``extra`` holds further fields
    of a site profile or an older database by name, as JSON values. ``relevance`` is as of an
    :class:`Article`.
    """

    url: str
    site: str
    series: str
    number: int
    title: str
    description: str = ""
    tags: list[str] = field(default_factory=list)
    author: str = ""
    published: date | None = None
    # Out of the repr, which Scrapy writes to the log: they are long.
    body_html: str = field(default="", repr=False)
    body_text: str = field(default="", repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    fetched_at: datetime
    relevance: float | None = None

    @property
    def url_md5(self) -> str:
        """The check code: MD5 of the article's link."""
        return check_code(self.url)

    @property
    def content_md5(self) -> str:
        """MD5 of everything a reader sees, white space normalised, which detects changes."""
        return content_md5(
            self.title, self.description, " ".join(self.tags), self.author, self.body_text
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingNumber:
    """A number of a series that had no article when it was last requested.

    ``reason`` is the response of the site (404, soft 404, redirect to the home page); ``tries`` counts
    the runs that requested it, ``due_at`` is the earliest time of the next request. ``found_at`` is
    set once there is an article.
    """

    url: str
    site: str
    series: str
    number: int
    reason: str
    tries: int
    tried_at: datetime
    due_at: datetime
    found_at: datetime | None = None

    @property
    def url_md5(self) -> str:
        """The check code: MD5 of the link."""
        return check_code(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnNumber:
    """A stored number whose page turned out to be no article: it is deleted, to be requested again."""

    url: str

    @property
    def url_md5(self) -> str:
        """The check code: MD5 of the link."""
        return check_code(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageValue:
    """A value of a field on one page: normalised, as printed (``raw``), and its confidence, 0 to 1."""

    page: str
    value: str
    raw: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundValue:
    """One value of a template's field: normalised, as printed (``raw``), and its confidence, 0 to 1.

    ``page`` is the page that says so, empty where several were weighed, and in records of older
    versions. ``elsewhere``, at the first value of a field, are the different values of the field on
    other pages of the site.
    """

    field: str
    title: str
    value: str
    raw: str
    confidence: float
    page: str = ""
    elsewhere: tuple[PageValue, ...] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> FoundValue:
        """Return the value of a JSON object with the fields of this class."""
        elsewhere = tuple(PageValue(**other) for other in value.get("elsewhere", ()))
        return cls(**{**value, "elsewhere": elsewhere})


RecordChange = Literal["new", "changed", ""]


@dataclass(slots=True, kw_only=True)
class TemplateRecord:
    """Values that a template found on one page (Chen Duanbing et al. 2012).

    ``crawl`` is the crawl whose windows the record belongs to, ``window`` the last of them that found
    it; ``seed`` is the URL that led to it. ``region_md5`` is the MD5 of the content region that the
    values were read from, with which the next window detects changes. ``change``, known of records
    that come from a store, says whether the last window of the crawl added or changed the record.
    """

    crawl: str
    template: str
    url: str
    site: str
    seed: str
    title: str
    window: int
    region_md5: str
    values: list[FoundValue] = field(default_factory=list)
    fetched_at: datetime
    change: RecordChange = field(default="", compare=False)

    @property
    def key(self) -> str:
        """MD5 of crawl and link, since two crawls may keep the same page."""
        return check_code(f"{self.crawl} {self.url}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneRecord:
    """A record that the last window no longer found: to be hidden, or erased."""

    crawl: str
    url: str
    gone_at: datetime
    is_erased: bool = False

    @property
    def key(self) -> str:
        """MD5 of crawl and link."""
        return check_code(f"{self.crawl} {self.url}")


SeedState = Literal["waiting", "useful", "useless", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A search result from which a site is crawled, or a URL that the user gave.

    ``rank`` is its rank in the results of ``query``, from 1. ``window`` is the last one that listed
    it; ``state`` its outcome there: skipped seeds come first in the next window.
    """

    crawl: str
    url: str
    title: str
    engine: str
    query: str
    rank: int
    window: int
    state: SeedState
    listed_at: datetime

    @property
    def key(self) -> str:
        """MD5 of crawl and link."""
        return check_code(f"{self.crawl} {self.url}")


Verdict = Literal["confirmed", "refused", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceDecision:
    """An editor's verdict on one quote of an article; it also holds when the article is read again.

    ``open`` withdraws an earlier verdict. ``reader_flag`` is the flag that the quote had when it was
    read. A confirmed quote has no flag, a refused one says so.
    """

    url: str
    commodity: str
    entity: str
    price_low: Decimal
    price_high: Decimal
    unit: str
    span: str
    reader_flag: str
    verdict: Verdict
    decided_by: str
    decided_at: datetime
    note: str = ""

    @property
    def key(self) -> str:
        """MD5 of the article's link and of everything that identifies the quote in its text."""
        named = f"{self.url} {self.commodity} {self.entity} {self.unit} {self.span}"
        return check_code(f"{named} {self.price_low:f} {self.price_high:f}")


PageOpinion = Literal["relevant", "irrelevant", "unsure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVerdict:
    """A person's verdict on a page of a topical crawl.

    ``judge`` is the person's name. ``is_relevant`` is what the crawl's own judge said of the page when it
    was shown; the person did not see that.
    """

    topic: str
    url: str
    judge: str
    verdict: PageOpinion
    is_relevant: bool
    decided_at: datetime

    @property
    def key(self) -> str:
        """MD5 of topic, judge and link: the verdicts of two people on a page are two records."""
        return check_code(json.dumps([self.topic, self.judge, self.url]))

    @property
    def page_key(self) -> str:
        """The key of the page."""
        return check_code(f"{self.topic} {self.url}")


@dataclass(slots=True, kw_only=True)
class CrawlRun:
    """One run of a crawl, written when it begins, while it runs and when it ends.

    ``details`` has JSON values by name: arguments, versions, counts, and a series of measurements.
    ``updated_at`` of a run that was killed stays at its last sign of life.
    """

    key: str
    crawl: str
    spider: str
    machine: str
    began_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None
    reason: str = ""
    exit_code: int | None = None
    details: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnItem:
    """An item of a spider of one's own, or the fields that a subclass of a record adds.

    ``class_name`` is the name of its class. ``item`` is its JSON, an object. ``item_key`` is the JSON of the
    fields that identify it in its crawl, a list; where it is empty, the item itself does.
    """

    crawl: str
    class_name: str
    item_key: str
    url: str
    # Out of the repr, which Scrapy writes to the log: it is long.
    item: str = field(repr=False)
    fetched_at: datetime

    @property
    def values(self) -> dict[str, Any]:
        """The fields of the item, as JSON values."""
        found: dict[str, Any] = json.loads(self.item)
        if not isinstance(found, dict):
            raise ValueError("the JSON of the item is no object")
        return found

    @property
    def content_md5(self) -> str:
        """MD5 of the fields in any order, which detects changes."""
        return check_code(json.dumps(self.values, sort_keys=True))

    @property
    def key(self) -> str:
        """MD5 of crawl, class, and the item's key or its content."""
        return check_code(f"{self.crawl} {self.class_name} {self.item_key or self.content_md5}")


Record = (
    Article
    | RereadArticle
    | GoneArticle
    | Page
    | NumberedArticle
    | MissingNumber
    | WithdrawnNumber
    | TemplateRecord
    | GoneRecord
    | Seed
    | PriceDecision
    | PageVerdict
    | OwnItem
)
