"""Protocols of a store: one for who writes records, one for who reads them, one for who searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol, Self

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    CrawlRun,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    PageVerdict,
    PriceDecision,
    Record,
    Seed,
    TemplateRecord,
)
from focuscrawl.search.search_results import EVERYWHERE, FoundText, Related, Scope
from focuscrawl.stored_records import (
    ArticleSummary,
    KeptArticle,
    KnownArticle,
    StoredQuote,
)

Outcome = Literal["new", "changed", "amended", "unchanged", "gone", "incomplete", "failed"]
"""The effect of writing one record; amended is unchanged except for, say, which pages are missing.

Incomplete is an article of which no page has been read so far, failed one that the site does not have.
"""


@dataclass(frozen=True, slots=True)
class Written:
    """Counts of the records of a batch that were new, changed, unchanged, or newly gone in a store.

    ``incomplete`` and ``failed`` are, so far, links without anything to read. ``amended`` counts the
    unchanged ones that reports show differently from now on.
    ``outcomes`` has the effect of each record, in the order given; None is a refused record.
    """

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    amended: int = 0
    incomplete: int = 0
    failed: int = 0
    outcomes: tuple[Outcome | None, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, outcomes: Sequence[Outcome | None]) -> Self:
        """Count the outcomes of a batch."""
        found = Counter(outcomes)
        return cls(
            found["new"],
            found["changed"],
            found["unchanged"] + found["amended"],
            found["gone"],
            found["amended"],
            found["incomplete"],
            found["failed"],
            tuple(outcomes),
        )

    def __add__(self, other: Written) -> Written:
        return Written(
            self.new + other.new,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.gone + other.gone,
            self.amended + other.amended,
            self.incomplete + other.incomplete,
            self.failed + other.failed,
        )

    @property
    def touched(self) -> int:
        """Number of records that reports show differently from now on."""
        return self.new + self.changed + self.gone + self.amended + self.incomplete


class RefusedRecordsError(StoreError):
    """Some records of a batch cannot be stored; all others of the batch are.

    ``refused`` maps the position in the batch to the reason, ``written`` counts the others.
    """

    def __init__(self, refused: dict[int, StoreError], written: Written) -> None:
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        super().__init__(f"{next(iter(refused.values()))}{more}")
        self.refused = refused
        self.written = written


class StoreConnection(Protocol):
    """A store that can be opened and closed.

    Every method of this and the following protocols may raise
    :class:`~focuscrawl.errors.StoreUnavailableError` (try again later) or
    :class:`~focuscrawl.errors.StoreError` (trying again does not help). None blocks the event loop.
    """

    @property
    def label(self) -> str:
        """The store's URL without password, for messages."""

    async def exists(self) -> bool:
        """Return whether the database exists, without creating it."""

    async def open(self) -> None:
        """Connect, and create missing tables, collections and indexes.

        May be called again, to reconnect.
        """

    async def close(self) -> None:
        """Close the connections; harmless when not open."""


class StoreWriter(StoreConnection, Protocol):
    """A store for those who write to it.

    Articles with their quotes, numbered articles and missing numbers are keyed by the MD5 of their
    link, pages of topical crawls by the MD5 of topic and link.
    """

    async def write(self, records: Sequence[Record]) -> Written:
        """Upsert the records in one transaction; a repeat changes nothing.

        An article is changed if the MD5 of its content or its quotes differ from those stored,
        which are then replaced as a whole, or if it was gone. Where only other fields differ it
        counts as unchanged: those are updated, and ``fetched_at`` with them; where none does, no
        row is touched. An incomplete article never replaces a stored one of as many pages or more:
        the stored one stays except for its ``missing_urls``, which become the incoming ones, and
        is incomplete from then on, so that :meth:`StoreReader.unfinished` returns it until a complete
        article is written. ``first_seen`` stays as of the first write. A gone article that comes
        back is changed. A gone article that was never stored leaves no trace (it counts as
        unchanged).

        A page is changed if the MD5 of its content, its title, or whether it is relevant differ
        from the stored page, which is then replaced. Where only site, score, relevance, steps or
        via differ it counts as unchanged (amended): those are updated, and ``fetched_at`` with
        them; where none does, no row is touched.

        A numbered article is changed if the MD5 of its content differs from the stored one, and
        unchanged (amended) if anything else but ``fetched_at`` does; either way it is replaced as
        a whole. A missing number in which anything differs is changed, also when it is found.

        A template record is changed if content region or values differ, or if it was gone, and
        unchanged otherwise; a :class:`~focuscrawl.items.GoneRecord` marks it gone, or deletes it.
        A seed in which anything differs is changed.

        A person's verdict on a page replaces that person's earlier one.

        An item of one's own is changed if its fields differ, and then replaced.

        A decision sets the flag of the quotes that it is about, and of those that a later version of
        their article brings again.

        Raises :class:`RefusedRecordsError` for records that cannot be stored; the others are.
        """

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Store a JSON object under ``key``, replacing an earlier one."""

    async def write_run(self, run: CrawlRun) -> None:
        """Write a run of a crawl, replacing what was written of it before."""


class StoreReader(StoreConnection, Protocol):
    """A store for those who read its records."""

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return the stored ones of the given articles, by MD5."""

    async def articles_of(self, url_md5s: Sequence[str]) -> dict[str, KeptArticle]:
        """Return the stored ones of the given articles with text and quotes, by MD5."""

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after ``since`` (all if None).

        Without gone articles, and without undated ones unless ``since`` is None.
        """

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object stored under ``key``, or None."""

    def articles(self) -> AsyncIterator[Article]:
        """Stream all articles with text and quotes, ordered by URL MD5, in bounded memory."""

    def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone.

        Ordered by date (None first), MD5 of the article, position. With ``since``, without quotes
        dated before it and undated ones.
        """

    def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream all articles without text, ordered by published date, URL MD5."""

    def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream the pages of a topic (of all if None) in bounded memory.

        Relevant ones first, then by relevance, score and key, all descending.
        """

    def numbered(
        self, series: str | None = None, *, bodies: bool = True
    ) -> AsyncIterator[NumberedArticle]:
        """Stream the numbered articles of a series (of all if None), by series and number.

        Without ``bodies``, these and ``extra`` are empty.
        """

    def numbers(self, series: str) -> AsyncIterator[int]:
        """Stream the numbers of the stored articles of a series, ascending."""

    def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream the numbers of a series that have no article so far, ascending."""

    def template_records(
        self, crawl: str | None = None, *, gone: bool = False
    ) -> AsyncIterator[TemplateRecord]:
        """Stream the template records of a crawl (of all if None), by crawl and key.

        Without the gone ones; with ``gone``, only these.
        """

    def decisions(self) -> AsyncIterator[PriceDecision]:
        """Stream the verdicts on prices, by key."""

    def page_verdicts(self, topic: str | None = None) -> AsyncIterator[PageVerdict]:
        """Stream the verdicts of people on the pages of a topic (of all if None), by key."""

    def seeds(self, crawl: str) -> AsyncIterator[Seed]:
        """Stream the seeds of a crawl by query and rank."""

    def items(self) -> AsyncIterator[OwnItem]:
        """Stream the items of spiders of one's own in bounded memory, by crawl and key."""


class StoreSearcher(StoreConnection, Protocol):
    """A store for those who search its texts."""

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[FoundText]:
        """Return the best of the stored texts that have all words of ``query``, best first.

        All stores return the same texts in the same order, no gone ones. Raises ArgumentError for a
        query without words or of more than 500 characters, and for a limit outside 1 to 1000.
        """

    async def headed(self, words: str, limit: int = 20, *, scope: Scope = EVERYWHERE) -> list[str]:
        """Return the MD5s of the newest numbered articles with all words in title and tags.

        Those with the parts of a word in several places may be among them. Raises ArgumentError as
        :meth:`search` does.
        """

    async def related(self, url: str, limit: int = 10) -> list[Related]:
        """Return the numbered articles most similar to the one at ``url``, and what both share.

        Raises ArgumentError if there is none at ``url``.
        """
