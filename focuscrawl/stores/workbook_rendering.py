"""Rendering of a workbook from a database, in a process of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from focuscrawl.reports.workbook import SheetFault, checked_target
from focuscrawl.reports.workbook_streams import stream_workbook
from focuscrawl.stores.database_urls import database_at
from focuscrawl.stores.store_protocol import StoreReader
from focuscrawl.system.durable_files import locked_folder
from focuscrawl.system.worker_pool import in_worker, warm_up


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
    import openpyxl  # noqa: F401
    import pandas  # noqa: F401

    import focuscrawl.reports.workbook_contents
    import focuscrawl.stores.sql.sql_store  # noqa: F401
