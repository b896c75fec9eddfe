"""Workbooks from asynchronous streams: the event loop reads, a thread writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TypeVar

from focuscrawl.items import NumberedArticle, OwnItem, Page, TemplateRecord
from focuscrawl.reports.item_columns import item_columns
from focuscrawl.reports.workbook import SheetFault, write_workbook
from focuscrawl.stored_records import ArticleSummary, StoredQuote

T = TypeVar("T")
CHUNK = 500


async def stream_workbook(
    path: Path,
    quotes: AsyncIterator[StoredQuote],
    articles: AsyncIterator[ArticleSummary],
    pages: AsyncIterator[Page],
    numbered: AsyncIterator[NumberedArticle] | None = None,
    records: AsyncIterator[TemplateRecord] | None = None,
    items: Callable[[], AsyncIterator[OwnItem]] | None = None,
) -> list[SheetFault]:
    """Write the workbook of these streams without blocking the loop, one chunk in memory at a time.

    Returns the sheets that could not be made. Raises the errors of
    :func:`~focuscrawl.reports.workbook.write_workbook` and of the streams. If it is cancelled, the
    old workbook stays as it was.
    """
    pull = _Pull()
    try:
        streams = pull.items(quotes), pull.items(articles), pull.items(pages)
        some_numbered = pull.items(numbered) if numbered else ()
        some_records = pull.items(records) if records else ()
        columns = await item_columns(items()) if items else {}
        some_items = pull.items(items()) if items else ()
        return await asyncio.to_thread(
            write_workbook, path, *streams, some_numbered, some_records, some_items, [*columns]
        )
    finally:
        pull.is_over = True


class _Pull:
    """Lets a thread iterate over streams of the event loop in which this was created."""

    def __init__(self) -> None:
        self.is_over = False
        self._loop = asyncio.get_running_loop()

    def items(self, stream: AsyncIterator[T]) -> Iterator[T]:
        chunk_size = CHUNK
        while chunk_size == CHUNK:
            chunk = asyncio.run_coroutine_threadsafe(self._chunk(stream), self._loop).result()
            yield from chunk
            chunk_size = len(chunk)

    async def _chunk(self, stream: AsyncIterator[T]) -> list[T]:
        # A loop that shuts down closes its streams. That looks like their end, and an incomplete
        # workbook would replace a complete one.
        if self.is_over:
            raise asyncio.CancelledError
        chunk: list[T] = []
        async for item in stream:
            chunk.append(item)
            if len(chunk) == CHUNK:
                break
        return chunk
