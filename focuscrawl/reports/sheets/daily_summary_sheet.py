"""The sheet 今日摘要: one A4 page on the newest day, with alarms and what to confirm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count

from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

from focuscrawl.price_statistics.price_index import CARRY_DAYS
from focuscrawl.reports.daily_news import (
    Absence,
    DailyDigest,
    DailyNews,
    DigestAlarm,
    EntityMove,
    MissingRegion,
    NewsMove,
    PriceDoubt,
    RegionMove,
    flagged_doubt,
)
from focuscrawl.reports.price_figures import PriceFigures
from focuscrawl.reports.sheets.price_matrix_sheet import UNNAMED_COMMODITY
from focuscrawl.reports.sheets.price_movements_sheet import INDEX_NAME
from focuscrawl.reports.sheets.sheet_cells import WEEKDAYS, Value, display_width, row_xml
from focuscrawl.reports.sheets.worksheets import (
    CHANGE_FORMAT,
    FALL_COLOUR,
    LINK_COLOUR,
    RATIO_FORMAT,
    RISE_COLOUR,
    Sheet,
    add_link,
    is_target,
    set_up_page,
)

# Pages of a workbook whose rows have cells of different styles, as on a printed page.

LINE_POINTS = 15
MAX_LINES = 2


@dataclass(frozen=True, slots=True)
class Style:
    """Look of a cell. ``wrapped`` text takes up to ``MAX_LINES`` lines and is cut then.

    A text that ``is_name`` is cut in its middle, and never to the same text as another one.
    """

    size: float = 10
    bold: bool = False
    colour: str = "FF000000"
    fill: str = ""
    number_format: str = "General"
    horizontal: str = "left"
    wrapped: bool = False
    is_name: bool = False
    indent: int = 0
    underlined: bool = False


@dataclass(frozen=True, slots=True)
class PageCell:
    """A value, its style, and the URL that it leads to ("" if none)."""

    value: Value
    style: Style = Style()
    url: str = ""


class FreePage:
    """Rows written one after the other to a sheet with columns of fixed widths."""

    def __init__(self, sheet: Sheet, widths: Sequence[float]) -> None:
        self.rows = 0
        self._sheet = sheet
        self._widths = widths
        self._letters = [get_column_letter(number) for number in range(1, len(widths) + 1)]
        self._numbers = count(1)
        self._styles: dict[Style, tuple[int, int]] = {}
        self._names: dict[str, str] = {}
        for letter, width in zip(self._letters, widths, strict=True):
            sheet.column_dimensions[letter].width = width

    def add(self, cells: Sequence[PageCell], height: float | None = None) -> None:
        """Add a row; a cell with a link is underlined."""
        self.rows = number = next(self._numbers)
        values, styles, lines = [], [], 1
        for cell, letter, width in zip(cells, self._letters, self._widths, strict=False):
            value, style = cell.value, cell.style
            if style.wrapped and isinstance(value, str):
                cut = self._cut_name if style.is_name else _cut
                value = cut(" ".join(value.split()), int(MAX_LINES * (width - 3)))
                lines = max(lines, -(-display_width(value) // int(width - 3)))
            if is_target(cell.url):
                add_link(self._sheet, f"{letter}{number}", cell.url)
                style = replace(style, colour=LINK_COLOUR, underlined=True)
            values.append(value)
            styles.append(self._numbers_of(style))
        tall = height or LINE_POINTS * lines
        self._sheet.append_row(row_xml(number, values, self._letters, styles, tall))

    def _cut_name(self, name: str, width: int) -> str:
        """Return a name, or its two ends; a number tells apart those of which the ends are the same."""
        for number in count(1):
            suffix = f"({number})" if number > 1 else ""
            found = _cut_middle(name, width - len(suffix)) + suffix
            if self._names.setdefault(found, name) == name:
                return found
        raise AssertionError("count never ends")

    def _numbers_of(self, style: Style) -> tuple[int, int]:
        if style not in self._styles:
            self._styles[style] = _style_numbers(self._sheet, style)
        return self._styles[style]


def _style_numbers(sheet: Sheet, style: Style) -> tuple[int, int]:
    """Return the number of the style, and that of the same for text that looks like a formula."""
    found = []
    for is_like_formula in (False, True):
        cell = WriteOnlyCell(sheet)
        cell.font = Font(
            name="Calibri",
            sz=style.size,
            bold=style.bold,
            color=style.colour,
            underline="single" if style.underlined else None,
        )
        if style.fill:
            cell.fill = PatternFill("solid", start_color=style.fill)
        cell.alignment = Alignment(
            horizontal=style.horizontal,
            vertical="center",
            wrap_text=style.wrapped,
            indent=style.indent,
        )
        cell.number_format = "@" if is_like_formula else style.number_format
        if is_like_formula:
            cell.quotePrefix = True
        found.append(cell.style_id)
    return found[0], found[1]


def _cut(text: str, width: int) -> str:
    """Return the text, or its beginning with a mark if it is wider than ``width`` half-width columns."""
    if display_width(text) <= width:
        return text
    text = text[:width]
    while display_width(text) > width - 2:
        text = text[:-1]
    return f"{text}…"


def _cut_middle(text: str, width: int) -> str:
    if display_width(text) <= width:
        return text
    half = (width - 2) // 2
    end = text[-half:]
    while display_width(end) > half:
        end = end[1:]
    return _cut(text, width - display_width(end)) + end


SUMMARY_TITLE = "今日摘要"
NO_NEWS = "还没有可用的报价"
MAX_COMMODITIES, MAX_ALARMS, MAX_REGIONS, MAX_MOVES, MAX_ABSENCES, MAX_DOUBTS = 3, 4, 12, 10, 6, 6
MAX_MISSING = 3
WIDTHS = (21, 13, 9, 9, 8, 9, 8, 48)

_TITLE = Style(size=18, bold=True)
_PLAIN = Style()
_DATED = Style(size=12)
_SMALL = Style(size=9, colour="FF595959")
_SECTION = Style(size=12, bold=True, colour="FFFFFFFF", fill="FF1F4E78")
_HEADER = Style(size=9, bold=True, colour="FF1F4E78", fill="FFDDEBF7", horizontal="center")
_TEXT = Style(wrapped=True, is_name=True)
_BESIDE = Style(wrapped=True, indent=1)
_PRICE = Style(number_format="#,##0", horizontal="right")
_ALARM = Style(bold=True, colour=RISE_COLOUR)
_LEGEND = (
    "红色上涨，绿色下跌；“较前日”“较上周”比较前一日、一周前或之前三天内最近的价格；- 为没有可比的价格。单位：元/吨",
    f"指数：一篮子主体逐日平均变动的累计，以最新一日的平均价为准；没有报价的主体沿用最近的价格，最多{CARRY_DAYS}天（停报期间除外）",
    "存疑：价格不可能正确，不计入指数、走势和价格矩阵；与前后报价相差过大的不计入指数和涨跌最大；请对照原文核对。蓝色带下划线的文字点击打开原文",
)


def write_summary(
    sheet: Sheet, digest: DailyDigest, figures: PriceFigures, news: DailyNews
) -> None:
    """Fill the sheet; every section has a limit, so that the page stays one."""
    set_up_page(sheet, landscape=False, pages_high=1)
    sheet.sheet_view.showGridLines = False
    page = FreePage(sheet, WIDTHS)
    _write_title(page, digest, news, figures)
    _write_alarms(page, news.alarms)
    if news.days:
        newest = max(news.days.values())
        _write_regions(page, news.regions, newest)
        _write_moves(page, news.moves, figures, newest)
        _write_absences(page, news.missing, news.absences, figures)
    _write_doubts(page, digest, news)
    _write_legend(page)
    sheet.print_area = f"A1:H{page.rows}"


def _write_legend(page: FreePage) -> None:
    _section(page, "图例")
    for line in _LEGEND:
        page.add([PageCell(line, _SMALL)])


def _write_title(
    page: FreePage, digest: DailyDigest, news: DailyNews, figures: PriceFigures
) -> None:
    page.add([PageCell(SUMMARY_TITLE, _TITLE)], height=28)
    if not news.days:
        page.add([PageCell(NO_NEWS)])
        return
    newest = max(news.days.values())
    if len({*news.days.values()}) == 1:
        page.add([PageCell(_counted(newest, [*news.days], digest, figures), _DATED)], height=20)
        return
    # Each on its own: news of one commodity would hide that those of another are late.
    for commodity, day in [*news.days.items()][:MAX_COMMODITIES]:
        late = f"，比最新日期早 {(newest - day).days:,} 天" if day < newest else ""
        text = _counted(day, [commodity], digest, figures)
        page.add([PageCell(f"{commodity or UNNAMED_COMMODITY}：{text}{late}", _DATED)], height=20)
    _write_rest(page, len(news.days), MAX_COMMODITIES, "", "走势")


def _counted(
    day: date, commodities: Sequence[str], digest: DailyDigest, figures: PriceFigures
) -> str:
    own = [digest.commodities[name] for name in commodities]
    entities = {figures.names[series] for one in own for series in one.sources}
    quotes = sum(one.quotes for one in own)
    return f"{_day(day)}：{quotes:,} 个报价，{len(entities):,} 个主体"


def _day(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日（星期{WEEKDAYS[day.weekday()]}）"


def _section(page: FreePage, title: str, header: Sequence[str] = ()) -> None:
    page.add([PageCell("", _PLAIN)], height=6)
    page.add([PageCell(title, _SECTION), *[PageCell(" ", _SECTION)] * (len(WIDTHS) - 1)], height=18)
    if header:
        page.add([PageCell(text or " ", _HEADER) for text in header])


def _write_alarms(page: FreePage, alarms: Sequence[DigestAlarm]) -> None:
    _section(page, "告警")
    for alarm in alarms[:MAX_ALARMS]:
        page.add([PageCell(alarm.text, _ALARM, alarm.url)])
    _write_rest(page, len(alarms), MAX_ALARMS, "没有告警", "数据质量")


def _write_rest(page: FreePage, number: int, most: int, none: str, elsewhere: str) -> None:
    if number > most:
        page.add([PageCell(f"另有 {number - most:,} 条，见工作表 {elsewhere}", _SMALL)])
    elif not number:
        page.add([PageCell(none, _SMALL)])


_MOVE_HEADER = ("较前日", "日环比", "较上周", "周环比")


def _write_regions(page: FreePage, regions: Sequence[RegionMove], newest: date) -> None:
    _section(page, "各地区指数（元/吨）", ("地区", "品种", "指数", *_MOVE_HEADER, "指数中的主体"))
    for region in regions[:MAX_REGIONS]:
        behind = f"{region.entities} 个主体" + (
            f"，其中 {region.carried} 个沿用前几日的价格" if region.carried else ""
        )
        text = _since(region.day, newest) + behind
        names = PageCell(region.region, _TEXT), PageCell(region.commodity or UNNAMED_COMMODITY)
        page.add([*names, *_move_cells(region.move), PageCell(text, _BESIDE)])
    elsewhere = f"走势（主体为“{INDEX_NAME}”的行）"
    _write_rest(page, len(regions), MAX_REGIONS, "没有可计算指数的报价", elsewhere)


def _since(day: date, newest: date) -> str:
    """Return the day of a row if it is not the newest one of the page."""
    return f"{day}：" if day < newest else ""


def _move_cells(move: NewsMove) -> list[PageCell]:
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
    page: FreePage, moves: Sequence[EntityMove], figures: PriceFigures, newest: date
) -> None:
    _section(page, "涨跌最大", ("主体", "地区", "最新价", *_MOVE_HEADER, "原文"))
    for moved in moves[:MAX_MOVES]:
        source = moved.source
        text, url = (source.quote.span, source.article_url) if source else ("", "")
        names = _names(moved.commodity, moved.entity, figures)
        cell = PageCell(_since(moved.day, newest) + text, _BESIDE, url)
        page.add([*names, *_move_cells(moved.move), cell])
    _write_rest(page, len(moves), MAX_MOVES, "没有主体的价格变动", "走势")


def _names(commodity: str, entity: str, figures: PriceFigures) -> list[PageCell]:
    """Return the cells of an entity; the commodity stands after it unless it is the main one."""
    name = _named(entity, commodity, figures)
    return [PageCell(name, _TEXT), PageCell(figures.entities["region"][entity], _TEXT)]


def _named(text: str, commodity: str, figures: PriceFigures) -> str:
    is_main = commodity == figures.commodities[0]
    return text if is_main else f"{text}({commodity or UNNAMED_COMMODITY})"


def _write_absences(
    page: FreePage,
    missing: Sequence[MissingRegion],
    absent: Sequence[Absence],
    figures: PriceFigures,
) -> None:
    _section(page, "今日未报", ("主体", "地区", "最近价", "最近日期", "", "", "", "说明"))
    regions = missing[: max(MAX_MISSING, MAX_ABSENCES - len(absent))]
    for region in regions:
        names = [PageCell(_named(INDEX_NAME, region.commodity, figures), _TEXT)]
        names.append(PageCell(region.region, _TEXT))
        page.add(_absence_cells(names, region.price, region.last, missing_text(region)))
    for absence in absent[: MAX_ABSENCES - len(regions)]:
        own = _names(absence.commodity, absence.entity, figures)
        page.add(_absence_cells(own, absence.price, absence.last, absence_text(absence)))
    none = "经常报价的主体今日都有报价"
    _write_rest(page, len(missing) + len(absent), MAX_ABSENCES, none, "数据质量")


def missing_text(region: MissingRegion) -> str:
    """Return the sentence about a region without quotes."""
    return f"该地区已 {region.silent_days:,} 天没有计入指数的报价，没有指数"


def absence_text(absence: Absence) -> str:
    """Return the sentence about an entity without a quote on the newest day."""
    return f"此前 {absence.of} 个报价日中有 {absence.days} 日报价"


def _absence_cells(names: list[PageCell], price: float, last: date, text: str) -> list[PageCell]:
    day = PageCell(last, Style(number_format="mm-dd", horizontal="center"))
    return [*names, PageCell(price, _PRICE), day, *[PageCell(None)] * 3, PageCell(text, _BESIDE)]


def _write_doubts(page: FreePage, digest: DailyDigest, news: DailyNews) -> None:
    _section(page, "存疑报价，请核对", ("主体", "日期", "价格", "存疑原因", "", "", "", "原文"))
    doubts = [*map(flagged_doubt, digest.doubts()), *news.jumps]
    doubts.sort(key=lambda doubt: doubt.day or date.min, reverse=True)
    for doubt in doubts[:MAX_DOUBTS]:
        page.add(_doubt_cells(doubt))
    number = digest.doubtful + len(news.jumps)
    _write_rest(page, number, MAX_DOUBTS, "没有存疑的报价", "数据质量")


def _doubt_cells(doubt: PriceDoubt) -> list[PageCell]:
    return [
        PageCell(doubt.entity, _TEXT),
        PageCell(doubt.day, Style(number_format="yyyy-mm-dd")),
        PageCell(doubt.price, _PRICE),
        PageCell(doubt.reason, Style(size=9, indent=1)),
        *[PageCell(None)] * 3,
        PageCell(doubt.text, _BESIDE, doubt.url),
    ]
