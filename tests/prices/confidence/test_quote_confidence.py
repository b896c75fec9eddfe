"""The confidence of the quotes of a text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focuscrawl.prices import load_aliases, read_quotes
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.quote_explanation import explained
from focuscrawl.prices.confidence.reading_models import SignModel

# Of what the rules chose, prices whose name stands in their own clause are sure, goods without one are
# hardly a quote.
TREE = [
    ["by rule", 1, 2, 0.0],
    ["", 0, 0, -9.0],
    ["by rule, name named here", 3, 4, 0.0],
    ["by rule goods", 5, 6, -1.0],
    ["", 0, 0, 3.0],
    ["", 0, 0, 0.5],
    ["", 0, 0, -2.0],
]
MODEL = PriceModel(0.0, [TREE], 0.9, 0.4)
TEXT = "锦州港玉米2310元/吨，散船价2330元/吨。"


def test_a_doubtful_quote_has_a_flag_with_the_reason() -> None:
    sure, carried = read_quotes(TEXT, model=MODEL)
    assert (str(sure.confidence), sure.flag) == ("0.953", "")
    assert str(carried.confidence) == "0.622"
    assert carried.flag == "可信度62%，低于90%：名称沿用前文"


def test_a_confidence_just_below_the_threshold_is_not_rounded_up_to_it() -> None:
    carried = read_quotes(TEXT, model=MODEL, threshold=0.625)[1]
    assert carried.flag.startswith("可信度62%，低于62.5%：")
    assert read_quotes(TEXT, model=MODEL, threshold=0.9534)[0].flag.startswith(
        "可信度95%，低于95.34%："
    )


def test_the_threshold_of_the_caller_counts() -> None:
    assert [q.flag for q in read_quotes(TEXT, model=MODEL, threshold=0.6)] == ["", ""]
    flags = [q.flag for q in read_quotes(TEXT, model=MODEL, threshold=0.96)]
    assert all(flag.startswith("可信度") for flag in flags)


def test_what_is_hardly_a_quote_is_left_out_unless_all_are_asked_for() -> None:
    text = "玉米2310元/吨。"
    assert read_quotes(text, model=MODEL) == []
    (quote,) = read_quotes(text, model=MODEL, threshold=0)
    assert (quote.flag, str(quote.confidence)) == ("", "0.119")


def test_a_flag_of_the_rules_is_kept() -> None:
    (quote,) = read_quotes("锦州港玉米16元/斤。", title="玉米价格", model=MODEL, threshold=1)
    assert quote.flag == "超出玉米合理价格（700-4200 元/吨）"


def test_a_price_that_the_chosen_goods_cannot_have_has_a_flag() -> None:
    other = SignModel(0.0, [[["by rule", 1, 2, 0.0], ["", 0, 0, 9.0], ["", 0, 0, -9.0]]])
    model = replace(MODEL, goods=other)
    (quote,) = read_quotes("锦州港玉米2310元/吨。", title="鸡蛋价格", model=model, threshold=0)
    assert (quote.commodity, quote.flag) == ("鸡蛋", "超出鸡蛋合理价格（3500-35000 元/吨）")


def test_names_of_the_model_are_those_of_firms() -> None:
    text = "惠丰园1.105，五里堡1.1元/斤。"
    plain = PriceModel(0.0, [TREE], 0.9, 0.0)
    named = PriceModel(0.0, [TREE], 0.9, 0.0, names=frozenset({"惠丰园", "五里堡"}))
    assert all(
        q.entity_type != "firm" or q.mention not in named.names
        for q in read_quotes("五里堡", model=plain)
    )
    found = read_quotes(text, title="玉米价格", model=named)
    assert [quote.mention for quote in found] == ["惠丰园", "五里堡"]


def test_an_explanation_names_the_signs() -> None:
    lines = "".join(explained("a1", TEXT, "", load_aliases(), MODEL))
    assert lines == (
        "a1: 锦州港 2310 yuan/ton, 0.95, trusted\n"
        "  锦州港玉米2310元/吨\n"
        "  +3.00 by rule, name named here\n"
        "a1: 锦州港 2330 yuan/ton, 0.62, not trusted\n"
        "  散船价2330元/吨\n"
        "  +1.50 no by rule goods\n"
        "  -1.00 no by rule, name named here\n"
    )


@pytest.mark.parametrize(
    ("heads", "are_trusted"),
    [("郑州 四平", True), ("中粮 九三集团", False)],
    ids=["places", "firms"],
)
def test_the_head_of_a_column_is_the_name_of_its_prices(heads: str, are_trusted: bool) -> None:
    first, second = heads.split()
    text = f"品种\t{first}\t{second}\n玉米\t2320\t2400\n豆粕\t3290\t2990"
    quotes = read_quotes(text, title="今日粮油价格（元/吨）")
    assert [q.mention for q in quotes] == [first, second] * 2
    assert are_trusted or all(q.flag for q in quotes)
