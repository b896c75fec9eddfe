"""Numbers with their units, one line each."""

from __future__ import annotations

from decimal import Decimal

import pytest

from focuscrawl.prices.tokens.bulletin_words import normalise
from focuscrawl.prices.tokens.figures import find_figures
from focuscrawl.prices.tokens.token_kinds import PRICE_LIKE, TokenKind

PRICES = [
    ("0.849元/斤", "0.849", "0.849", "yuan/jin"),
    ("0.849元／斤", "0.849", "0.849", "yuan/jin"),
    ("０．８４９元/斤", "0.849", "0.849", "yuan/jin"),
    ("0.85元/市斤", "0.85", "0.85", "yuan/jin"),
    ("0.85元每斤", "0.85", "0.85", "yuan/jin"),
    ("0.85元一斤", "0.85", "0.85", "yuan/jin"),
    ("0.85元斤", "0.85", "0.85", "yuan/jin"),
    ("0.85 元 / 斤", "0.85", "0.85", "yuan/jin"),
    ("2.89元/500g", "2.89", "2.89", "yuan/jin"),
    ("2.89元/500克", "2.89", "2.89", "yuan/jin"),
    ("1.70元/公斤", "1.70", "1.70", "yuan/kg"),
    ("1.70元/千克", "1.70", "1.70", "yuan/kg"),
    ("1.70元/kg", "1.70", "1.70", "yuan/kg"),
    ("1.70元/KG", "1.70", "1.70", "yuan/kg"),
    ("1.70元/㎏", "1.70", "1.70", "yuan/kg"),
    ("11.51每公斤", "11.51", "11.51", "yuan/kg"),
    ("1.70块/公斤", "1.70", "1.70", "yuan/kg"),
    ("14.05 yuan / kg", "14.05", "14.05", "yuan/kg"),
    ("14.05 yuan per kg", "14.05", "14.05", "yuan/kg"),
    ("92.5元/50公斤", "92.5", "92.5", "yuan/50kg"),
    ("92.5元/50kg", "92.5", "92.5", "yuan/50kg"),
    ("118元/百斤", "118", "118", "yuan/100jin"),
    ("118元/100斤", "118", "118", "yuan/100jin"),
    ("118元/担", "118", "118", "yuan/dan"),
    ("1698元/吨", "1698", "1698", "yuan/ton"),
    ("1698元/公吨", "1698", "1698", "yuan/ton"),
    ("1698元/吨吨", "1698", "1698", "yuan/ton"),
    ("1698元/t", "1698", "1698", "yuan/ton"),
    ("1698元／噸", "1698", "1698", "yuan/ton"),
    ("1,698元/吨", "1698", "1698", "yuan/ton"),
    ("1 698元/吨", "1698", "1698", "yuan/ton"),
    ("1698.00 元/吨", "1698.00", "1698.00", "yuan/ton"),
    ("1698人民币/吨", "1698", "1698", "yuan/ton"),
    ("2,085 CNY/tonne", "2085", "2085", "yuan/ton"),
    ("RMB 2085/ton", "2085", "2085", "yuan/ton"),
    ("1580-1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580－1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580—1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580——1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580~1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580～1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580至1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580到1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580 - 1600元/吨", "1580", "1600", "yuan/ton"),
    ("1580元-1600/吨", "1580", "1600", "yuan/ton"),
    ("1580元/吨-1600元/吨", "1580", "1600", "yuan/ton"),
    ("2,200-2,230 CNY/tonne", "2200", "2230", "yuan/ton"),
    ("0.85-0.9元/斤", "0.85", "0.9", "yuan/jin"),
    ("0..82元/斤", "0.82", "0.82", "yuan/jin"),
    (".82元/斤", "0.82", "0.82", "yuan/jin"),
    ("8毛5一斤", "0.85", "0.85", "yuan/jin"),
    ("八毛五/斤", "0.85", "0.85", "yuan/jin"),
    ("九毛二一斤", "0.92", "0.92", "yuan/jin"),
    ("1块2一斤", "1.2", "1.2", "yuan/jin"),
    ("一块两毛五一斤", "1.25", "1.25", "yuan/jin"),
    ("1块零9一斤", "1.09", "1.09", "yuan/jin"),
    ("1元2角5分/斤", "1.25", "1.25", "yuan/jin"),
    ("二千四百元/吨", "2400", "2400", "yuan/ton"),
    ("两千三百五十元/吨", "2350", "2350", "yuan/ton"),
    ("两千三百五元每吨", "2350", "2350", "yuan/ton"),
    ("二千零八十元/吨", "2080", "2080", "yuan/ton"),
    ("一百二十六元一百斤", "126", "126", "yuan/100jin"),
    ("98.5分/斤", "0.985", "0.985", "yuan/jin"),
    ("9.8毛一斤", "0.98", "0.98", "yuan/jin"),
    ("三毛/斤", "0.3", "0.3", "yuan/jin"),
    ("60元/40斤袋", "60", "60", "yuan/40jin"),
    ("96元/袋（40公斤）", "96", "96", "yuan/40kg"),
    ("105元／袋(净重50kg)", "105", "105", "yuan/50kg"),
    ("66000元/车（30吨）", "66000", "66000", "yuan/30ton"),
    ("RMB2,350-2,360 /ton", "2350", "2360", "yuan/ton"),
    ("2150一吨", "2150", "2150", "yuan/ton"),
    ("1.06一斤", "1.06", "1.06", "yuan/jin"),
    ("1.52万元/吨", "1.52", "1.52", "yuan/ton"),
    ("RMB 2,350 a tonne", "2350", "2350", "yuan/ton"),
    ("RMB1,780-RMB1,820/tonne", "1780", "1820", "yuan/ton"),
    ("RMB 1,780 to RMB 1,820 per ton", "1780", "1820", "yuan/ton"),
    ("CNY2,350 - CNY2,360/mt", "2350", "2360", "yuan/ton"),
    ("between 1,780 and 1,820 yuan per ton", "1780", "1820", "yuan/ton"),
    ("between RMB 2,500 and RMB 2,720 a tonne", "2500", "2720", "yuan/ton"),
    ("from 1,780 yuan to 1,820 yuan per ton", "1780", "1820", "yuan/ton"),
    ("range from RMB 1,780 to RMB 1,820 a ton", "1780", "1820", "yuan/ton"),
    ("30 to 80 yuan per ton", "30", "80", "yuan/ton"),
    ("corn for May 2,731 yuan per ton", "2731", "2731", "yuan/ton"),
    ("Corn, May 2, 2024: 2,310 yuan per ton", "2310", "2310", "yuan/ton"),
    ("八毛一一斤", "0.81", "0.81", "yuan/jin"),
    ("七十二一公斤", "72", "72", "yuan/kg"),
    ("十一块一斤", "11", "11", "yuan/jin"),
    ("4块5角一公斤", "4.5", "4.5", "yuan/kg"),
    # In part, in words or about.
    ("2280多元/吨", "2280", "2280", "yuan/ton"),
    ("2280余元/吨", "2280", "2280", "yuan/ton"),
    ("2200来元/吨", "2200", "2200", "yuan/ton"),
    ("1.14多元/斤", "1.14", "1.14", "yuan/jin"),
    ("2200多一吨", "2200", "2200", "yuan/ton"),
    ("两千二百多元/吨", "2200", "2200", "yuan/ton"),
    ("2千2百80元/吨", "2280", "2280", "yuan/ton"),
    ("2千2百8元/吨", "2280", "2280", "yuan/ton"),
    ("2千280元/吨", "2280", "2280", "yuan/ton"),
    ("2千3百元/吨", "2300", "2300", "yuan/ton"),
    ("2千3元/吨", "2300", "2300", "yuan/ton"),
    ("2仟2佰80元/吨", "2280", "2280", "yuan/ton"),
    ("2.28千元/吨", "2.28", "2.28", "yuan/ton"),
    ("贰仟贰佰捌拾元/吨", "2280", "2280", "yuan/ton"),
    ("二二八零元/吨", "2280", "2280", "yuan/ton"),
    ("1.14-1.15-1.16元/斤", "1.14", "1.16", "yuan/jin"),
    ("2320-2300-2280元/吨", "2280", "2320", "yuan/ton"),
    ("2280-90元/吨", "2280", "2290", "yuan/ton"),
    ("2280至90元/吨", "2280", "2290", "yuan/ton"),
    ("2280-300元/吨", "2280", "2300", "yuan/ton"),
    ("1.14-16元/斤", "1.14", "1.16", "yuan/jin"),
    ("1.145-55元/斤", "1.145", "1.155", "yuan/jin"),
    ("2.5-6元/斤", "2.5", "6", "yuan/jin"),  # vegetables
    ("228元/百公斤", "228", "228", "yuan/100kg"),
    ("228元每一百千克", "228", "228", "yuan/100kg"),
    ("228元/公担", "228", "228", "yuan/100kg"),
    ("114元/五十公斤", "114", "114", "yuan/50kg"),
    ("11.4元/十斤", "11.4", "11.4", "yuan/10jin"),
    ("114元/百市斤", "114", "114", "yuan/100jin"),
]
AMOUNTS = [
    ("一块两毛五", "1.25", "1.25"),
    ("8毛5分", "0.85", "0.85"),
    ("一块一毛三", "1.13", "1.13"),
    ("一块二毛一", "1.21", "1.21"),
    ("一块一毛六分五", "1.165", "1.165"),
    ("一块一毛二八", "1.128", "1.128"),
    ("一块一毛零七厘", "1.107", "1.107"),
    ("一块零三分五", "1.035", "1.035"),
    ("一块零六七", "1.06", "1.07"),
    ("三块五六", "3.5", "3.6"),
    ("六毛八九", "0.68", "0.69"),
    ("1块2毛35", "1.235", "1.235"),
    ("9毛15", "0.915", "0.915"),
    ("4块65", "4.65", "4.65"),
    ("1块零4分5", "1.045", "1.045"),
    ("15块半", "15.5", "15.5"),
    ("二十三块五", "23.5", "23.5"),
    ("十一元五角", "11.5", "11.5"),
    ("七角", "0.7", "0.7"),
    ("五毛", "0.5", "0.5"),
    ("六七毛", "0.6", "0.7"),
    ("7、8毛", "0.7", "0.8"),
    ("九毛八到一块", "0.98", "1"),
    ("五块八到六块一", "5.8", "6.1"),
    ("三十二块到三十五块", "32", "35"),
]
UNIT_FIRST = [
    ("一斤八毛", "yuan/jin", "0.8"),
    ("一吨两千一百五", "yuan/ton", "2150"),
    ("每吨三百八", "yuan/ton", "380"),
    ("吨价两千二", "yuan/ton", "2200"),
    ("一斤1.13", "yuan/jin", "1.13"),
]
OTHER_KINDS = [
    ("14.5%", "percent"),
    ("14-15%", "percent"),
    ("30水", "water"),
    ("14个水", "water"),
    ("5厘", "small"),
    ("三毛钱", "small"),
    ("半分", "small"),
    ("105元/袋", "other"),
    ("1.5分", "small"),
    ("22点", "points"),
    ("3000吨", "other"),
    ("1.2万吨", "other"),
    ("10万手", "other"),
    ("65元/桶", "other"),
    ("600元/头", "other"),
    ("3600元/年", "other"),
    ("700g/L", "other"),
    ("4.61美元", "foreign"),
    ("408.5美分/蒲", "foreign"),
    ("$181.5", "foreign"),
    ("2017年1月11日", "date"),
    ("1月11日", "date"),
    ("2017-01-11", "date"),
    ("11:30", "date"),
    ("2017年第5周", "date"),
    ("C2405", "contract"),
    ("2009年09月合约", "contract"),
    ("1680.00", "bare"),
    ("+10", "bare"),
    ("单位:元/吨", "unit"),
    ("P.O42.5", "other"),
    ("01", "other"),
    ("07-22", "other"),
    ("95元/方", "other"),
]


@pytest.mark.parametrize(("text", "low", "high", "unit"), PRICES)
def test_price(text: str, low: str, high: str, unit: str) -> None:
    (figure,) = (
        f for f in find_figures(normalise(text)) if f.kind in (TokenKind.AMOUNT, TokenKind.YUAN)
    )
    assert (figure.low, figure.high) == (Decimal(low), Decimal(high))
    assert figure.unit is not None
    assert figure.unit.name == unit


@pytest.mark.parametrize(("text", "low", "high"), AMOUNTS)
def test_spoken_price(text: str, low: str, high: str) -> None:
    (figure,) = find_figures(text)
    assert (figure.kind, figure.low, figure.high) == (TokenKind.YUAN, Decimal(low), Decimal(high))


@pytest.mark.parametrize(("text", "unit", "amount"), UNIT_FIRST)
def test_amount_behind_its_unit(text: str, unit: str, amount: str) -> None:
    named, figure = find_figures(text)
    assert named.unit is not None
    assert (named.kind, named.unit.name, figure.low) == (TokenKind.UNIT, unit, Decimal(amount))


@pytest.mark.parametrize(("text", "kind"), OTHER_KINDS)
def test_kind(text: str, kind: str) -> None:
    assert [figure.kind for figure in find_figures(normalise(text))] == [kind]


def test_a_range_with_the_high_end_first_is_sorted() -> None:
    (figure,) = find_figures("2420-2400元/吨")
    assert (figure.low, figure.high) == (2400, 2420)


@pytest.mark.parametrize(
    "text",
    [
        "由2400元/吨到2420元/吨",
        "从2400到2420元/吨",
        "上调20元至1740元/吨",
        "up 300 yuan to 2,600 yuan per ton",
        "raised from 2,400 yuan to 2,420 yuan per ton",
        "rose from RMB 2,400 to RMB 2,420 a ton",
        "Jilin 2,400 and Liaoning 2,420 yuan per ton",
        "2,400 and 2,420 yuan per ton",
    ],
)
def test_a_change_is_not_a_range(text: str) -> None:
    assert [figure.low == figure.high for figure in find_figures(text)] == [True, True]


def test_cents_are_converted_to_yuan() -> None:
    worth = [f.low for f in find_figures("涨3厘，跌1.5分，又涨两毛，落半分")]
    assert worth == [Decimal("0.003"), Decimal("0.015"), Decimal("0.2"), Decimal("0.005")]


def test_a_bare_number_behind_a_price_may_be_its_change() -> None:
    assert [f.low for f in find_figures("寿光2300-10,")] == [2300, 10]


@pytest.mark.parametrize(
    "text",
    [
        "投入3000多元", "日收2千吨", "每亩卖3000多元", "3千克", "两块地", "外三元", "长三角", "八角", "一块儿",
        "四百吨", "二十亩地", "一斤蛋",
    ],
)  # fmt: skip
def test_amounts_that_are_no_prices(text: str) -> None:
    assert all(f.kind not in PRICE_LIKE for f in find_figures(text))


@pytest.mark.parametrize(("text", "amount"), [("4块5公斤装", "4"), ("三块五一口价", "3.5")])
def test_a_spoken_price_ends_before_a_weight_and_before_the_next_word(
    text: str, amount: str
) -> None:
    (figure,) = (f for f in find_figures(text) if f.kind in PRICE_LIKE)
    assert figure.low == Decimal(amount)
