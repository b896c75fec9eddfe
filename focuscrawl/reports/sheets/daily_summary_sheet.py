"""The sheet 今日摘要: one A4 page on the newest day, with alarms and what to confirm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

from focuscrawl.items import StoredQuote
from focuscrawl.reports.daily_digest import Alarm, DailyDigest
from focuscrawl.reports.daily_news import (
    Absence,
    EntityMove,
    Move,
    RegionMove,
    absences,
    biggest_moves,
    region_moves,
)
from focuscrawl.reports.price_figures import PriceFigures, PriceTrends
from focuscrawl.reports.price_index import CARRY_DAYS
from focuscrawl.reports.quote_facts import middle_price
from focuscrawl.reports.sheets.chinese_names import WEEKDAYS
from focuscrawl.reports.sheets.free_page import FreePage, PageCell, Style
from focuscrawl.reports.sheets.price_matrix_sheet import UNNAMED_COMMODITY
from focuscrawl.reports.sheets.worksheets import (
    CHANGE_FORMAT,
    FALL_COLOUR,
    RATIO_FORMAT,
    RISE_COLOUR,
    Sheet,
    set_up_page,
)

SUMMARY_TITLE = "今日摘要"
NO_NEWS = "还没有可用的报价"
MAX_ALARMS, MAX_REGIONS, MAX_MOVES, MAX_ABSENCES = 4, 12, 10, 6
WIDTHS = (21, 13, 9, 9, 8, 9, 8, 48)

_TITLE = Style(size=18, bold=True)
_PLAIN = Style()
_SMALL = Style(size=9, colour="FF595959")
_SECTION = Style(size=12, bold=True, colour="FFFFFFFF", fill="FF1F4E78")
_HEADER = Style(size=9, bold=True, colour="FF1F4E78", fill="FFDDEBF7", horizontal="center")
_TEXT = Style(wrapped=True)
_BESIDE = Style(wrapped=True, indent=1)
_PRICE = Style(number_format="#,##0", horizontal="right")
_ALARM = Style(bold=True, colour=RISE_COLOUR)
_LEGEND = (
    "红色上涨,绿色下跌;“较前日”“较上周”比较前一日、一周前或之前三天内最近的价格;- 为没有可比的价格。单位:元/吨",
    f"指数:一篮子主体逐日平均变动的累计,以最新一日的平均价为准;没有报价的主体沿用最近的价格,最多{CARRY_DAYS}天",
    "存疑:价格不可能正确,不计入指数、走势和价格矩阵;请对照原文核对。蓝色带下划线的文字点击打开原文",
)


def write_summary(
    sheet: Sheet, digest: DailyDigest, figures: PriceFigures, trends: PriceTrends
) -> None:
    """Fill the sheet; every section has a limit, so that the page stays one."""
    set_up_page(sheet, landscape=False, pages_high=1)
    sheet.sheet_view.showGridLines = False
    page = FreePage(sheet, WIDTHS)
    newest = digest.newest
    _write_title(page, digest)
    _write_alarms(page, digest.alarms())
    if newest:
        _write_regions(page, region_moves(trends.indices, newest))
        _write_moves(page, biggest_moves(trends.moved, newest), digest, figures)
        _write_absences(page, absences(figures.daily, newest), figures)
    _write_doubts(page, digest)
    _write_legend(page)
    sheet.print_area = f"A1:H{page.rows}"


def _write_legend(page: FreePage) -> None:
    _section(page, "图例")
    for line in _LEGEND:
        page.add([PageCell(line, _SMALL)])


def _write_title(page: FreePage, digest: DailyDigest) -> None:
    page.add([PageCell(SUMMARY_TITLE, _TITLE)], height=28)
    if digest.newest is None:
        page.add([PageCell(NO_NEWS)])
        return
    entities = len({entity for _, entity in digest.sources})
    text = f"{_day(digest.newest)}:{digest.quotes:,} 个报价,{entities:,} 个主体"
    page.add([PageCell(text, Style(size=12))], height=20)


def _day(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日(星期{WEEKDAYS[day.weekday()]})"


def _section(page: FreePage, title: str, header: Sequence[str] = ()) -> None:
    page.add([PageCell("", _PLAIN)], height=6)
    page.add([PageCell(title, _SECTION), *[PageCell(" ", _SECTION)] * (len(WIDTHS) - 1)], height=18)
    if header:
        page.add([PageCell(text or " ", _HEADER) for text in header])


def _write_alarms(page: FreePage, alarms: Sequence[Alarm]) -> None:
    _section(page, "告警")
    for alarm in alarms[:MAX_ALARMS]:
        page.add([PageCell(alarm.text, _ALARM, alarm.url)])
    _write_rest(page, len(alarms), MAX_ALARMS, "没有告警", "数据质量")


def _write_rest(page: FreePage, number: int, most: int, none: str, elsewhere: str) -> None:
    if number > most:
        page.add([PageCell(f"另有 {number - most:,} 条,见工作表 {elsewhere}", _SMALL)])
    elif not number:
        page.add([PageCell(none, _SMALL)])


_MOVE_HEADER = ("较前日", "日环比", "较上周", "周环比")


def _write_regions(page: FreePage, regions: Sequence[RegionMove]) -> None:
    _section(page, "各地区指数(元/吨)", ("地区", "品种", "指数", *_MOVE_HEADER, "指数中的主体"))
    for region in regions[:MAX_REGIONS]:
        behind = f"{region.entities} 个主体" + (
            f",其中 {region.carried} 个沿用前几日的价格" if region.carried else ""
        )
        names = PageCell(region.region), PageCell(region.commodity or UNNAMED_COMMODITY)
        page.add([*names, *_move_cells(region.move), PageCell(behind, _BESIDE)])
    _write_rest(page, len(regions), MAX_REGIONS, "没有可计算指数的报价", "走势(图的右侧)")


def _move_cells(move: Move) -> list[PageCell]:
    cells = [PageCell(move.price, _PRICE)]
    for change in (move.day, move.week):
        cells.append(_change_cell(change, CHANGE_FORMAT))
        cells.append(_change_cell(move.ratio(change), RATIO_FORMAT))
    return cells


def _change_cell(change: float, number_format: str) -> PageCell:
    if math.isnan(change):
        return PageCell("-", Style(colour="FF7F7F7F", horizontal="right", number_format="@"))
    colour = RISE_COLOUR if change > 0 else FALL_COLOUR if change < 0 else _PRICE.colour
    return PageCell(change, Style(colour=colour, number_format=number_format, horizontal="right"))


def _write_moves(
    page: FreePage, moves: Sequence[EntityMove], digest: DailyDigest, figures: PriceFigures
) -> None:
    _section(page, "涨跌最大", ("主体", "地区", "最新价", *_MOVE_HEADER, "原文"))
    for moved in moves[:MAX_MOVES]:
        source = digest.sources.get((moved.commodity, moved.entity))
        text, url = (source.quote.span, source.article_url) if source else ("", "")
        names = _names(moved.commodity, moved.entity, figures)
        page.add([*names, *_move_cells(moved.move), PageCell(text, _BESIDE, url)])
    _write_rest(page, len(moves), MAX_MOVES, "没有主体的价格变动", "走势")


def _names(commodity: str, entity: str, figures: PriceFigures) -> list[PageCell]:
    """Return the cells of an entity; the commodity stands after it unless it is the main one."""
    is_main = commodity == figures.commodities[0]
    name = entity if is_main else f"{entity}({commodity or UNNAMED_COMMODITY})"
    return [PageCell(name, _TEXT), PageCell(figures.entities["region"][entity], _TEXT)]


def _write_absences(page: FreePage, missing: Sequence[Absence], figures: PriceFigures) -> None:
    _section(page, "今日未报", ("主体", "地区", "最近价", "最近日期", "", "", "", "说明"))
    for absence in missing[:MAX_ABSENCES]:
        text = f"此前 {absence.of} 个报价日中有 {absence.days} 日报价"
        page.add(
            [
                *_names(absence.commodity, absence.entity, figures),
                PageCell(absence.price, _PRICE),
                PageCell(absence.last, Style(number_format="mm-dd", horizontal="center")),
                *[PageCell(None)] * 3,
                PageCell(text, _BESIDE),
            ]
        )
    _write_rest(page, len(missing), MAX_ABSENCES, "经常报价的主体今日都有报价", "价格矩阵")


def _write_doubts(page: FreePage, digest: DailyDigest) -> None:
    _section(page, "存疑报价,请核对", ("主体", "日期", "价格", "存疑原因", "", "", "", "原文"))
    doubts = digest.doubts()
    for stored in doubts:
        page.add(_doubt_cells(stored))
    _write_rest(page, digest.doubtful, len(doubts), "没有存疑的报价", "数据质量")


def _doubt_cells(stored: StoredQuote) -> list[PageCell]:
    quote = stored.quote
    return [
        PageCell(quote.entity or quote.mention, _TEXT),
        PageCell(quote.date, Style(number_format="yyyy-mm-dd")),
        PageCell(middle_price(quote), _PRICE),
        PageCell(quote.flag, Style(size=9, indent=1)),
        *[PageCell(None)] * 3,
        PageCell(quote.span or stored.article_title, _BESIDE, stored.article_url),
    ]
