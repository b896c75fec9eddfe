"""Prices of other days, of earlier years, and of the same day's morning."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.prices import read_quotes
from focuscrawl.prices.figures.moisture_and_condition import FUTURES
from focuscrawl.prices.tokens.bulletin_words import commodities_by_name, lexicon

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
        # A price that another one replaced is none.
        ("诸城兴贸早间2300元/吨，午后下调20元至2280元/吨。", ["诸城兴贸 2280 -20"]),
        ("诸城兴贸上午2300元/吨，下午下调20元至2280元/吨。", ["诸城兴贸 2280 -20"]),
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


def changes(text: str, title: str = "玉米价格") -> dict[str, str]:
    """Return the change of each quote by its name, "" for none."""
    found = read_quotes(text, title=title)
    return {q.mention: "" if q.price_change is None else f"{q.price_change:+f}" for q in found}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "山东寿光上涨10元/吨,报2290元/吨,德州2270元/吨,菏泽2250元/吨跌10元/吨。",
            {"寿光": "+10", "德州": "", "菏泽": "-10"},
        ),
        (
            "山东玉米跌10元/吨报2280元/吨,河南玉米报2260元/吨,持平。",
            {"山东": "-10", "河南": ""},
        ),
        (
            "锦州港玉米上涨10元/吨至2310元/吨，鲅鱼圈玉米2300元/吨，北良港2305元/吨。",
            {"锦州港": "+10", "鲅鱼圈": "", "北良港": ""},
        ),
        ("山东地区上涨10元/吨，潍坊2290元/吨，寿光2300元/吨。", {"潍坊": "+10", "寿光": "+10"}),
        ("国内玉米上涨30元/吨，山东2300元/吨、河南2310元/吨。", {"山东": "+30", "河南": "+30"}),
        ("河南玉米2260元/吨,较年初涨60元/吨,较昨日跌5元/吨。", {"河南": "-5"}),
        ("河南玉米2260元/吨,一个月涨了60元/吨。", {"河南": ""}),
        ("河南玉米2260元/吨,-9元/吨。", {"河南": "-9"}),
        ("河南玉米2260元/吨,较昨+35。", {"河南": "+35"}),
        ("河南玉米1.13元/斤,↑3厘。", {"河南": "+0.003"}),
        ("河南玉米2260元/吨,比前一天少了10元。", {"河南": "-10"}),
        ("河南玉米2260元/吨,昨日涨20元,今日跌10元。", {"河南": "-10"}),
        ("河南玉米2260元/吨,较上周涨30元,较昨日跌10元。", {"河南": "-10"}),
        ("河南玉米2260元/吨,预计明日上涨10元/吨。", {"河南": ""}),
        ("河南玉米2260元/吨,运费上涨20元/吨。", {"河南": ""}),
        ("河南玉米2260元/吨,每斤涨0.01元。", {"河南": "+20"}),
        ("河南玉米1.13元/斤,每箱下跌3元。", {"河南": ""}),
        ("河南玉米1.13元/斤,上涨一分五。", {"河南": "+0.015"}),
        ("河南玉米1.13元/斤,下调一分半,河北1.12元/斤。", {"河南": "-0.015", "河北": ""}),
        ("受期货下跌30元/吨影响,河南玉米2260元/吨,跌10元/吨。", {"河南": "-10"}),
        (
            "寿光金玉米 1.13元/斤 涨5厘\n昌乐英轩 1.12元/斤 稳",
            {"寿光金玉米": "+0.005", "昌乐英轩": ""},
        ),
        ("锦州港玉米2300元/吨，豆粕涨20元/吨。", {"锦州港": ""}),
        ("螺纹钢3400元/吨，热卷涨20元，至3500元/吨。", {"螺纹钢": "", "热卷": "+20"}),
    ],
)
def test_a_change_belongs_to_its_owner_and_to_what_is_part_of_it(
    text: str, found: dict[str, str]
) -> None:
    assert changes(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "山东玉米价格2280元/吨,后市或涨到2350元/吨,可能达2400元/吨。",
        "疫情期间山东玉米价格1.4元/斤,眼下山东玉米价格2280元/吨。",
    ],
)
def test_forecasts_and_prices_of_long_ago_are_not_trusted(text: str) -> None:
    quotes = read_quotes(text, title="玉米价格")
    assert [q.price_low for q in quotes if not q.flag] == [2280]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("新疆葡萄沟乡", "葡萄沟乡"),
        ("陕西核桃坪镇", "核桃坪镇"),
        ("四川大黄镇", "大黄镇"),
        ("吉林玉米镇赉", "镇赉"),
    ],
)
def test_goods_may_begin_the_name_of_a_place(place: str, name: str) -> None:
    (quote,) = read_quotes(f"{place}玉米收购价2300元/吨。", title="玉米价格")
    assert quote.mention == name


@pytest.mark.parametrize("back", ["又涨回", "再跌回", "重回", "回升到", "反弹到"])
def test_of_a_price_that_returns_the_new_one_is_read(back: str) -> None:
    text = f"锦州港玉米昨日2240元/吨，今日{back}2250元/吨。"
    quotes = read_quotes(text, title="玉米价格", threshold=0.7)
    assert [(q.mention, q.price_low) for q in quotes if not q.flag] == [("锦州港", 2250)]


@pytest.mark.parametrize("text", ["锦州港玉米2240元/吨，涨2250元/吨。", "玉米|锦州港|2240|+2250"])
def test_what_is_as_large_as_a_price_is_no_change_of_it(text: str) -> None:
    (quote,) = read_quotes(text.replace("|", "\t"), title="玉米价格 元/吨", threshold=0.5)[:1]
    assert (quote.price_low, quote.price_change) == (2240, None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("豆粕期货2605收盘2850元/吨。", "豆粕期货2605"),
        ("大连玉米2605合约收2250元/吨。", "玉米2605合约"),
        ("玉米主力2605合约收2250元/吨。", "玉米主力2605合约"),
        ("豆粕M2605收盘2850元/吨。", "M2605"),
    ],
)
def test_the_month_of_a_contract_has_its_goods(text: str, name: str) -> None:
    assert [q.mention for q in read_quotes(text, title="期货收盘")] == [name]


def test_the_drug_market_of_a_city_has_its_name() -> None:
    quotes = read_quotes("亳州药市白术38元/公斤。", title="药材价格")
    assert [q.mention for q in quotes] == ["亳州药市"]


@pytest.mark.parametrize(
    ("code", "goods"),
    [("M", "豆粕"), ("RB", "钢材"), ("TA", "PTA"), ("V", "PVC"), ("MA", "甲醇"), ("LC", "碳酸锂")],
)
def test_the_code_of_a_contract_tells_its_goods(code: str, goods: str) -> None:
    price = commodities_by_name()[goods].usual
    text = f"豆粕主力走强。{code}2605收于{price}元/吨。"
    assert [q.commodity for q in read_quotes(text, title="期货收盘")] == [goods]


def test_each_code_of_contracts_has_goods() -> None:
    assert set(FUTURES.values()) <= set(lexicon().commodity_of)


def test_a_name_has_neither_its_region_nor_its_goods() -> None:
    quotes = read_quotes("山东寿光地区深加工玉米收购价格1698元/吨，下跌6元/吨。", title="玉米价格")
    assert [(q.mention, q.region) for q in quotes] == [("寿光地区深加工", "山东寿光")]
