"""The sheet of the pages of topical crawls."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.items import Page
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import BEIJING, LINK_FORMAT, TIME_FORMAT, Sheet

PAGES_TITLE = "网页"
NO_RELEVANT_PAGES = "没有相关网页"
COLUMNS = (
    SheetColumn("网址", LINK_FORMAT, min_width=40),
    SheetColumn("网站"),
    SheetColumn("标题", min_width=40),
    SheetColumn("主题"),
    SheetColumn("链接得分", "0.000"),
    SheetColumn("相关度", "0.0%"),
    SheetColumn("步数", "0"),
    SheetColumn("来源网址", LINK_FORMAT, min_width=40),
    SheetColumn("抓取时间（北京）", TIME_FORMAT),
)


def write_pages(sheet: Sheet, pages: Iterable[Page]) -> None:
    """Fill the sheet with the relevant pages, in the order given."""
    table = Table(sheet, COLUMNS, frozen_columns=1)
    for page in pages:
        if page.is_relevant:
            table.append(page_row(page))
    if not table.rows:
        table.append([NO_RELEVANT_PAGES])
    table.close()


def page_row(page: Page) -> list[Value]:
    """Return the values of a page in the order of ``COLUMNS``, without its text."""
    return [
        page.url,
        page.site,
        page.title,
        page.topic,
        page.score,
        page.relevance,
        page.steps,
        page.via,
        page.fetched_at.astimezone(BEIJING),
    ]
