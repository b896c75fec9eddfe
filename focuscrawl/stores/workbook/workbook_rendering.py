"""Renders a workbook from the store behind it, in a process of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from focuscrawl.reports.workbook import SheetFault
from focuscrawl.reports.workbook_streams import stream_workbook
from focuscrawl.stores.database_urls import open_url


def render_workbook(source_url: str, path: Path) -> list[SheetFault]:
    """Write the workbook of all that the store at ``source_url`` holds.

    Returns the sheets that could not be made.
    Raises ReportError if the workbook cannot be written, StoreError if the store cannot be read.
    """
    return asyncio.run(_render(source_url, path))


async def _render(source_url: str, path: Path) -> list[SheetFault]:
    source = open_url(source_url)
    assert not isinstance(source, Path), "a workbook is rendered from a database"
    await source.open()
    try:
        return await stream_workbook(
            path,
            source.quotes(),
            source.summaries(),
            source.pages(),
            source.numbered(bodies=False),
            source.template_records(),
        )
    finally:
        await source.close()


def load_libraries() -> None:
    """Load what rendering needs, ahead of time."""
    import openpyxl  # noqa: F401
    import pandas  # noqa: F401

    import focuscrawl.reports.workbook_contents
    import focuscrawl.stores.sql.sql_store  # noqa: F401
