"""Possible goods and units of a figure."""

from __future__ import annotations

from decimal import Decimal

from focuscrawl.prices.candidates.detail_options import (
    GoodsOption,
    unit_options,
    with_text_words,
)
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.prices.tokens.price_units import JIN, KG, TON

MAIZE, WHEAT = commodities()["玉米"], commodities()["小麦"]


def test_a_printed_unit_is_the_only_one() -> None:
    (only,) = unit_options(Decimal("1.1"), JIN, "printed", [("declared", KG)], MAIZE, None)
    assert only.unit is JIN
    assert "by rule, printed" in only.signs


def test_units_that_fit_the_goods_or_stand_elsewhere_are_offered() -> None:
    found = unit_options(Decimal("2.4"), KG, "guessed", [("declared", TON)], MAIZE, Decimal(2300))
    signs = {option.unit: option.signs for option in found}
    assert set(signs) == {KG, TON}  # 4,800 yuan per ton is no price of maize
    assert "price close to the others" in signs[KG]
    assert {"declared", "impossible price"} <= set(signs[TON])


def test_goods_that_the_words_of_a_text_tell_are_offered() -> None:
    named = [GoodsOption(WHEAT, ("by rule",))]
    found = with_text_words(named, {"玉米": 0.5, "小麦": -2.5}, Decimal(2200))
    assert [option.commodity for option in found] == [WHEAT, MAIZE]
    assert {"only by text words", "best text words", "text words, 0 or more"} <= set(found[1].signs)
    assert "text words, -3 or more" in found[0].signs
    assert "text words, -2 or more" not in found[0].signs
    assert with_text_words(named, {}, Decimal(2200)) == named


def test_goods_of_a_model_that_the_list_has_not_are_no_option() -> None:
    (only,) = with_text_words([GoodsOption(WHEAT, ())], {"昔日货": 2.0}, Decimal(2200))
    assert only.commodity == WHEAT
