"""An Excel workbook as a store: rendered at close from the database behind it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from focuscrawl.errors import ReportError, StoreError, WorkerError
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
from focuscrawl.reports.workbook import SheetFault, log_faults
from focuscrawl.search.search_results import EVERYWHERE, Found, Scope
from focuscrawl.stores.store_protocol import RefusedRecordsError, Store, Written
from focuscrawl.stores.workbook.outdated_marks import StaleMark
from focuscrawl.stores.workbook.workbook_rendering import load_libraries, render_workbook
from focuscrawl.system.worker_pool import in_worker, warm_up


class ExcelStore:
    """A :class:`~focuscrawl.stores.store_protocol.Store` whose records analysts read in Excel.

    The records are kept in ``source``: a database of its own beside the workbook
    (``owns_source``), or one that is written by others, who call :meth:`expect_changes` before
    and :meth:`mark_dirty` after. The workbook is rendered in another process, which reads the
    store at ``source_url``.
    """

    def __init__(self, path: Path, source: Store, source_url: str, *, owns_source: bool) -> None:
        self._path = path
        self._source = source
        self._source_url = source_url
        self._owns_source = owns_source
        # A file, for a workbook that a killed run left behind its database must be known as such.
        self._mark = StaleMark(path)
        self._is_open = False
        self._is_dirty = False
        self._is_written = False
        self._faults: list[SheetFault] = []

    @property
    def label(self) -> str:
        """The workbook as a URL."""
        return f"excel:///{self._path}"

    @property
    def owns_source(self) -> bool:
        """Whether records are written through this store."""
        return self._owns_source

    @property
    def location(self) -> str:
        """Where the records can be read; after close.

        That is the label of the workbook, or of the source if the workbook could not be written;
        empty if the source is that of others.
        """
        if self._is_written:
            return self.label
        return self._source.label if self._owns_source else ""

    @property
    def faults(self) -> list[SheetFault]:
        """The sheets that could not be made, as of the last rendering."""
        return self._faults

    async def open(self) -> None:
        """Check that the workbook can be written, and open the source if it is owned."""
        await asyncio.to_thread(self._check_place)
        if self._owns_source:
            await self._source.open()
        self._is_open = True

    def _check_place(self) -> None:
        folder = self._path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder of {self._path} cannot be made ({error.strerror}); name another"
            ) from error
        if self._path.is_dir():
            raise StoreError(f"{self._path} is a folder; name a file that ends in .xlsx")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise StoreError(
                f"{folder} may not be written to; name another folder for the workbook"
            )

    def expect_changes(self) -> None:
        """Leave a mark on disk that the workbook may be behind, should the program die now."""
        try:
            self._mark.set()
        except OSError as error:
            raise StoreError(
                f"{self._path.parent} cannot be written ({error.strerror}); make room there"
            ) from error

    def warm_up(self) -> None:
        """Let the process that will render the workbook load what it needs for that."""
        warm_up(load_libraries)

    def mark_dirty(self) -> None:
        """Remember that the workbook is behind its source."""
        self._is_dirty = True

    async def write(self, records: Sequence[Record]) -> Written:
        """Write to the source if it is owned; else all count as unchanged."""
        if not self._owns_source:
            return Written.of(["unchanged"] * len(records))
        self.expect_changes()
        try:
            written = await self._source.write(records)
        except RefusedRecordsError as error:
            self._is_dirty = self._is_dirty or error.written.touched > 0
            raise
        self._is_dirty = self._is_dirty or written.touched > 0
        return written

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Ask the source."""
        return await self._source.known(url_md5s)

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Ask the source."""
        return await self._source.unfinished(site)

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Ask the source."""
        return await self._source.listed_since(site, since)

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Ask the source."""
        return await self._source.get_state(key)

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Tell the source if it is owned."""
        if self._owns_source:
            await self._source.set_state(key, value)

    def articles(self) -> AsyncIterator[Article]:
        """Stream from the source."""
        return self._source.articles()

    def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream from the source."""
        return self._source.quotes(since)

    def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream from the source."""
        return self._source.summaries()

    def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream from the source."""
        return self._source.pages(topic)

    def numbered(
        self, series: str | None = None, *, bodies: bool = True
    ) -> AsyncIterator[NumberedArticle]:
        """Stream from the source."""
        return self._source.numbered(series, bodies=bodies)

    def numbers(self, series: str) -> AsyncIterator[int]:
        """Stream from the source."""
        return self._source.numbers(series)

    def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream from the source."""
        return self._source.missing(series)

    def template_records(
        self, crawl: str | None = None, *, gone: bool = False
    ) -> AsyncIterator[TemplateRecord]:
        """Stream from the source."""
        return self._source.template_records(crawl, gone=gone)

    def seeds(self, crawl: str) -> AsyncIterator[Seed]:
        """Stream from the source."""
        return self._source.seeds(crawl)

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[Found]:
        """Ask the source."""
        return await self._source.search(query, limit, scope=scope)

    async def related(self, url: str, limit: int = 10) -> list[Found]:
        """Ask the source."""
        return await self._source.related(url, limit)

    async def close(self) -> None:
        """Render the workbook if it is missing or behind; close the source if it is owned."""
        try:
            if self._is_open:
                await self._catch_up()
        finally:
            self._is_open = False
            self._mark.abandon()
            if self._owns_source:
                await self._source.close()

    async def _catch_up(self) -> None:
        # Looked for before the rendering: what a run that dies meanwhile wrote may not be in it.
        left = self._mark.of_dead_runs()
        if self._is_dirty or left or not self._path.exists():
            await self._render()
        self._is_written = True
        # With a mark the next run renders the workbook again, perhaps by a program without the fault.
        if not self._faults:
            for mark in left:
                mark.unlink(missing_ok=True)
            self._mark.lift()

    async def _render(self) -> None:
        self._is_written = False
        try:
            self._faults = await in_worker(render_workbook, self._source_url, self._path)
        except (ReportError, WorkerError) as error:
            raise StoreError(str(error)) from error
        log_faults(self._faults)
        self._is_dirty = False
