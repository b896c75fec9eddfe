"""Sheets of the workbook about prices, filled from streams of quotes and articles."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from openpyxl import Workbook

from focuscrawl.reports.daily_news import DailyDigest, DailyNews, daily_news
from focuscrawl.reports.price_figures import price_figures, price_trends
from focuscrawl.reports.quote_facts import QuoteFacts
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
from focuscrawl.reports.sheets.worksheets import add_sheet
from focuscrawl.stored_records import ArticleSummary, StoredQuote


def fill_prices(
    workbook: Workbook,
    faults: SheetFaults,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    today: date,
) -> None:
    """Write the sheets of prices, and of what is doubtful; each iterable is used once."""
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
