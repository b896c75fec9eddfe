"""The one protocol that every store follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol, Self

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    ArticleSummary,
    KnownArticle,
    MissingNumber,
    NumberedArticle,
    Page,
    Record,
    Seed,
    StoredQuote,
    TemplateRecord,
)
from focuscrawl.search.search_results import EVERYWHERE, Found, Scope

__all__ = [
    "ArticleSummary",
    "Outcome",
    "RefusedRecordsError",
    "Store",
    "StoredQuote",
    "Written",
]

Outcome = Literal["new", "changed", "amended", "unchanged", "gone"]
"""What became of one record; amended is unchanged but for whether and where pages are missing, say."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many records of a batch were new, changed, unchanged, or newly gone in one store.

    ``amended`` counts those of the unchanged of which reports must show something else than before.
    ``outcomes`` says the same of each record, in the order given; None is a refused record.
    """

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    amended: int = 0
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
            tuple(outcomes),
        )

    def __add__(self, other: Written) -> Written:
        return Written(
            self.new + other.new,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.gone + other.gone,
            self.amended + other.amended,
        )

    @property
    def touched(self) -> int:
        """How many records reports must show otherwise than before."""
        return self.new + self.changed + self.gone + self.amended


class RefusedRecordsError(StoreError):
    """Some records of a batch cannot be kept; all the others of the batch are stored.

    ``refused`` maps the position in the batch to the reason, ``written`` counts the others.
    """

    def __init__(self, refused: dict[int, StoreError], written: Written) -> None:
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        super().__init__(f"{next(iter(refused.values()))}{more}")
        self.refused = refused
        self.written = written


class Store(Protocol):
    """A place where records are kept.

    Articles with their quotes, numbered articles and missing numbers are keyed by the MD5 of their
    link, pages of topical crawls by that of topic and link.

    Every method may raise :class:`~focuscrawl.errors.StoreUnavailableError` (try again later) or
    :class:`~focuscrawl.errors.StoreError` (no use trying again). None blocks the event loop.
    """

    @property
    def label(self) -> str:
        """The store's URL without password, to be shown to the user."""

    async def open(self) -> None:
        """Connect, and create what is missing (tables, collections, indexes).

        May be called again, to connect anew.
        """

    async def write(self, records: Sequence[Record]) -> Written:
        """Upsert the records in one transaction; a repeat changes nothing.

        An article is changed if the MD5 of its content or its quotes differ from what is held,
        which are then replaced as a whole, or if it was gone. Where only other fields differ it
        counts as unchanged: those are updated, and ``fetched_at`` with them; where none does, no
        row is touched. An incomplete article never replaces a held one of as many pages or more:
        that keeps all but its ``missing_urls``, which become the incoming ones, and is incomplete
        from then on, so that :meth:`unfinished` names it until a complete article comes.
        ``first_seen`` is kept from the first write. A gone article that comes back is changed.
        A gone article that was never stored leaves no trace (it counts as unchanged).

        A page is changed if the MD5 of its content, its title, or whether it is relevant differ
        from what is held, which is then replaced. Where only site, score, relevance, steps or via
        differ it counts as unchanged (amended): those are updated, and ``fetched_at`` with them;
        where none does, no row is touched.

        A numbered article is changed if the MD5 of its content differs from what is held, and
        unchanged (amended) if anything else but ``fetched_at`` does; either way it is replaced as
        a whole. A missing number in which anything differs is changed, also when it is found.

        What a template found is changed if content region or values differ, or if it was gone, and
        unchanged else; a :class:`~focuscrawl.items.GoneRecord` marks it gone, or erases it. A seed in
        which anything differs is changed.

        Raises :class:`RefusedRecordsError` for records that cannot be kept, the others are stored.
        """

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return what is held of the given articles, keyed by MD5; absent ones are left out."""

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after ``since`` (all if None).

        Gone articles are left out, and undated ones unless ``since`` is None.
        """

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object kept under ``key``, or None."""

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Keep a JSON object under ``key``."""

    def articles(self) -> AsyncIterator[Article]:
        """Stream all articles with text and quotes, ordered by URL MD5, in bounded memory."""

    def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone.

        Ordered by date (None first), MD5 of the article, position. ``since`` leaves out quotes dated before it, and undated ones.
        """

    def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream all articles without text, ordered by published date, URL MD5."""

    def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream the pages of a topic (of all if None) in bounded memory.

        Relevant ones first; among either by relevance, then score, then key, the highest first.
        """

    def numbered(
        self, series: str | None = None, *, bodies: bool = True
    ) -> AsyncIterator[NumberedArticle]:
        """Stream the numbered articles of a series (of all if None), by series and number.

        Without ``bodies`` those, and what is in ``extra``, are left empty.
        """

    def numbers(self, series: str) -> AsyncIterator[int]:
        """Stream the numbers of a series whose articles are held, ascending."""

    def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream the numbers of a series that have no article so far, ascending."""

    def template_records(
        self, crawl: str | None = None, *, gone: bool = False
    ) -> AsyncIterator[TemplateRecord]:
        """Stream what the templates of a crawl (of all if None) found, by crawl and key.

        Those that are gone are left out, unless ``gone`` asks for them, and for them alone.
        """

    def seeds(self, crawl: str) -> AsyncIterator[Seed]:
        """Stream the seeds of a crawl by query and rank."""

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[Found]:
        """Return the best of the numbered articles that have all words of ``query``, best first.

        All stores find the same articles in the same order. Raises ArgumentError for a query
        without words, one of more than 500 characters, and a limit not within 1 to 1000.
        """

    async def related(self, url: str, limit: int = 10) -> list[Found]:
        """Return the numbered articles nearest to the one at ``url``, by tags and words.

        Raises ArgumentError if there is none at ``url``.
        """

    async def close(self) -> None:
        """Let go of connections; harmless when not open."""
