"""Any small set of quotes, pages, articles and records makes a workbook with all its sheets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import get_args

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focuscrawl.items import EntityType
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.reports.sheets.worksheets import BEIJING
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import StoredQuote
from tests.reports.invented_quotes import make_article, make_quote, make_stored
from tests.stores.record_examples import numbered, page, template_record

SHEETS = ["今日摘要", "走势", "价格矩阵", "报价明细", "数据质量"]
ODD_NAMES = [
    "", " ", "=1+1", "@甲", "\x00", "a\x0bb\ud800", "甲", "乙", "Abc", "aBC", "长" * 60, "走势", "网页", "今日摘要",
    "nan", "None", "0", "价格矩阵", "a/b", "a?b", "'", "History", "山东均价", "未注明地区", "日期",
]  # fmt: skip
names = st.sampled_from(ODD_NAMES) | st.text(max_size=8)
days = st.none() | st.sampled_from([date(2026, 3, 2), date(2026, 3, 1), date(2024, 2, 29)])
any_day = days | st.dates()
prices = (
    st.integers(0, 4000).map(Decimal)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-1, max_value=10**9, places=2)
    | st.sampled_from([Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"), Decimal("1e300")])
)


@st.composite
def stored_quotes(draw: st.DrawFn) -> StoredQuote:
    quote = make_quote(
        draw(any_day),
        commodity=draw(names),
        mention=draw(names),
        entity=draw(names),
        entity_is_known=draw(st.booleans()),
        region=draw(st.sampled_from(["", "山东", "山东潍坊", "吉林"]) | names),
        price_yuan_per_ton_low=draw(prices),
        price_yuan_per_ton_high=draw(prices),
        price_change=draw(st.none() | prices),
        is_primary=draw(st.sampled_from([True, True, True, False])),
        entity_type=draw(st.sampled_from(get_args(EntityType))),
        province=draw(st.sampled_from(["", "山东", "北京"]) | names),
        city=draw(st.sampled_from(["", "潍坊", "北京"]) | names),
        flag=draw(st.sampled_from(["", "", "", "超出范围"])),
    )
    return make_stored(quote, article_title=draw(names), site=draw(names))


def quotes_of(*firms: tuple[str, str]) -> list[StoredQuote]:
    return [make_stored(make_quote(commodity=good, entity=firm)) for good, firm in firms]


BULLETIN = quotes_of(("玉米", "甲"), ("玉米", "乙"), ("豆粕", "丙"), ("豆粕", "丁"))


COLUMNS = [
    "全部地区指数",
    "山东指数",
    *(f"{x}{y}" for x in ("全部地区", "山东") for y in ("主体数", "沿用")),
]


def goods(quotes: Sequence[StoredQuote]) -> set[str]:
    """Return the commodities that have a matrix: those with a quote that counts."""
    return {
        clean_text(quote.commodity)
        for quote in (stored.quote for stored in quotes)
        if quote.date and quote.date <= datetime.now(BEIJING).date()
        if quote.entity and quote.is_primary and not quote.flag
        if quote.price_yuan_per_ton_low.is_finite() and quote.price_yuan_per_ton_high.is_finite()
    }


def written(path: Path, quotes: Sequence[StoredQuote]) -> openpyxl.Workbook:
    assert write_workbook(path, quotes, [make_article(1, is_gone=True)]) == []
    return openpyxl.load_workbook(path)


def test_goods_with_few_firms_beside_others(tmp_path: Path) -> None:
    """Of two goods with two firms each, the charts show those of the first."""
    book = written(tmp_path / "x.xlsx", BULLETIN)
    assert book.sheetnames == [*SHEETS[:3], "价格矩阵-豆粕", *SHEETS[3:]]
    titles = [cell.value for cell in book["走势"][1]]
    assert titles[titles.index("日期") + 1 :] == ["甲", "乙", *COLUMNS]


@settings(max_examples=40, deadline=None)
@given(st.lists(stored_quotes(), max_size=12))
@example(BULLETIN)
@example([])
@example([make_stored(make_quote(date.min))])
def test_any_quotes_make_every_sheet(
    tmp_path_factory: pytest.TempPathFactory, quotes: list[StoredQuote]
) -> None:
    titles = written(tmp_path_factory.mktemp("any") / "x.xlsx", quotes).sheetnames
    assert [title for title in titles if title in SHEETS] == SHEETS
    assert len(titles) == len(SHEETS) + max(len(goods(quotes)) - 1, 0)
    assert len({title.casefold() for title in titles}) == len(titles)
    assert max(map(len, titles)) <= 31


@settings(max_examples=20, deadline=None)
@given(st.lists(names, max_size=4), st.lists(names, max_size=4), st.lists(names, max_size=3))
def test_any_pages_articles_and_records_make_every_sheet(
    tmp_path_factory: pytest.TempPathFactory,
    templates: list[str],
    topics: list[str],
    titles: list[str],
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.xlsx"
    records = [template_record(n, template=name, title=name) for n, name in enumerate(templates)]
    pages = [page(n, topic=name, title=name) for n, name in enumerate(topics)]
    articles = [numbered(n, title=name, published=None) for n, name in enumerate(titles)]
    assert write_workbook(path, [], [], pages, articles, records) == []
    sheets = openpyxl.load_workbook(path).sheetnames
    kinds = bool(pages) + bool(articles) + len(set(templates))
    assert len(sheets) == (kinds or len(SHEETS))
    assert len({sheet.casefold() for sheet in sheets}) == len(sheets)
    assert max(map(len, sheets)) <= 31
