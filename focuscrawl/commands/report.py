"""``scrapy report``: the analysts' workbook, written from a store."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import past_day
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError, StoreError
from focuscrawl.items import NumberedArticle, Page
from focuscrawl.reports.workbook import SheetFault, checked_target, log_faults, sentence_on
from focuscrawl.reports.workbook_streams import stream_workbook
from focuscrawl.stored_records import ArticleSummary, StoredQuote
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import StoreReader
from focuscrawl.stores.store_urls import make_stores
from focuscrawl.system.durable_files import locked_folder

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_T = TypeVar("_T")
_Dated = TypeVar("_Dated", ArticleSummary, NumberedArticle)
SQLITE = "sqlite:///"
SHOWN = 500
"""Records after which the progress is shown again: to show each would take longer than to read it."""


class Command(PlainCommand):
    """Writes the analysts' workbook from the records of a store; no page is fetched."""

    stopped = "stopped; the workbook is unchanged"
    usage = "-o FILE.xlsx [--since YYYY-MM-DD] [--store URL]"
    summary = "Write the analysts' workbook from a store"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Report").add_argument
        add("-o", "--output", type=Path, metavar="FILE.xlsx", help="the workbook to write")
        add(
            "--since",
            type=past_day,
            metavar="YYYY-MM-DD",
            help="leave out older quotes and articles (and so comparisons with older days)",
        )
        add(
            "--store",
            metavar="URL",
            help="database with the quotes, such as sqlite:///data/focuscrawl.sqlite "
            "(default: the first database of setting FOCUSCRAWL_STORES)",
        )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the workbook."""
        summary, faults = _report(args, opts, settings)
        print(summary)
        if faults:
            print(sentence_on(faults), file=sys.stderr)
            self.exitcode = 3


def _report(
    args: list[str], opts: argparse.Namespace, settings: BaseSettings
) -> tuple[str, list[SheetFault]]:
    if args:
        raise ArgumentError(f"unknown argument {args[0]!r}; see scrapy report -h")
    if opts.output is None:
        raise ArgumentError("name the workbook to write: -o FILE.xlsx")
    store = source_store(opts.store or configured_stores(settings))
    # A crawl that ends meanwhile writes the same workbook after this, with all that it has stored.
    with locked_folder(checked_target(opts.output).parent):
        return asyncio.run(_write(opts.output, store, opts.since))


def configured_stores(settings: BaseSettings) -> str:
    """Return the store URLs of the project, for a command without a crawler."""
    from focuscrawl.crawl_run import default_stores

    add_defaults(settings)
    return settings["FOCUSCRAWL_STORES"] or default_stores(Path(settings["FOCUSCRAWL_DATA"]))


def source_store(urls: str) -> Database:
    """Return the first database of the store URLs; for a workbook alone, the one beside it.

    Raises StoreError for a URL that is not that of a store, and for a SQLite file that does not exist:
    opening it would create an empty one.
    """
    store = make_stores(urls)[0]
    if store.label.startswith(SQLITE) and not Path(store.label.removeprefix(SQLITE)).is_file():
        raise StoreError(
            f"there is no store {store.label}; crawl first, or name another (--store, or the setting FOCUSCRAWL_STORES)"
        )
    return store


async def _write(
    path: Path, store: StoreReader, since: date | None
) -> tuple[str, list[SheetFault]]:
    # Imported here: Scrapy loads this module for every command.
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.completed:,.0f} records read"), TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        tally = ReportTally(bar)
        try:
            await store.open()
            quotes = tally.count(store.quotes(since))
            articles = tally.count_articles(_since(store.summaries(), since))
            pages = tally.count_pages(store.pages())
            articles_by_number = _since(store.numbered(bodies=False), since)
            numbered = tally.count_others("numbered articles", articles_by_number)
            records = tally.count_others("records of templates", store.template_records())
            faults = await stream_workbook(
                path, quotes, articles, pages, numbered, records,
                lambda: tally.count_others("own items", store.items()),
            )  # fmt: skip
        finally:
            await store.close()
    log_faults(faults)
    return f"{path}: {tally}", faults


class ReportTally:
    """Counts of the streamed quotes, their entities and dates, relevant pages and other records."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("", total=None)
        self._quotes = self._pages = self._read = 0
        self._others: Counter[str] = Counter()
        self._entities: set[str] = set()
        self._dates: set[date] = set()

    def __str__(self) -> str:
        quotes, entities, dates = self._quotes, len(self._entities), len(self._dates)
        parts = []
        if quotes or not (self._pages or self._others):
            parts.append(f"{quotes:,} quotes of {entities:,} entities on {dates:,} dates")
        if self._pages:
            parts.append(f"{self._pages:,} relevant pages")
        parts += [f"{count:,} {what}" for what, count in self._others.items()]
        return ", ".join(parts)

    def _advance(self) -> None:
        self._read += 1
        if self._read % SHOWN == 0:
            self._progress.update(self._task, completed=self._read)

    async def count(self, quotes: AsyncIterator[StoredQuote]) -> AsyncIterator[StoredQuote]:
        """Yield quotes and count them."""
        async for stored in quotes:
            self._quotes += 1
            self._entities.add(stored.quote.entity)
            if stored.quote.date is not None:
                self._dates.add(stored.quote.date)
            self._advance()
            yield stored

    async def count_articles(
        self, articles: AsyncIterator[ArticleSummary]
    ) -> AsyncIterator[ArticleSummary]:
        """Yield articles and count those without prices."""
        async for article in articles:
            if not (article.has_prices_read or article.is_dead_link):
                self._others["articles without prices"] += 1
            self._advance()
            yield article

    async def count_pages(self, pages: AsyncIterator[Page]) -> AsyncIterator[Page]:
        """Yield pages and count the relevant ones."""
        async for page in pages:
            self._pages += page.is_relevant
            self._advance()
            yield page

    async def count_others(self, what: str, entries: AsyncIterator[_T]) -> AsyncIterator[_T]:
        """Yield records of another kind and count them under the name ``what``, in each pass again."""
        count = 0
        async for entry in entries:
            count += 1
            self._others[what] = count
            self._advance()
            yield entry


async def _since(articles: AsyncIterator[_Dated], since: date | None) -> AsyncIterator[_Dated]:
    """Leave out articles published before ``since``; undated ones stay."""
    async for article in articles:
        if since is None or article.published is None or article.published >= since:
            yield article
