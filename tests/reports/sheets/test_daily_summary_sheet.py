"""今日摘要: what a reader finds on the first page."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from focuscrawl.reports.daily_news import MAX_DOUBTFUL
from focuscrawl.reports.sheets import daily_summary_sheet as summary
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import ArticleSummary, StoredQuote
from tests.reports.invented_quotes import invented_quotes, make_article, make_quote, make_stored

TODAY = date(2026, 3, 2)


def page(
    folder: Path,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary] = (),
    today: date = TODAY,
) -> Worksheet:
    in_order = sorted(quotes, key=lambda stored: stored.quote.date or today)
    assert write_workbook(folder / "x.xlsx", in_order, articles, today=today) == []
    book = openpyxl.load_workbook(folder / "x.xlsx")
    assert book.sheetnames[0] == "今日摘要"
    return book["今日摘要"]


def section(sheet: Worksheet, title: str) -> list[tuple[Any, ...]]:
    """Return the rows of a section below its header."""
    rows = [row for row in sheet.iter_rows(values_only=True) if any(row)]
    start = next(n for n, row in enumerate(rows) if row[0] == title) + 1
    found = []
    for row in rows[start:]:
        if row[1] == " ":
            break
        found.append(row)
    return found[1:] if title != "告警" else found


def prices(entity: str, *values: int, last: date = TODAY, **fields: Any) -> list[StoredQuote]:
    """Return quotes of the days up to ``last``, one a day, 0 for none."""
    first = last - timedelta(days=len(values) - 1)
    days = [(first + timedelta(days=n), value) for n, value in enumerate(values)]
    return [
        make_stored(make_quote(day, value, entity=entity, span=f"{entity}{value}", **fields))
        for day, value in days
        if value
    ]


def test_the_biggest_moves_come_first_with_their_sentence_and_link(tmp_path: Path) -> None:
    quotes = [*prices("甲", 2000, 2010), *prices("乙", 2000, 1900), *prices("丙", 2000, 2000)]
    quotes += prices("丁", 2000, 2500, last=TODAY - timedelta(days=1))
    sheet = page(tmp_path, quotes)
    moves = section(sheet, "涨跌最大")
    assert [(row[0], row[3], row[7]) for row in moves] == [
        ("乙", -100, "乙1900"),
        ("甲", 10, "甲2010"),
    ]
    (cell,) = (cell for row in sheet.iter_rows() for cell in row if cell.value == "乙1900")
    assert cell.hyperlink.target == "http://127.0.0.1/2026-03-02.html"


def test_every_region_has_its_index_and_the_entities_behind_it(tmp_path: Path) -> None:
    place = {"province": "山东", "city": "潍坊"}
    quotes = [
        *prices("甲", *[2000] * 7, 2010, **place),
        *prices("乙", *[2100] * 7, 0, **place),
        *prices("均价", *[9000] * 7, 9500, entity_type="average", **place),
        *prices("港", *[2200] * 8, region="", entity_type="port"),
    ]
    regions = section(page(tmp_path, quotes), "各地区指数（元/吨）")
    assert [row[0] for row in regions] == ["全部地区", "山东潍坊"]
    # (2020 + 2110) / 2, and half of the rise of one of two.
    assert regions[1][1:4] == ("玉米", 2065, 5)
    assert regions[1][5] == 5
    assert regions[1][7] == "2 个主体，其中 1 个沿用前几日的价格"


def test_who_quoted_on_most_days_but_not_today_is_named(tmp_path: Path) -> None:
    quotes = [
        *prices("甲", *[2000] * 12),
        *prices("缺", *[2100] * 11, 0),
        *prices("少", *[0] * 7, *[2100] * 4, 0),
        *prices("走", *[2100] * 2, *[0] * 10),
    ]
    missing = section(page(tmp_path, quotes), "今日未报")
    assert [row[0] for row in missing] == ["缺"]
    assert missing[0][2] == 2110
    assert missing[0][3].date() == TODAY - timedelta(days=1)
    assert missing[0][7] == "此前 10 个报价日中有 10 日报价"


def test_doubtful_prices_are_the_newest_with_reason_and_link(tmp_path: Path) -> None:
    quotes = [
        make_stored(make_quote(TODAY - timedelta(days=20 - n), entity=f"厂{n}", flag="太高"))
        for n in range(20)
    ]
    rows = section(page(tmp_path, quotes), "存疑报价，请核对")
    assert [row[0] for row in rows[:-1]] == [f"厂{19 - n}" for n in range(MAX_DOUBTFUL)]
    assert (rows[0][2], rows[0][3], rows[0][7]) == (2310, "太高", "金玉米1.15-1.16元/斤")
    assert rows[-1][0] == "另有 14 条，见工作表 数据质量"


def test_alarms_name_sites_without_news_and_incomplete_articles(tmp_path: Path) -> None:
    old = TODAY - timedelta(days=4)
    articles = [
        make_article(1, published=old),
        make_article(2, published=old, is_complete=False, title="缺页的"),
        make_article(3, published=TODAY, is_complete=False, title="新的缺页的"),
        make_article(4, site="fresh", published=TODAY - timedelta(days=3)),
        make_article(5, site="gone", published=date(2020, 1, 1), is_gone=True),
    ]
    sheet = page(tmp_path, [], articles)
    assert [row[0] for row in section(sheet, "告警")] == [
        "demo：2026-02-26 以后没有新的文章和报价，已 4 天",
        "demo：2 篇文章不完整，最近一篇：新的缺页的",
    ]
    (cell,) = (row[0] for row in sheet.iter_rows() if str(row[0].value).endswith("新的缺页的"))
    assert cell.hyperlink.target == "http://127.0.0.1/3.html"
    assert [row[0] for row in section(page(tmp_path, [], articles[3:]), "告警")] == ["没有告警"]


def test_a_date_in_the_future_is_an_alarm_and_hides_no_move_of_its_entity(tmp_path: Path) -> None:
    quotes = [*prices("甲", 2000, 2010), *prices("甲", 2110, last=date(2027, 3, 2))]
    sheet = page(tmp_path, quotes)
    assert sheet["A2"].value == "2026年3月2日（星期一）：1 个报价，1 个主体"
    assert [row[0] for row in section(sheet, "告警")] == [
        "1 个报价的日期晚于今天（2026-03-02），未列入各表的走势和指数"
    ]
    assert section(sheet, "各地区指数（元/吨）")[0][2:4] == (2020, 10)
    (move,) = section(sheet, "涨跌最大")
    assert (move[0], move[3]) == ("甲", 10)
    header = [cell.value for cell in openpyxl.load_workbook(tmp_path / "x.xlsx")["价格矩阵"][1]]
    assert datetime(2027, 3, 2) not in header


def test_other_commodities_are_named(tmp_path: Path) -> None:
    quotes = [*prices("甲", 2000, 2010, 2010), *prices("乙", 0, 3000, 3300, commodity="豆粕")]
    sheet = page(tmp_path, quotes)
    assert [row[0] for row in section(sheet, "涨跌最大")] == ["乙(豆粕)"]
    regions = section(sheet, "各地区指数（元/吨）")
    assert [row[:3] for row in regions] == [
        ("全部地区", "玉米", 2020),
        ("全部地区", "豆粕", 3310),
        ("山东", "玉米", 2020),
        ("山东", "豆粕", 3310),
    ]


def quality(folder: Path) -> list[tuple[Any, ...]]:
    return [*openpyxl.load_workbook(folder / "x.xlsx")["数据质量"].iter_rows(2, values_only=True)]


def test_all_alarms_and_absences_are_in_the_sheet_that_the_summary_names(tmp_path: Path) -> None:
    quotes = [*prices("甲", *[2000] * 12), *prices("乙", *[3000] * 12, commodity="豆粕")]
    for number in range(9):
        quotes += prices(f"缺{number}", *[2000] * 11, 0, commodity="豆粕" if number > 6 else "玉米")
    old = TODAY - timedelta(days=30)
    articles = [make_article(n, site=f"s{n}", published=old) for n in range(7)]
    sheet = page(tmp_path, quotes, articles)
    assert section(sheet, "告警")[-1][0] == "另有 3 条，见工作表 数据质量"
    assert section(sheet, "今日未报")[-1][0] == "另有 3 条，见工作表 数据质量"
    rows = quality(tmp_path)
    silent = [row[2] for row in rows if row[0] == "告警"]
    assert [text.split("：")[0] for text in silent] == [f"s{n}" for n in range(7)]
    absent = {row[1] for row in rows if row[0] == "今日未报"}
    assert absent == {f"缺{n}({'豆粕' if n > 6 else '玉米'})" for n in range(9)}


def test_every_index_is_in_the_sheet_that_the_summary_names(tmp_path: Path) -> None:
    goods = ["玉米", "小麦", "豆粕", "高粱", "大豆"]
    quotes = []
    for place, commodity in enumerate(goods):
        for number in range(45 if place == 0 else 1):
            city = {"province": "省", "city": f"市{number}"}
            own = prices(f"企业{number}", 2000 + place, 2010 + place, commodity=commodity, **city)
            quotes += own * (1 if place else 2)
    regions = section(page(tmp_path, quotes), "各地区指数（元/吨）")
    assert [row[:2] for row in regions[:3]] == [("全部地区", name) for name in goods[:3]]
    # 5 commodities as a whole, 45 cities of the first and one of each other.
    assert regions[-1][0] == "另有 42 条，见工作表 走势（主体为“地区指数”的行）"
    table = openpyxl.load_workbook(tmp_path / "x.xlsx")["走势"].iter_rows(2, values_only=True)
    rows = [row[:7] for row in table if row[1] == "地区指数"]
    assert len(rows) == 54
    day = datetime(2026, 3, 2)
    assert ("大豆", "地区指数", "省市0", 2, day, 2024, 10) in rows
    assert ("玉米", "地区指数", "省市44", 2, day, 2020, 10) in rows


@pytest.mark.parametrize("has_averages", [False, True])
def test_a_region_in_which_nobody_quotes_any_more_is_missing(
    tmp_path: Path, has_averages: bool
) -> None:
    """Averages do not count."""
    place = {"province": "山东", "city": "莱芜"}
    quotes = prices("甲", *[2000] * 20)
    for name in "乙丙":
        quotes += prices(name, *[1900] * 8, *[0] * 12, **place)
    if has_averages:
        quotes += prices("莱芜", *[1900] * 20, entity_type="average", **place)
    sheet = page(tmp_path, quotes)
    assert "山东莱芜" not in [row[0] for row in section(sheet, "各地区指数（元/吨）")]
    (missing,) = section(sheet, "今日未报")
    assert (missing[0], missing[1], missing[2]) == ("地区指数", "山东莱芜", 1910)
    assert missing[3].date() == TODAY - timedelta(days=12)
    assert missing[7] == "该地区已 12 天没有计入指数的报价，没有指数"
    assert ("今日未报", "山东莱芜(玉米)") in [row[:2] for row in quality(tmp_path)]


def test_a_newer_quote_of_another_commodity_hides_nothing(tmp_path: Path) -> None:
    late = TODAY - timedelta(days=2)
    quotes = prices("甲", *[2000] * 9, 2010, last=late) + prices("缺", *[2000] * 9, 0, last=late)
    quotes += prices("乙", 3000, 3300, commodity="豆粕")
    sheet = page(tmp_path, quotes)
    assert (
        sheet["A2"].value == "玉米：2026年2月28日（星期六）：1 个报价，1 个主体，比最新日期早 2 天"
    )
    assert sheet["A3"].value == "豆粕：2026年3月2日（星期一）：1 个报价，1 个主体"
    regions = section(sheet, "各地区指数（元/吨）")
    assert [(row[0], row[1], row[7]) for row in regions[:2]] == [
        ("全部地区", "玉米", "2026-02-28：2 个主体，其中 1 个沿用前几日的价格"),
        ("全部地区", "豆粕", "1 个主体"),
    ]
    moves = {row[0]: row[7] for row in section(sheet, "涨跌最大")}
    assert moves == {"乙(豆粕)": "乙3300", "甲": "2026-02-28：甲2010"}
    assert [row[0] for row in section(sheet, "今日未报")] == ["缺"]


def test_moves_of_a_commodity_that_nobody_quotes_any_more_are_no_news(tmp_path: Path) -> None:
    quotes = prices("乙", 3000, 3300, commodity="豆粕", last=TODAY - timedelta(days=40))
    sheet = page(tmp_path, [*quotes, *prices("甲", 2000, 2000, 2010)])
    assert [row[0] for row in section(sheet, "涨跌最大")] == ["甲"]
    assert sheet["A3"].value.endswith("比最新日期早 40 天")


def test_many_commodities_that_differ_in_their_newest_day_leave_the_page_one(
    tmp_path: Path,
) -> None:
    quotes = [
        one
        for n in range(6)
        for one in prices("甲", 2000, 2010, commodity=f"货{n}", last=TODAY - timedelta(days=n))
    ]
    sheet = page(tmp_path, quotes)
    assert sheet["A5"].value == "另有 3 条，见工作表 走势"


def test_a_price_far_from_those_before_is_to_be_confirmed_and_no_move(tmp_path: Path) -> None:
    quotes = [*prices("甲", *[2000] * 8, 20000), *prices("乙", *[2000] * 8, 2010)]
    sheet = page(tmp_path, quotes)
    assert [row[0] for row in section(sheet, "涨跌最大")] == ["乙"]
    (doubt,) = section(sheet, "存疑报价，请核对")
    reason = "与前后7次报价相差过大（中位数 2,010 元/吨），不计入指数"
    assert (doubt[0], doubt[2], doubt[3], doubt[7]) == ("甲", 20010, reason, "甲20000")
    (cell,) = (cell for row in sheet.iter_rows() for cell in row if cell.value == "甲20000")
    assert cell.hyperlink.target == "http://127.0.0.1/2026-03-02.html"
    assert section(sheet, "各地区指数（元/吨）")[0][2] == 2015
    (row,) = (row for row in quality(tmp_path) if row[0] == "报价存疑")
    assert row[1:3] == ("甲", f"{reason}；原文：甲20000")


def test_a_doubtful_price_of_the_day_before_makes_no_move_of_today(tmp_path: Path) -> None:
    quotes = [*prices("甲", *[2000] * 7, 20000, 2030), *prices("乙", *[2000] * 8, 2010)]
    moves = section(page(tmp_path, quotes), "涨跌最大")
    assert [(row[0], row[2], row[3]) for row in moves] == [("甲", 2040, 30), ("乙", 2020, 10)]


def test_the_sentence_of_a_doubtful_day_is_that_of_its_odd_quote(tmp_path: Path) -> None:
    for first, second, odd in ((2000, 20000, 20000), (20000, 2000, 20000), (2000, 200, 200)):
        quotes = prices("甲", *[2000] * 8, first) + prices("甲", second)
        (doubt,) = section(page(tmp_path, quotes), "存疑报价，请核对")
        assert doubt[7] == f"甲{odd}"


def test_changes_from_prices_below_zero_have_no_ratio(tmp_path: Path) -> None:
    sheet = page(tmp_path, prices("甲", -2000, 1000))
    assert section(sheet, "各地区指数（元/吨）")[0][3:5] == (3000, "-")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert {row[7] for row in book["走势"].iter_rows(min_row=2, values_only=True)} == {None}


def test_names_that_are_cut_stay_different(tmp_path: Path) -> None:
    long = "一家名字很长很长很长很长很长很长的玉米企业"
    names = [long + end for end in ("一厂", "二厂")]
    names += [f"{long}{middle}{long}" for middle in ("甲", "乙")]
    quotes = [one for n, name in enumerate(names) for one in prices(name, 2000, 2010 + n)]
    moves = [row[0] for row in section(page(tmp_path, quotes), "涨跌最大")]
    assert len({*moves}) == 4
    assert {name[-2:] for name in moves} >= {"一厂", "二厂"}


def test_it_prints_on_one_page_whatever_there_is(tmp_path: Path) -> None:
    quotes = list(invented_quotes(30))
    for number in range(60):
        quotes += prices(
            f"企业{number}", *[2000] * 9, 2000 + number, province="省", city=f"市{number}"
        )
        quotes += prices(f"缺{number}", *[2000] * 9, 0)
        quotes.append(make_stored(make_quote(flag="太高", span="长" * 5000), site=f"s{number}"))
    articles = [make_article(n, site=f"s{n}", is_complete=False) for n in range(60)]
    sheet = page(tmp_path, quotes, articles)
    assert len(section(sheet, "告警")) == summary.MAX_ALARMS + 1
    assert len(section(sheet, "各地区指数（元/吨）")) == summary.MAX_REGIONS + 1
    assert len(section(sheet, "涨跌最大")) == summary.MAX_MOVES + 1
    assert len(section(sheet, "今日未报")) == summary.MAX_ABSENCES + 1
    assert len(section(sheet, "图例")) > 1
    heights = [sheet.row_dimensions[row].height for row in range(1, sheet.max_row + 1)]
    # A4 upright less its margins, in points: the type stays legible.
    points_high = (297 - 33) / 25.4 * 72
    assert points_high / sum(heights) > 0.65
    assert (sheet.page_setup.orientation, sheet.page_setup.paperSize) == ("portrait", 9)
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (1, 1)
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert sheet.print_area == f"'今日摘要'!$A$1:$H${sheet.max_row}"


def test_without_quotes_it_says_so(tmp_path: Path) -> None:
    sheet = page(tmp_path, [])
    assert sheet["A2"].value == summary.NO_NEWS
    assert section(sheet, "存疑报价，请核对")[0][0] == "没有存疑的报价"
