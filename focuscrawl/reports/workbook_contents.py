"""The whole workbook, filled from streams of quotes and articles of all kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from typing import TypeVar

from openpyxl import Workbook

from focuscrawl.items import NumberedArticle, OwnItem, Page, TemplateRecord
from focuscrawl.reports.daily_news import DailyDigest, DailyNews, daily_news
from focuscrawl.reports.price_figures import price_figures, price_trends
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.sheets.articles_sheet import (
    NUMBERED_TITLE,
    ArticlesSheet,
    write_numbered,
)
from focuscrawl.reports.sheets.daily_summary_sheet import SUMMARY_TITLE, write_summary
from focuscrawl.reports.sheets.price_matrix_sheet import MATRIX_TITLE, write_matrices
from focuscrawl.reports.sheets.price_movements_sheet import MOVEMENTS_TITLE, write_movements
from focuscrawl.reports.sheets.quote_details_sheet import (
    DETAIL_COLUMNS,
    DETAILS_TITLE,
    PRINTED_DETAILS,
    QUALITY_COLUMNS,
    QUALITY_TITLE,
    add_article,
    add_detail,
    add_flagged,
    add_gone,
    close_quality,
)
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
from focuscrawl.reports.sheets.streamed_table import Table
from focuscrawl.reports.sheets.template_records_sheet import ITEMS_TITLE, write_items, write_records
from focuscrawl.reports.sheets.topical_pages_sheet import PAGES_TITLE, write_pages
from focuscrawl.reports.sheets.worksheets import BEIJING, Sheet, add_sheet
from focuscrawl.reports.workbook import SheetFault
from focuscrawl.reports.workbook_file import save
from focuscrawl.stored_records import ArticleSummary, StoredQuote

T = TypeVar("T")


def save_workbook(
    path: Path,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page],
    numbered: Iterable[NumberedArticle] = (),
    records: Iterable[TemplateRecord] = (),
    items: Iterable[OwnItem] = (),
    item_columns: Sequence[str] = (),
    today: date | None = None,
) -> list[SheetFault]:
    """Write the workbook to ``path``, replacing an existing file; each iterable is used once.

    ``today`` is the day of which the alarms are (by default that of the clock, in Beijing). Rows go
    to spool files in the folder for temporary files as they arrive, so that memory holds about 20
    bytes per quote. No spool file is left, whatever happens. Returns the sheets that could
    not be made.
    """
    workbook = Workbook(write_only=True)
    today = today or datetime.now(BEIJING).date()
    faults = SheetFaults(workbook)
    try:
        listed = ArticlesSheet(workbook, faults)
        some_quotes = _if_any(faults, quotes)
        shown = (article for article in articles if not article.is_dead_link)
        some_articles = _if_any(faults, listed.take(shown))
        some_pages, some_numbered = _if_any(faults, pages), _if_any(faults, numbered)
        some_records = _if_any(faults, records)
        some_items = _if_any(faults, items)
        # A crawl without prices needs no empty price sheets.
        is_without = listed.is_there or some_pages or some_numbered or some_records
        if some_quotes or some_articles or not (is_without or some_items):
            _fill_prices(workbook, faults, some_quotes or (), some_articles or (), today)
        listed.close()
        if some_pages:
            sheet = add_sheet(workbook, PAGES_TITLE)
            faults.guard(sheet).run(write_pages, sheet, some_pages)
        if some_numbered:
            sheet = add_sheet(workbook, NUMBERED_TITLE)
            faults.guard(sheet).run(write_numbered, sheet, some_numbered)
        if some_records:
            write_records(workbook, faults, some_records)
        if some_items:
            sheet = add_sheet(workbook, ITEMS_TITLE)
            faults.guard(sheet).run(write_items, sheet, item_columns, some_items)
        save(workbook, path)
        return faults.found
    finally:
        for part in workbook.worksheets:
            if isinstance(part, Sheet):
                part.discard()


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
    today: date,
) -> None:
    summary = add_sheet(workbook, SUMMARY_TITLE)
    movements = add_sheet(workbook, MOVEMENTS_TITLE)
    matrix = add_sheet(workbook, MATRIX_TITLE)
    details = Table(
        add_sheet(workbook, DETAILS_TITLE),
        DETAIL_COLUMNS,
        frozen_columns=3,
        printed_columns=PRINTED_DETAILS,
    )
    quality = Table(add_sheet(workbook, QUALITY_TITLE), QUALITY_COLUMNS, frozen_columns=2)
    in_summary, in_figures = faults.guard(summary), faults.guard(summary, movements, matrix)
    in_details, in_quality = faults.guard(details.sheet), faults.guard(quality.sheet)
    digest, gone = DailyDigest(today), list[ArticleSummary]()
    for article in articles:
        in_summary.run(digest.add_article, article)
        in_quality.run(add_article, quality, article, gone)
    in_quality.run(add_gone, quality, gone)
    facts = QuoteFacts()
    for stored in quotes:
        in_figures.run(facts.add, stored)
        in_summary.run(digest.add_quote, stored)
        in_details.run(add_detail, details, stored)
        if stored.quote.flag:
            in_quality.run(add_flagged, quality, stored)
    in_details.run(details.close)
    notes: list[str] = []
    news: DailyNews | None = None
    if figures := in_figures.run(price_figures, facts, today):
        entities, commodities = figures.entities, figures.commodities
        notes += write_matrices(workbook, faults, matrix, figures.daily, entities, commodities)
        if trends := faults.guard(summary, movements).run(price_trends, figures):
            in_movements = faults.guard(movements)
            notes += in_movements.run(write_movements, movements, figures, trends) or []
            if news := in_summary.run(daily_news, digest, figures, trends):
                in_summary.run(write_summary, summary, digest, figures, news)
    in_quality.run(close_quality, quality, facts, news, notes)
