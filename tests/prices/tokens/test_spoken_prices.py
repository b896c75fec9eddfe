"""Spoken prices: their digits, their ranges, and words that only look like them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from focuscrawl.prices.tokens.figures import Figure, find_figures
from focuscrawl.prices.tokens.token_kinds import PRICE_LIKE, TokenKind

AMOUNTS = [
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
PER_WEIGHT = [
    ("八毛一一斤", "0.81", "yuan/jin"),
    ("七十二一公斤", "72", "yuan/kg"),
    ("十一块一斤", "11", "yuan/jin"),
    ("4块5角一公斤", "4.5", "yuan/kg"),
]
UNIT_FIRST = [
    ("一斤八毛", "yuan/jin", "0.8"),
    ("一吨两千一百五", "yuan/ton", "2150"),
    ("每吨三百八", "yuan/ton", "380"),
    ("吨价两千二", "yuan/ton", "2200"),
    ("一斤1.13", "yuan/jin", "1.13"),
]


def _money(text: str) -> list[Figure]:
    return [f for f in find_figures(text) if f.kind in PRICE_LIKE]


@pytest.mark.parametrize(("text", "low", "high"), AMOUNTS)
def test_amount(text: str, low: str, high: str) -> None:
    (figure,) = find_figures(text)
    assert (figure.kind, figure.low, figure.high) == (TokenKind.YUAN, Decimal(low), Decimal(high))


@pytest.mark.parametrize(("text", "amount", "unit"), PER_WEIGHT)
def test_amount_before_its_unit(text: str, amount: str, unit: str) -> None:
    (figure,) = find_figures(text)
    assert figure.unit is not None
    assert (figure.low, figure.high, figure.unit.name) == (Decimal(amount), Decimal(amount), unit)


@pytest.mark.parametrize(("text", "unit", "amount"), UNIT_FIRST)
def test_amount_behind_its_unit(text: str, unit: str, amount: str) -> None:
    named, figure = find_figures(text)
    assert named.unit is not None
    assert (named.kind, named.unit.name, figure.low) == (TokenKind.UNIT, unit, Decimal(amount))


@pytest.mark.parametrize(
    "text", ["两块地", "外三元", "长三角", "八角", "一块儿", "四百吨", "二十亩地", "一斤蛋"]
)
def test_words_that_are_no_amounts(text: str) -> None:
    assert not _money(text)


def test_a_weight_is_no_digit_of_the_price() -> None:
    (figure,) = _money("4块5公斤装")
    assert figure.low == 4


def test_a_haggled_price_ends_before_the_next_word() -> None:
    (figure,) = _money("三块五一口价")
    assert figure.low == Decimal("3.5")
