"""Streams of flat rows of all records of a kind, and the columns of their table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Protocol

from focuscrawl.exports.flat_records import (
    ARTICLE_COLUMNS,
    NUMBERED_COLUMNS,
    PAGE_COLUMNS,
    QUOTE_COLUMNS,
    RECORD_COLUMNS,
    Columns,
    Row,
    article_row,
    field_column,
    numbered_row,
    page_row,
    quote_row,
    record_row,
)
from focuscrawl.items import Article, NumberedArticle, OwnItem, Page, TemplateRecord
from focuscrawl.reports.item_columns import item_columns, item_row
from focuscrawl.stored_records import ArticleSummary, StoredQuote


class ExportSource(Protocol):
    """A database whose records are exported."""

    def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes."""

    def articles(self) -> AsyncIterator[Article]:
        """Stream the articles with text and quotes."""

    def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream the articles without text."""

    def pages(self) -> AsyncIterator[Page]:
        """Stream the pages of topical crawls."""

    def numbered(self) -> AsyncIterator[NumberedArticle]:
        """Stream the numbered articles."""

    def template_records(self) -> AsyncIterator[TemplateRecord]:
        """Stream the records of templates."""

    def items(self) -> AsyncIterator[OwnItem]:
        """Stream the items of spiders of one's own."""


async def _quotes(source: ExportSource, since: date | None) -> AsyncIterator[Row]:
    async for stored in source.quotes(since):
        yield quote_row(stored)


async def _articles(source: ExportSource, since: date | None) -> AsyncIterator[Row]:
    gone = {summary.url async for summary in source.summaries() if summary.is_gone}
    async for article in source.articles():
        if article.is_read and article.url not in gone and _is_since(article.published, since):
            yield article_row(article)


async def _pages(source: ExportSource, since: date | None) -> AsyncIterator[Row]:
    async for page in source.pages():
        if _is_since(page.fetched_at.date(), since):
            yield page_row(page)


async def _numbered(source: ExportSource, since: date | None) -> AsyncIterator[Row]:
    async for article in source.numbered():
        if _is_since(article.published, since):
            yield numbered_row(article)


async def _records(source: ExportSource, since: date | None) -> AsyncIterator[Row]:
    async for record in source.template_records():
        if _is_since(record.fetched_at.date(), since):
            yield record_row(record)


async def _items(source: ExportSource, since: date | None) -> AsyncIterator[Row]:
    async for item in source.items():
        if _is_since(item.fetched_at.date(), since):
            yield item_row(item)


def _is_since(day: date | None, since: date | None) -> bool:
    return since is None or (day is not None and day >= since)


EXPORTED: Mapping[str, Callable[[ExportSource, date | None], AsyncIterator[Row]]] = {
    "quotes": _quotes,
    "articles": _articles,
    "pages": _pages,
    "records": _records,
    "numbered": _numbered,
    "items": _items,
}
"""Streams by the name of their kind: rows of records that are not gone, dated or fetched since a day."""
_COLUMNS = {
    "quotes": QUOTE_COLUMNS,
    "articles": ARTICLE_COLUMNS,
    "pages": PAGE_COLUMNS,
    "records": RECORD_COLUMNS,
    "numbered": NUMBERED_COLUMNS,
}


async def columns_of(kind: str, source: ExportSource, templates: Path) -> Columns:
    """Return the columns of a kind.

    Those of records are followed by the fields of their templates (of the user's folder ``templates``
    or shipped), then by fields that only the records have; those of items by their fields.
    """
    if kind == "items":
        return await item_columns(source.items())
    if kind != "records":
        return _COLUMNS[kind]
    return await record_columns(source.template_records(), templates)


async def record_columns(records: AsyncIterator[TemplateRecord], templates: Path) -> Columns:
    """Return the columns of template records, as :func:`columns_of` does."""
    # Each command loads this module, and few of them need templates.
    from focuscrawl.templates.template_model import field_titles

    used: dict[str, None] = {}
    found: dict[str, None] = {}
    async for record in records:
        used[record.template] = None
        found |= dict.fromkeys(value.field for value in record.values)
    fields = (field for name in used for field in field_titles(name, templates))
    return dict(RECORD_COLUMNS) | {field_column(field): str for field in (*fields, *found)}
