"""Prices of other days, of earlier years, and of the same day's morning."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.prices import read_quotes

DAY = date(2026, 3, 4)


def read(text: str, title: str = "山东玉米价格") -> list[str]:
    """Return each quote of some confidence as day, entity, price, change, whether it is primary and flagged."""
    return [
        f"{q.date:%m-%d} {q.entity[:4]} {q.price_yuan_per_ton_low:f}"
        + (f" {q.price_change:+f}" if q.price_change else "")
        + ("" if q.is_primary else " *")
        + ("!" if q.flag else "")
        for q in read_quotes(text, title=title, day=DAY, threshold=0.6)
        if q.date
    ]


@pytest.mark.parametrize(
    "old",
    [
        "2025年同期寿光金玉米2400元/吨。",
        "2025年同期，寿光金玉米2400元/吨，诸城兴贸2420元/吨。",
        "去年同期，寿光金玉米2400元/吨。",
        "25年同期寿光金玉米2400元/吨。",
        "二〇二五年同期寿光金玉米2400元/吨。",
        "2024年11月寿光金玉米2400元/吨。",
        "2025年度寿光金玉米均价2400元/吨。",
        "2025-03-04寿光金玉米2400元/吨。",
        "2025年12月寿光金玉米2400元/吨。",
    ],
)
def test_prices_of_earlier_years_are_left_out(old: str) -> None:
    now = "今日寿光金玉米2280元/吨，诸城兴贸2300元/吨。"
    assert read(old + now) == ["03-04 寿光金玉 2280", "03-04 诸城兴贸 2300"]


@pytest.mark.parametrize(
    "text",
    [
        "2025年产玉米寿光金玉米2280元/吨。",
        "2025年新玉米寿光金玉米2280元/吨。",
        "2026年3月4日寿光金玉米2280元/吨。",
        "2026年3月寿光金玉米2280元/吨。",
    ],
)
def test_a_crop_and_the_present_are_not_of_earlier_years(text: str) -> None:
    assert read(text) == ["03-04 寿光金玉 2280"]


def test_the_turn_of_the_year() -> None:
    text = "2025年12月31日寿光金玉米2280元/吨，诸城兴贸2300元/吨。"
    quotes = read_quotes(text, title="玉米价格", day=date(2026, 1, 2))
    assert [q.date for q in quotes] == [date(2025, 12, 31)] * 2


@pytest.mark.parametrize(
    "text",
    [
        "日期\t企业\t价格\n2026-03-04\t寿光金玉米\t2280\n2026-03-03\t寿光金玉米\t2270\n单位：元/吨",
        "企业\t价格\t报价日期\n寿光金玉米\t2280\t3月4日\n寿光金玉米\t2270\t03-03\n单位：元/吨",
        "寿光金玉米\t2280元/吨\t2026/3/4\n寿光金玉米\t2270元/吨\t2026/3/3",
        "3月4日 寿光金玉米2280元/吨\n3月3日 寿光金玉米2270元/吨",
        "2026-03-04：寿光金玉米2280元/吨\n【2026-03-03】寿光金玉米2270元/吨",
    ],
)
def test_a_row_or_line_with_a_day_is_of_that_day(text: str) -> None:
    assert read(text) == ["03-04 寿光金玉 2280", "03-03 寿光金玉 2270"]


def test_a_day_in_a_line_that_is_not_that_of_its_prices() -> None:
    text = "3月1日起寿光金玉米执行2280元/吨。\n寿光金玉米2280元/吨，收购至3月1日。\n3月2日-3月4日，寿光金玉米2280元/吨。"
    assert {line[:5] for line in read(text)} == {"03-04"}


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        # The price that is no longer in force has a flag.
        (
            "诸城兴贸早间2300元/吨，午后下调20元至2280元/吨。",
            ["诸城兴贸 2300!", "诸城兴贸 2280 -20"],
        ),
        (
            "诸城兴贸上午2300元/吨，下午下调20元至2280元/吨。",
            ["诸城兴贸 2300!", "诸城兴贸 2280 -20"],
        ),
        (
            "诸城兴贸早间报2300元/吨，午后降20元，执行2280元/吨。",
            ["诸城兴贸 2300 *", "诸城兴贸 2280 -20"],
        ),
        ("诸城兴贸早间2300元/吨，午后2280元/吨。", ["诸城兴贸 2300 *", "诸城兴贸 2280"]),
        (
            "诸城兴贸上午2300元/吨；下午2280元/吨，下调20元/吨。",
            ["诸城兴贸 2300 *", "诸城兴贸 2280 -20"],
        ),
        ("诸城兴贸早间2300元/吨，午后下调20元/吨。", ["诸城兴贸 2300 -20!"]),
    ],
)
def test_the_price_of_the_afternoon_is_the_one_in_force(text: str, quotes: list[str]) -> None:
    found = read(text + "昌乐盛泰2290元/吨。")
    assert found == [f"03-04 {quote}" for quote in [*quotes, "昌乐盛泰 2290"]]


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("青岛港", "青岛港"), ("青島港", "青岛港"), ("錦州港", "锦州港"), ("臺灣", "台湾"), ("台灣", "台湾"),
        ("臨沂市", "临沂市"), ("乾安", "乾安"), ("ＡＢＣ饲料公司", "ABC饲料公司"),
    ],
)  # fmt: skip
def test_a_name_is_one_entity_however_it_is_written(printed: str, name: str) -> None:
    (found,) = read_quotes(f"{printed}玉米价格2300元/吨。")
    assert (found.entity, found.mention) == (name, printed)


@pytest.mark.parametrize("row", ["山东\t诸城市{}", "诸城市{}\t山东", "山东\t山东诸城市{}"])
@pytest.mark.parametrize("goods", ["玉米", "小麦", "玉米淀粉", "新玉米", "14水玉米"])
def test_goods_of_a_place_in_a_table_are_no_firm(row: str, goods: str) -> None:
    (found,) = read_quotes(f"{row.format(goods)}\t2300", title="玉米价格")
    assert (found.entity, found.entity_type, found.region) == ("诸城市", "place", "山东诸城市")
