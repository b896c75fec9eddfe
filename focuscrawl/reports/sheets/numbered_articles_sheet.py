"""The sheet of numbered articles."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.items import NumberedArticle
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.topical_pages_sheet import BEIJING
from focuscrawl.reports.sheets.worksheets import DATE_FORMAT, LINK_FORMAT, TIME_FORMAT, Sheet

NUMBERED_TITLE = "编号文章"
COLUMNS = (
    SheetColumn("编号", "0"),
    SheetColumn("标题", min_width=40),
    SheetColumn("作者"),
    SheetColumn("发布日期", DATE_FORMAT),
    SheetColumn("标签", min_width=20),
    SheetColumn("摘要", min_width=40),
    SheetColumn("网址", LINK_FORMAT, min_width=40),
    SheetColumn("网站"),
    SheetColumn("抓取时间（北京）", TIME_FORMAT),
)


def write_numbered(sheet: Sheet, articles: Iterable[NumberedArticle]) -> None:
    """Fill the sheet with numbered articles, in the order given."""
    table = Table(sheet, COLUMNS, frozen_columns=2)
    for article in articles:
        table.append(numbered_row(article))
    table.close()


def numbered_row(article: NumberedArticle) -> list[Value]:
    """Return the values of an article in the order of ``COLUMNS``, without its body."""
    return [
        article.number,
        article.title,
        article.author,
        article.published,
        " ".join(article.tags),
        article.description,
        article.url,
        article.site,
        article.fetched_at.astimezone(BEIJING),
    ]
