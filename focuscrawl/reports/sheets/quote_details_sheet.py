"""The sheets written row by row from streams of quotes and articles: 报价明细 and 数据质量."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.reports.daily_news import DailyNews
from focuscrawl.reports.quote_facts import QuoteFacts
from focuscrawl.reports.sheets.daily_summary_sheet import absence_text, missing_text
from focuscrawl.reports.sheets.price_matrix_sheet import UNNAMED_COMMODITY
from focuscrawl.reports.sheets.sheet_cells import Value, type_name, unit_name
from focuscrawl.reports.sheets.streamed_table import SheetColumn, Table
from focuscrawl.reports.sheets.worksheets import DATE_FORMAT, LINK_FORMAT
from focuscrawl.stored_records import ArticleSummary, StoredQuote

DETAILS_TITLE = "报价明细"
QUALITY_TITLE = "数据质量"
DETAIL_COLUMNS = (
    SheetColumn("日期", DATE_FORMAT),
    SheetColumn("品种"),
    SheetColumn("主体", max_width=30),
    SheetColumn("类型"),
    SheetColumn("省"),
    SheetColumn("市"),
    SheetColumn("县"),
    SheetColumn("最低价（元/吨）", "#,##0.00"),
    SheetColumn("最高价（元/吨）", "#,##0.00"),
    SheetColumn("水分"),
    SheetColumn("条件", max_width=24),
    SheetColumn("存疑原因", max_width=24),
    SheetColumn("原文名称", max_width=30),
    SheetColumn("已收录"),
    SheetColumn("地区（原文）", max_width=30),
    SheetColumn("原文最低价", "#,##0.00##"),
    SheetColumn("原文最高价", "#,##0.00##"),
    SheetColumn("原文单位"),
    SheetColumn("涨跌（原文单位）", "+#,##0.00##;-#,##0.00##;0"),
    SheetColumn("主报价"),
    SheetColumn("原文片段"),
    SheetColumn("起始位置", "0"),
    SheetColumn("结束位置", "0"),
    SheetColumn("文章标题"),
    SheetColumn("文章网址", LINK_FORMAT),
    SheetColumn("网站"),
)
PRINTED_DETAILS = 12
"""Number of columns that are printed: those of the price; the others say where it is from."""

DOUBTFUL = "报价存疑"
QUALITY_COLUMNS = (
    SheetColumn("类别"),
    SheetColumn("名称"),
    SheetColumn("说明", min_width=40),
    SheetColumn("数量", "#,##0"),
    SheetColumn("日期", DATE_FORMAT),
    SheetColumn("网址", LINK_FORMAT, min_width=40),
)


def yes_no(value: bool) -> str:
    """Return 是 or 否."""
    return "是" if value else "否"


def add_detail(table: Table, stored: StoredQuote) -> None:
    """Add a quote to 报价明细."""
    table.append(detail_row(stored))


def detail_row(stored: StoredQuote) -> list[Value]:
    """Return every field of a quote, in the order of ``DETAIL_COLUMNS``."""
    quote = stored.quote
    return [
        quote.date,
        quote.commodity,
        quote.entity,
        type_name(quote.entity_type),
        quote.province,
        quote.city,
        quote.county,
        quote.price_yuan_per_ton_low,
        quote.price_yuan_per_ton_high,
        quote.moisture,
        quote.goods_condition,
        quote.flag,
        quote.mention,
        yes_no(quote.entity_is_known),
        quote.region,
        quote.price_low,
        quote.price_high,
        unit_name(quote.unit),
        quote.price_change,
        yes_no(quote.is_primary),
        quote.span,
        quote.text_start,
        quote.text_end,
        stored.article_title,
        stored.article_url,
        stored.site,
    ]


def add_article(table: Table, article: ArticleSummary, gone: list[ArticleSummary]) -> None:
    """Add an incomplete or empty article to 数据质量, and a gone one to ``gone``: they come last."""
    if article.is_gone:
        gone.append(article)
    elif not article.is_complete:
        table.append(_incomplete_row(article))
    elif not article.has_text:
        what = "已保存，但正文为空：网站的规则可能没有选中正文"
        table.append(["正文为空", article.title, what, None, article.published, article.url])


def add_gone(table: Table, gone: Iterable[ArticleSummary]) -> None:
    """Add articles that their site no longer serves to 数据质量."""
    for article in gone:
        row = ["文章已下线", article.title, "网站已不再提供", None, article.published, article.url]
        table.append(row)


def _incomplete_row(article: ArticleSummary) -> list[Value]:
    missing = article.missing_urls
    what = "缺页：" + "、".join(missing) if missing else "没有取到任何一页"
    return ["文章不完整", article.title, what, len(missing), article.published, article.url]


def add_flagged(table: Table, stored: StoredQuote) -> None:
    """Add a flagged quote to 数据质量."""
    quote = stored.quote
    what = f"{quote.flag}；原文：{quote.span}" if quote.span else quote.flag
    name = quote.entity or quote.mention
    table.append([DOUBTFUL, name, what, None, quote.date, stored.article_url])


def _add_news(table: Table, news: DailyNews) -> None:
    """Add to 数据质量 all that 今日摘要 has room for the first of: doubts, absences and alarms."""
    for doubt in news.jumps:
        what = f"{doubt.reason}；原文：{doubt.text}" if doubt.text else doubt.reason
        table.append([DOUBTFUL, doubt.entity, what, None, doubt.day, doubt.url])
    for region in news.missing:
        name = f"{region.region}({region.commodity or UNNAMED_COMMODITY})"
        table.append(["今日未报", name, missing_text(region), region.silent_days, region.last, ""])
    for absence in news.absences:
        name = f"{absence.entity}({absence.commodity or UNNAMED_COMMODITY})"
        table.append(["今日未报", name, absence_text(absence), absence.days, absence.last, ""])
    for alarm in news.alarms:
        table.append(["告警", "", alarm.text, None, None, alarm.url])


def close_quality(
    table: Table, facts: QuoteFacts, news: DailyNews | None, notes: Iterable[str]
) -> None:
    """Add to 数据质量 what is known only after the last quote."""
    _add_unknown_entities(table, facts)
    if news:
        _add_news(table, news)
    _add_notes(table, facts, notes)
    table.close()


def _add_unknown_entities(table: Table, facts: QuoteFacts) -> None:
    """Add the entities missing in the alias table, most quoted first, with their last quote."""
    for entity, quotes in facts.unknown.most_common():
        seen = facts.unknown_seen[entity]
        what = f"别名表中没有“{seen.quote.mention}”"
        table.append(["主体未收录", entity, what, quotes, seen.quote.date, seen.article_url])


def _add_notes(table: Table, facts: QuoteFacts, notes: Iterable[str]) -> None:
    """Add the counts that lead from all quotes to those in the matrices."""
    counts = {
        "报价总数": facts.quotes,
        "进入价格矩阵的报价（有日期、有主体、主报价、不存疑）": facts.kept,
        "没有日期的报价": facts.undated,
        "存疑的报价": facts.flagged,
        "非主报价": facts.secondary,
    }
    for what, quotes in counts.items():
        table.append(["统计", "", what, quotes, None, ""])
    for note in notes:
        table.append(["说明", "", note, None, None, ""])
