"""The whole workbook, put together while quotes and articles of all kinds stream by."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TypeVar

from openpyxl import Workbook

from focuscrawl.items import ArticleSummary, NumberedArticle, Page, StoredQuote, TemplateRecord
from focuscrawl.reports.details import (
    DETAIL_COLUMNS,
    QUALITY_COLUMNS,
    add_articles,
    add_notes,
    add_unknown_entities,
    detail_row,
    flagged_row,
)
from focuscrawl.reports.facts import QuoteFacts
from focuscrawl.reports.matrix import MATRIX_TITLE, commodities_by_quotes, write_matrices
from focuscrawl.reports.movements import write_movements
from focuscrawl.reports.numbered import write_numbered
from focuscrawl.reports.pages import write_pages
from focuscrawl.reports.sheets import Sheet, add_sheet
from focuscrawl.reports.table import Table
from focuscrawl.reports.template_records import write_records
from focuscrawl.reports.trends import daily_means, home_regions
from focuscrawl.reports.workbook_file import save

T = TypeVar("T")


def save_workbook(
    path: Path,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page],
    numbered: Iterable[NumberedArticle] = (),
    records: Iterable[TemplateRecord] = (),
) -> None:
    """Write the workbook to ``path``, replacing what is there; each iterable is used once.

    Rows go to spool files in the folder for temporary files as they come, so memory holds some 20
    bytes a quote. No spool file is left, whatever happens.
    """
    workbook = Workbook(write_only=True)
    try:
        _fill(workbook, quotes, articles, pages, numbered, records)
        save(workbook, path)
    finally:
        for sheet in workbook.worksheets:
            if isinstance(sheet, Sheet):
                sheet.discard()


def _fill(
    workbook: Workbook,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page],
    numbered: Iterable[NumberedArticle],
    records: Iterable[TemplateRecord],
) -> None:
    some_quotes, some_articles, some_pages = _if_any(quotes), _if_any(articles), _if_any(pages)
    some_numbered, some_records = _if_any(numbered), _if_any(records)
    # Whoever crawls something else has no use for empty price sheets.
    if some_quotes or some_articles or not (some_pages or some_numbered or some_records):
        _fill_prices(workbook, some_quotes or (), some_articles or ())
    if some_pages:
        write_pages(workbook, some_pages)
    if some_numbered:
        write_numbered(workbook, some_numbered)
    if some_records:
        write_records(workbook, some_records)


def _if_any(items: Iterable[T]) -> Iterable[T] | None:
    """Return an iterable of the same items, None if there are none."""
    rest = iter(items)
    for first in rest:
        return chain([first], rest)
    return None


def _fill_prices(
    workbook: Workbook, quotes: Iterable[StoredQuote], articles: Iterable[ArticleSummary]
) -> None:
    matrix = add_sheet(workbook, MATRIX_TITLE)
    details = Table(add_sheet(workbook, "报价明细"), DETAIL_COLUMNS, frozen_columns=3)
    movements = add_sheet(workbook, "走势")
    quality = Table(add_sheet(workbook, "数据质量"), QUALITY_COLUMNS, frozen_columns=2)
    add_articles(quality, articles)
    facts = QuoteFacts()
    for stored in quotes:
        facts.add(stored)
        details.append(detail_row(stored))
        if stored.quote.flag:
            quality.append(flagged_row(stored))
    details.close()
    add_unknown_entities(quality, facts)
    frame = facts.frame()
    daily, regions = daily_means(frame), home_regions(frame)
    commodities = commodities_by_quotes(frame)
    notes = write_matrices(workbook, matrix, daily, regions, commodities)
    notes += write_movements(movements, daily, regions, commodities)
    add_notes(quality, facts, len(frame), notes)
    quality.close()
