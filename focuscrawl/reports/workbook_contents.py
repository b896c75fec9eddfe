"""The whole workbook, filled from streams of quotes and articles of all kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from typing import TypeVar

from openpyxl import Workbook

from focuscrawl.items import NumberedArticle, OwnItem, Page, TemplateRecord
from focuscrawl.reports.sheets.articles_sheet import (
    NUMBERED_TITLE,
    ArticlesSheet,
    write_numbered,
)
from focuscrawl.reports.sheets.sheet_faults import SheetFaults
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
            # Imported here: most crawls have no prices, and need no pandas.
            from focuscrawl.reports.price_sheets import fill_prices

            fill_prices(workbook, faults, some_quotes or (), some_articles or (), today)
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
