from __future__ import annotations

import pytest

from focuscrawl.prices import read_quotes
from focuscrawl.prices.tokens.bulletin_words import commodities, normalise
from focuscrawl.prices.tokens.implied_unit import with_decimal_marks

MAIZE, PORK = commodities()["玉米"], commodities()["猪肉"]


@pytest.mark.parametrize("mark", ["。", "，", ",", "、", "；", "：", "'", "·", "・", "•", " .", ". ", "．", "｡"])  # fmt: skip
def test_a_mistyped_decimal_mark(mark: str) -> None:
    text = normalise(f"寿光1{mark}14元/斤，2{mark}28元/公斤，1{mark}14-1{mark}16元/斤。")
    plain, doubtful = with_decimal_marks(text, MAIZE)
    assert len(plain) == len(text)
    assert (plain.count("1.14"), plain.count("2.28"), plain.count("1.16")) == (2, 1, 1)
    assert not doubtful


@pytest.mark.parametrize(
    "text",
    [
        "上涨2,14水1.12元/斤",
        "1.14元/斤,2、诸城1.15元/斤",
        "2,280元/吨",
        "寿光1.14元/斤,水分14。诸城1.15元/斤",
    ],
)
def test_other_marks_stay(text: str) -> None:
    assert with_decimal_marks(text, MAIZE) == (text, set())


def test_a_list_of_numbers_stays_where_that_is_the_price() -> None:
    text = "五花肉1、14元/斤"
    assert with_decimal_marks(text, PORK) == (text, set())


@pytest.mark.parametrize("text", ["寿光1.1.4元/斤，诸城1.15元/斤", "生猪6。18元/斤，猪肉14元/斤"])
def test_a_flag_where_a_figure_is_uncertain(text: str) -> None:
    first = read_quotes(text, title="价格")[0]
    assert first.flag


def test_cells_and_lists_without_a_unit() -> None:
    text = (
        "企业\t价格\n寿光金玉米\t1。14\n诸城兴贸\t1,15\n昌乐盛泰\t1.145\n单位：元/斤\n西王1。16。"
    )
    prices = [f"{q.price_low:f}" for q in read_quotes(text, title="玉米价格")]
    assert prices == ["1.14", "1.15", "1.145", "1.16"]
