"""The workbook as a reader gets it: sheets, values, looks."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.worksheet.worksheet import Worksheet

from focuscrawl.price_statistics.price_index import CARRY_DAYS
from focuscrawl.reports.sheets import price_matrix_sheet as matrix
from focuscrawl.reports.sheets import streamed_table as table
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import ArticleSummary, StoredQuote
from tests.reports.invented_quotes import invented_quotes, make_article, make_quote, make_stored

SHEETS = ["今日摘要", "走势", "价格矩阵", "报价明细", "数据质量"]
LAST_DAY = date(2026, 3, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "价格.xlsx"


@pytest.fixture(scope="module")
def year_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workbook of a year of quotes, to be read only."""
    path = tmp_path_factory.mktemp("year") / "x.xlsx"
    write_workbook(path, invented_quotes(400), [])
    return path


@pytest.fixture(scope="module")
def year(year_path: Path) -> openpyxl.Workbook:
    return openpyxl.load_workbook(year_path)


def book(
    path: Path, quotes: Iterable[StoredQuote], articles: Iterable[ArticleSummary] = ()
) -> openpyxl.Workbook:
    write_workbook(path, iter(quotes), iter(articles))
    return openpyxl.load_workbook(path)


def mixed_quotes(days: int = 60) -> list[StoredQuote]:
    """Quotes with everything that the matrix must leave out, and several a day of one entity."""
    quotes = list(invented_quotes(days))
    for number, stored in enumerate(quotes[:120]):
        other = stored.quote
        if number % 10 == 0:
            other = replace(other, flag="超出范围", price_yuan_per_ton_low=Decimal(99))
        elif number % 10 == 1:
            other = replace(other, is_primary=False, price_yuan_per_ton_high=Decimal(9999))
        elif number % 10 == 2:
            other = replace(other, price_yuan_per_ton_high=Decimal(3333))
        elif number % 10 == 3:
            other = replace(other, commodity="小麦")
        quotes.append(replace(stored, quote=other))
    quotes.append(make_stored(make_quote(None, 1)))
    return quotes


def expected_matrix(path: Path, commodity: str) -> pd.DataFrame:
    details = pd.read_excel(path, sheet_name="报价明细")
    kept = details[
        (details["品种"] == commodity)
        & (details["主报价"] == "是")
        & details["存疑原因"].isna()
        & details["日期"].notna()
    ]
    middle = (kept["最低价（元/吨）"] + kept["最高价（元/吨）"]) / 2
    return kept.assign(middle=middle).pivot_table(
        index="主体", columns="日期", values="middle", aggfunc="mean"
    )


@pytest.mark.parametrize(("sheet", "commodity"), [("价格矩阵", "玉米"), ("价格矩阵-小麦", "小麦")])
def test_matrix_equals_a_pivot_of_the_quotes(path: Path, sheet: str, commodity: str) -> None:
    book(path, mixed_quotes())
    written = pd.read_excel(path, sheet_name=sheet).set_index(f"主体（{commodity}，元/吨）")
    prices = written.drop(columns=["省", "市", "类型", "报价\n天数"])
    expected = expected_matrix(path, commodity)
    assert list(prices.columns) == sorted(prices.columns, reverse=True)
    assert set(prices.index) == set(expected.index)
    pd.testing.assert_frame_equal(
        prices.iloc[:, ::-1].astype(float),
        expected.loc[prices.index],
        check_names=False,
        check_column_type=False,
    )
    assert (written["报价\n天数"] == expected.loc[prices.index].notna().sum(axis=1)).all()


def test_regions_stand_together_and_the_unknown_one_last(path: Path) -> None:
    unknown = make_stored(make_quote(entity="新企业", region=""))
    rows = book(path, [*invented_quotes(40), unknown])["价格矩阵"].iter_rows(
        min_row=2, max_col=5, values_only=True
    )
    regions = [(province, -days) for province, _, _, _, days in rows]
    assert regions[-1][0] is None
    assert regions[:-1] == sorted(regions[:-1])


def test_every_field_of_a_quote_is_in_the_details(path: Path) -> None:
    quote = make_quote(
        LAST_DAY,
        entity_is_known=False,
        is_primary=False,
        goods_condition="挂牌",
        price_change=Decimal("-0.015"),
        text_start=12,
        text_end=21,
        flag="超出范围",
        unit="yuan/jin",
        province="山东",
        city="潍坊",
        county="寿光",
        entity_type="firm",
    )
    sheet = book(path, [make_stored(quote)])["报价明细"]
    titles, values = sheet.iter_rows(values_only=True)
    assert dict(zip(titles, values, strict=True)) == {
        "日期": datetime(2026, 3, 2),
        "品种": "玉米",
        "主体": "寿光金玉米",
        "原文名称": "金玉米",
        "已收录": "否",
        "类型": "企业",
        "省": "山东",
        "市": "潍坊",
        "县": "寿光",
        "地区（原文）": "山东",
        "最低价（元/吨）": 2300,
        "最高价（元/吨）": 2320,
        "原文最低价": 1.15,
        "原文最高价": 1.16,
        "原文单位": "元/斤",
        "涨跌（原文单位）": -0.015,
        "水分": "14%",
        "条件": "挂牌",
        "主报价": "否",
        "存疑原因": "超出范围",
        "原文片段": "金玉米1.15-1.16元/斤",
        "起始位置": 12,
        "结束位置": 21,
        "文章标题": "2026-03-02 全国玉米收购价格汇总",
        "文章网址": "http://127.0.0.1/2026-03-02.html",
        "网站": "demo",
    }


def test_dates_are_dates_and_numbers_have_formats(year: openpyxl.Workbook) -> None:
    details, prices, moves = year["报价明细"], year["价格矩阵"], year["走势"]
    assert (details["A2"].is_date, details["A2"].number_format) == (True, "yyyy-mm-dd")
    assert details["H2"].number_format == "#,##0.00"
    assert (prices["F1"].is_date, prices["F1"].number_format) == (True, "yyyy-mm-dd")
    assert {cell.number_format for cell in prices["F"][1:] if cell.value} == {"#,##0"}
    assert (moves["E2"].is_date, moves["G2"].number_format) == (True, "+#,##0;-#,##0;0")
    assert moves["N2"].number_format == "+0.0%;-0.0%;0.0%"


@pytest.mark.parametrize(
    ("title", "pane"), list(zip(SHEETS[1:], ["C2", "F2", "D2", "C2"], strict=True)), ids=SHEETS[1:]
)
def test_panes_filters_and_print_set_up(year: openpyxl.Workbook, title: str, pane: str) -> None:
    sheet = year[title]
    assert sheet.freeze_panes == pane
    assert sheet.auto_filter.ref.startswith("A1:")
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.print_title_rows == "$1:$1"
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.paperSize) == (1, 9)
    assert sheet.page_setup.fitToHeight == (title == "走势")
    assert "&P" in sheet.oddFooter.center.text
    assert "&D" in sheet.oddFooter.right.text
    header = sheet["A1"]
    assert header.font.bold
    assert header.fill.start_color.rgb == "FF1F4E78"


def test_filters_reach_the_last_row_but_not_the_charts_figures(year: openpyxl.Workbook) -> None:
    assert year["报价明细"].auto_filter.ref == f"A1:Z{year['报价明细'].max_row}"
    assert year["走势"].auto_filter.ref.startswith("A1:N")


def test_columns_are_as_wide_as_their_text_up_to_a_limit(path: Path) -> None:
    long_name = "一家名字很长的玉米企业"
    sheet = book(path, [make_stored(make_quote(entity=long_name, span="长" * 200))])["报价明细"]
    assert sheet.column_dimensions["C"].width >= 2 * len(long_name)
    assert sheet.column_dimensions["U"].width == table.MAX_COLUMN_WIDTH
    assert sheet.column_dimensions["A"].width >= len("2026-03-02")


def rows_by(sheet: Worksheet, key: int) -> dict[object, tuple[object, ...]]:
    return {row[key]: row for row in sheet.iter_rows(min_row=2, values_only=True)}


def test_movements_of_a_year(path: Path) -> None:
    prices = {365: 2000, 28: 2100, 7: 2150, 1: 2190, 0: 2200}
    quotes = [
        make_stored(make_quote(LAST_DAY - timedelta(days=back), price))
        for back, price in prices.items()
    ]
    sheet = book(path, [*quotes, make_stored(make_quote(entity="新厂"))])["走势"]
    row = rows_by(sheet, 1)["寿光金玉米"][:14]
    assert row[:6] == ("玉米", "寿光金玉米", "山东", 5, datetime(2026, 3, 2), 2210)
    assert row[6:13:2] == (10, 50, 100, 200)
    assert row[13] == pytest.approx(2210 / 2010 - 1)
    # There is nothing to compare with.
    assert rows_by(sheet, 1)["新厂"][6:14] == (None,) * 8
    assert [sheet.cell(1, column).value for column in (8, 10, 12, 14)] == [
        "日环比",
        "周环比",
        "月环比",
        "同比",
    ]


LINE_COLOUR = re.compile(r' w="22225"><a:solidFill><a:srgbClr val="([0-9A-F]{6})"')


def chart_xml(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("xl/charts/chart"))
        return [archive.read(name).decode() for name in names]


def test_charts_of_entities_and_regions_with_axes_that_show(
    year: openpyxl.Workbook, year_path: Path
) -> None:
    regions, entities = chart_xml(year_path)
    assert "玉米报价最多的 6 个主体" in entities
    assert "玉米地区指数（元/吨）：全部地区" in regions
    for xml in (entities, regions):
        assert "<lineChart>" in xml
        assert xml.count('<delete val="0"') == 2
        assert "元/吨" in xml
        assert len(set(LINE_COLOUR.findall(xml))) == xml.count("<ser>")
    assert entities.count("<ser>") == 6
    assert regions.count("<ser>") == 1 + len({one.quote.region for one in invented_quotes(9)})
    sheet = year["走势"]
    titles = [cell.value for cell in sheet[1]]
    first = titles.index("日期")
    dates = [row[0] for row in sheet.iter_rows(2, min_col=first + 1, values_only=True) if row[0]]
    assert dates == sorted(dates)
    assert len(dates) == 401


def test_the_charted_index_ends_at_the_mean_of_the_newest_day(path: Path) -> None:
    book(path, invented_quotes(30))
    prices = pd.read_excel(path, sheet_name="价格矩阵")
    last_days = prices[prices["省"] == "吉林"].iloc[:, 5 : 5 + CARRY_DAYS + 1].astype(float)
    newest, carried = last_days.iloc[:, 0], last_days.bfill(axis="columns").iloc[:, 0]
    moves = pd.read_excel(path, sheet_name="走势").set_index("日期")
    last = moves.loc["2026-03-02"]
    assert last["吉林主体数"] == 3
    assert last["吉林沿用"] == newest.isna().sum() == 3
    assert last["吉林指数"] == pytest.approx(carried.mean())


def test_data_quality_names_what_is_wrong(path: Path) -> None:
    articles = [
        make_article(1),
        make_article(2, is_complete=False, missing_urls=["http://127.0.0.1/2_2.html"]),
        make_article(3, is_gone=True, is_complete=False, published=None, has_text=False),
        make_article(4, is_complete=False, page_urls=[]),
        make_article(5, has_text=False),
    ]
    quotes = [
        make_stored(make_quote()),
        make_stored(make_quote(flag="高于合理范围")),
        *[make_stored(make_quote(entity="新厂", mention="新厂家", entity_is_known=False))] * 3,
        make_stored(make_quote(None, is_primary=False)),
    ]
    rows = list(book(path, quotes, articles)["数据质量"].iter_rows(min_row=2, values_only=True))
    day, site = datetime(2026, 3, 2), "http://127.0.0.1"
    doubt = "高于合理范围；原文：金玉米1.15-1.16元/斤"
    found = {(row[0], row[1]): row[2:] for row in rows}
    wanted = {
        ("文章不完整", "第2期玉米价格"): (f"缺页：{site}/2_2.html", 1, day, f"{site}/2.html"),
        ("文章不完整", "第4期玉米价格"): ("没有取到任何一页", 0, day, f"{site}/4.html"),
        ("文章已下线", "第3期玉米价格"): ("网站已不再提供", None, None, f"{site}/3.html"),
        ("报价存疑", "寿光金玉米"): (doubt, None, day, f"{site}/2026-03-02.html"),
        ("主体未收录", "新厂"): ("别名表中没有“新厂家”", 3, day, f"{site}/2026-03-02.html"),
    }
    assert found.items() >= wanted.items()
    assert [row[0] for row in rows].count("文章不完整") == 2
    assert [row[5] for row in rows if row[0] == "正文为空"] == [f"{site}/5.html"]
    assert [row[3] for row in rows if row[0] == "统计"] == [6, 4, 1, 1, 1]


@pytest.mark.parametrize("text", ["=1+1", "@A1", "TRUE"])
def test_text_from_the_web_is_never_a_formula(path: Path, text: str) -> None:
    quote = make_quote(
        entity=text, mention=text, region=text, unit=text, commodity=text, entity_is_known=False
    )
    stored = make_stored(quote, article_title=text, article_url=text, site=text)
    loaded = book(path, [stored], [make_article(1, title=text, url=text, is_gone=True)])
    found = [
        cell for sheet in loaded for row in sheet.iter_rows() for cell in row if cell.value == text
    ]
    assert len(found) >= 12
    assert {cell.data_type for cell in found} == {"s"}
    if text != "TRUE":
        bodies = [cell for cell in found if cell.row > 1]
        assert all(cell.quotePrefix for cell in bodies)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                assert b"<f>" not in archive.read(name)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=40), min_size=6, max_size=6))
def test_any_text_comes_back_cleaned(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    entity, mention, region, commodity, flag, title = texts
    quote = make_quote(
        entity=entity, mention=mention, region=region, commodity=commodity, flag=flag, span=title
    )
    stored = [
        make_stored(quote, article_title=title),
        make_stored(replace(quote, flag="", entity_is_known=False)),
    ]
    path = tmp_path_factory.mktemp("any") / "x.xlsx"
    sheet = book(path, stored, [make_article(1, title=title, is_complete=False)])["报价明细"]
    written = [sheet.cell(2, column).value or None for column in (3, 13, 15, 2, 12, 24)]
    assert written == [clean_text(text) or None for text in texts]


def test_no_quotes_make_a_workbook_that_says_so(path: Path) -> None:
    """Flagged ones alone are listed, but not in the matrix."""
    loaded = book(path, [])
    assert loaded.sheetnames == SHEETS
    assert loaded["价格矩阵"]["A2"].value == matrix.NO_QUOTES
    assert "没有可列入" in str(list(loaded["数据质量"].values))
    assert loaded["报价明细"].max_row == 1
    assert chart_xml(path) == []
    loaded = book(path, [make_stored(make_quote(flag="超出范围"))])
    assert loaded["价格矩阵"]["A2"].value == matrix.NO_QUOTES
    assert loaded["报价明细"].max_row == 2


def test_quotes_beyond_a_sheet_go_on_on_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 13)
    quotes = [make_stored(make_quote(LAST_DAY, 2000 + index)) for index in range(25)]
    loaded = book(path, quotes)
    sheets = ["报价明细", "报价明细2", "报价明细3"]
    assert loaded.sheetnames[:7] == [*SHEETS[:3], *sheets, "数据质量"]
    assert [loaded[name].max_row for name in sheets] == [13, 13, 2]
    assert [loaded[name]["A1"].value for name in sheets] == ["日期"] * 3
    prices = [row[7] for name in sheets for row in loaded[name].iter_rows(2, values_only=True)]
    assert prices == [2000 + index for index in range(25)]


def test_too_many_dates_keep_the_newest_and_say_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "MAX_DATES", 10)
    loaded = book(path, invented_quotes(29))
    assert loaded["价格矩阵"].max_column == 15
    assert loaded["价格矩阵"].cell(1, 6).value == datetime(2026, 3, 2)
    assert loaded["价格矩阵"].cell(1, 15).value == datetime(2026, 2, 21)
    assert "玉米：价格矩阵只列最近 10 个日期，共有 30 个" in str(list(loaded["数据质量"].values))


def test_sheet_titles_of_commodities_are_safe_and_distinct(path: Path) -> None:
    names = ["玉米", "玉/米[国标]", "玉?米[国标]", "很长" * 30, ""]
    quotes = [
        make_stored(make_quote(commodity=name))
        for number, name in enumerate(names)
        for _ in range(9 - number)
    ]
    titles = book(path, quotes).sheetnames
    assert titles[2:5] == ["价格矩阵", "价格矩阵-玉_米_国标_", "价格矩阵-玉_米_国标_1"]
    assert len(titles[5]) == 31
    assert titles[6] == "价格矩阵-未注明品种"
