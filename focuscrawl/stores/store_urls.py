"""Databases and workbooks of store URLs, as in the setting ``FOCUSCRAWL_STORES``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import StoreError
from focuscrawl.reports.crawl_workbook import CrawlWorkbook
from focuscrawl.reports.workbook import SheetFault, checked_target
from focuscrawl.reports.workbook_streams import stream_workbook
from focuscrawl.stores.database_urls import (
    KNOWN_KINDS,
    Database,
    database_at,
    located,
    sqlite_url,
    workbook_at,
)
from focuscrawl.stores.store_protocol import StoreReader
from focuscrawl.system.durable_files import check_utf8, locked_folder
from focuscrawl.system.worker_pool import in_worker, warm_up


class Destinations(NamedTuple):
    """The databases of a crawl, and the workbooks that are rendered from them when it ends."""

    databases: list[Database]
    workbooks: list[CrawlWorkbook]


def make_stores(urls: str | Sequence[str]) -> list[Database]:
    """Return the databases of :func:`make_destinations`."""
    return make_destinations(urls).databases


def make_destinations(urls: str | Sequence[str]) -> Destinations:
    """Return the databases and workbooks of one or more URLs; a string may hold several.

    URLs in a string are comma-separated. Each workbook shows the first database; where no database
    is named, it gets a SQLite file of its own beside it. Nothing is opened. Raises StoreError for
    an unknown kind, a URL that cannot be read, no URL, and a URL that is given twice, ArgumentError
    for a URL that is not UTF-8.
    """
    given = _listed(urls)
    for url in given:
        # The error does not show the URL, which may contain a password.
        check_utf8(url, "a store URL")
    if not given:
        raise StoreError(f"no store is named; name one such as {KNOWN_KINDS[0]}")
    places = [workbook_at(url) or database_at(url) for url in given]
    books = [place for place in places if isinstance(place, Path)]
    databases = [place for place in places if not isinstance(place, Path)]
    if databases:
        url = next(url for url, place in zip(given, places, strict=True) if place is databases[0])
        workbooks = [_workbook(path, url, databases[0]) for path in books]
    else:
        beside = {path: sqlite_url(path.with_suffix(".sqlite")) for path in books}
        by_url = {url: database_at(url) for url in beside.values()}
        databases = [*by_url.values()]
        workbooks = [
            _workbook(path, beside[path], by_url[beside[path]], is_alone=True) for path in books
        ]
    _check_distinct([store.label for store in databases] + [book.label for book in workbooks])
    return Destinations(databases, workbooks)


def database_url(urls: str) -> str:
    """Return the URL of the first database of :func:`make_destinations`, which checks the URLs."""
    return next(iter(_databases(urls)), "")


def without_workbooks(urls: str) -> str:
    """Return the URLs of the databases of :func:`make_destinations`, which checks the URLs."""
    return ",".join(_databases(urls))


def _databases(urls: str) -> list[str]:
    given = _listed(urls)
    books = [workbook_at(url) for url in given]
    databases = [url for url, book in zip(given, books, strict=True) if book is None]
    return databases or [sqlite_url(book.with_suffix(".sqlite")) for book in books if book]


def _listed(urls: str | Sequence[str]) -> list[str]:
    parts = _split(urls) if isinstance(urls, str) else urls
    return [url.strip() for url in parts if url.strip()]


def _workbook(path: Path, url: str, database: Database, *, is_alone: bool = False) -> CrawlWorkbook:
    return CrawlWorkbook(path, DatabaseRenderer(located(url), database.label), is_alone=is_alone)


def _split(urls: str) -> list[str]:
    """Split URLs at commas, except for those between the hosts of a replica set."""
    parts: list[str] = []
    for part in urls.split(","):
        if parts and "://" not in part and "${" not in part and parts[-1].startswith("mongodb:"):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def _check_distinct(labels: Sequence[str]) -> None:
    for label in labels:
        if labels.count(label) > 1:
            raise StoreError(f"the store {label} is named twice; name it once")


# Rendering of a workbook from a database, in a process of its own.


@dataclass(frozen=True, slots=True)
class DatabaseRenderer:
    """A :class:`~focuscrawl.reports.crawl_workbook.WorkbookSource` that reads the database at ``url``.

    ``url`` holds for any working folder; ``label`` is the same without password.
    """

    url: str
    label: str

    def prepare(self) -> None:
        """Let the worker process load what rendering needs."""
        warm_up(load_libraries)

    async def render(self, path: Path) -> list[SheetFault]:
        """Write the workbook, and return the sheets that could not be made."""
        return await in_worker(render_workbook, self.url, path)


def render_workbook(url: str, path: Path) -> list[SheetFault]:
    """Write the workbook of everything in the database at ``url``.

    Returns the sheets that could not be made.
    Raises ReportError if the workbook cannot be written, StoreError if the database cannot be read.
    """
    # Who reads last writes last: an older state of the database would stay until the next change.
    with locked_folder(checked_target(path).parent):
        return asyncio.run(_render(database_at(url), path))


async def _render(database: StoreReader, path: Path) -> list[SheetFault]:
    await database.open()
    try:
        return await stream_workbook(
            path,
            database.quotes(),
            database.summaries(),
            database.pages(),
            database.numbered(bodies=False),
            database.template_records(),
            database.items,
        )
    finally:
        await database.close()


def load_libraries() -> None:
    """Load what rendering needs, ahead of time."""
    import focuscrawl.reports.price_sheets
    import focuscrawl.reports.workbook_contents
    import focuscrawl.stores.sql.sql_store  # noqa: F401
