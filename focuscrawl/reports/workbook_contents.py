"""The whole workbook, filled from streams of quotes and articles of all kinds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TypeVar

import pandas as pd
from openpyxl import Workbook

from focuscrawl.items import ArticleSummary, NumberedArticle, Page, StoredQuote, TemplateRecord
from focuscrawl.reports.fault_report import SheetFault
from focuscrawl.reports.price_trends import daily_means, home_regions
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.sheets.articles_sheet import ArticlesSheet
from focuscrawl.reports.sheets.numbered_articles_sheet import NUMBERED_TITLE, write_numbered
from focuscrawl.reports.sheets.price_matrix_sheet import (
    MATRIX_TITLE,
    commodities_by_quotes,
    write_matrices,
)
from focuscrawl.reports.sheets.price_movements_sheet import write_movements
from focuscrawl.reports.sheets.quote_details_sheet import (
    DETAIL_COLUMNS,
    QUALITY_COLUMNS,
    add_articles,
    add_detail,
    add_flagged,
    close_quality,
)
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
from focuscrawl.reports.sheets.streamed_table import Table
from focuscrawl.reports.sheets.template_records_sheet import write_records
from focuscrawl.reports.sheets.topical_pages_sheet import PAGES_TITLE, write_pages
from focuscrawl.reports.sheets.worksheets import Sheet, add_sheet
from focuscrawl.reports.workbook_file import save

T = TypeVar("T")


def save_workbook(
    path: Path,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page],
    numbered: Iterable[NumberedArticle] = (),
    records: Iterable[TemplateRecord] = (),
) -> list[SheetFault]:
    """Write the workbook to ``path``, replacing an existing file; each iterable is used once.

    Rows go to spool files in the folder for temporary files as they arrive, so that memory holds
    about 20 bytes per quote. No spool file is left, whatever happens. Returns the sheets that could
    not be made.
    """
    workbook = Workbook(write_only=True)
    faults = SheetFaults(workbook)
    try:
        _fill(workbook, faults, quotes, articles, pages, numbered, records)
        save(workbook, path)
        return faults.found
    finally:
        for sheet in workbook.worksheets:
            if isinstance(sheet, Sheet):
                sheet.discard()


def _fill(
    workbook: Workbook,
    faults: SheetFaults,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page],
    numbered: Iterable[NumberedArticle],
    records: Iterable[TemplateRecord],
) -> None:
    listed = ArticlesSheet(workbook, faults)
    some_quotes = _if_any(faults, quotes)
    some_articles = _if_any(faults, listed.take(articles))
    some_pages, some_numbered = _if_any(faults, pages), _if_any(faults, numbered)
    some_records = _if_any(faults, records)
    # A crawl without prices needs no empty price sheets.
    is_without = listed.is_there or some_pages or some_numbered or some_records
    if some_quotes or some_articles or not is_without:
        _fill_prices(workbook, faults, some_quotes or (), some_articles or ())
    # Those that a sheet with a fault has not read.
    for _ in some_articles or ():
        pass
    listed.close()
    if some_pages:
        sheet = add_sheet(workbook, PAGES_TITLE)
        faults.guard(sheet).run(write_pages, sheet, some_pages)
    if some_numbered:
        sheet = add_sheet(workbook, NUMBERED_TITLE)
        faults.guard(sheet).run(write_numbered, sheet, some_numbered)
    if some_records:
        write_records(workbook, faults, some_records)


def _if_any(faults: SheetFaults, items: Iterable[T]) -> Iterable[T] | None:
    """Return an iterable of the same items, or None if there are none."""
    rest = faults.reading(items)
    for first in rest:
        return chain([first], rest)
    return None


def _fill_prices(
    workbook: Workbook,
    faults: SheetFaults,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
) -> None:
    matrix = add_sheet(workbook, MATRIX_TITLE)
    details = Table(add_sheet(workbook, "报价明细"), DETAIL_COLUMNS, frozen_columns=3)
    movements = add_sheet(workbook, "走势")
    quality = Table(add_sheet(workbook, "数据质量"), QUALITY_COLUMNS, frozen_columns=2)
    in_details, in_quality = faults.guard(details.sheet), faults.guard(quality.sheet)
    in_figures = faults.guard(matrix, movements)
    in_quality.run(add_articles, quality, articles)
    facts = QuoteFacts()
    for stored in quotes:
        in_figures.run(facts.add, stored)
        in_details.run(add_detail, details, stored)
        if stored.quote.flag:
            in_quality.run(add_flagged, quality, stored)
    in_details.run(details.close)
    figures = in_figures.run(_figures, facts)
    notes: list[str] = []
    if figures:
        notes += write_matrices(workbook, faults, matrix, *figures)
        notes += faults.guard(movements).run(write_movements, movements, *figures) or []
    in_quality.run(close_quality, quality, facts, notes)


def _figures(facts: QuoteFacts) -> tuple[pd.DataFrame, pd.Series[str], list[str]]:
    frame = facts.frame()
    return daily_means(frame), home_regions(frame), commodities_by_quotes(frame)
