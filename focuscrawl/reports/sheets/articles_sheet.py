"""The sheets of articles without prices: 文章, and 编号文章 for numbered ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openpyxl import Workbook

from focuscrawl.items import NumberedArticle
from focuscrawl.reports.sheets.sheet_cells import Value
from focuscrawl.reports.sheets.sheet_faults import SheetFaults, SheetGuard
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import (
    BEIJING,
    DATE_FORMAT,
    LINK_FORMAT,
    TIME_FORMAT,
    Sheet,
    add_sheet,
)
from focuscrawl.stored_records import ArticleSummary

ARTICLES_TITLE = "文章"
COLUMNS = (
    SheetColumn("发布日期", DATE_FORMAT),
    SheetColumn("标题", min_width=40),
    SheetColumn("网址", LINK_FORMAT, min_width=40),
    SheetColumn("网站"),
    SheetColumn("首次抓取（北京）", TIME_FORMAT),
    SheetColumn("页数", "0"),
    SheetColumn("状态"),
)


class ArticlesSheet:
    """The articles whose prices are not read, taken out of a stream of all articles.

    The workbook has no such sheet until there is one.
    """

    def __init__(self, workbook: Workbook, faults: SheetFaults) -> None:
        self._workbook = workbook
        self._faults = faults
        self._table: Table | None = None
        self._guard: SheetGuard | None = None

    @property
    def is_there(self) -> bool:
        """True if the workbook has the sheet."""
        return self._table is not None

    def take(self, articles: Iterable[ArticleSummary]) -> Iterator[ArticleSummary]:
        """Add the articles without prices to the sheet, and yield the others."""
        for article in articles:
            if article.has_prices_read:
                yield article
            else:
                self._add(article)

    def _add(self, article: ArticleSummary) -> None:
        if self._table is None or self._guard is None:
            sheet = add_sheet(self._workbook, ARTICLES_TITLE)
            self._table, self._guard = (
                Table(sheet, COLUMNS, frozen_columns=2),
                self._faults.guard(sheet),
            )
        self._guard.run(_append, self._table, article)

    def close(self) -> None:
        """Finish the sheet, if there is one, and move it to the end of the workbook."""
        if self._table and self._guard:
            self._guard.run(self._table.close)
            for title in self._workbook.sheetnames:
                if title.startswith(ARTICLES_TITLE):
                    self._workbook.move_sheet(title, len(self._workbook.sheetnames))


def _append(table: Table, article: ArticleSummary) -> None:
    table.append(article_row(article))


def article_row(article: ArticleSummary) -> list[Value]:
    """Return the values of an article in the order of ``COLUMNS``."""
    return [
        article.published,
        article.title,
        article.url,
        article.site,
        article.first_seen.astimezone(BEIJING),
        len(article.page_urls),
        _state(article),
    ]


def _state(article: ArticleSummary) -> str:
    if article.is_gone:
        return "已下线"
    return "完整" if article.is_complete else "不完整"


NUMBERED_TITLE = "编号文章"
NUMBERED_COLUMNS = (
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
    table = Table(sheet, NUMBERED_COLUMNS, frozen_columns=2)
    for article in articles:
        table.append(numbered_row(article))
    table.close()


def numbered_row(article: NumberedArticle) -> list[Value]:
    """Return the values of an article in the order of ``NUMBERED_COLUMNS``, without its body."""
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
