"""Possible quotes of figures, for the learned choice."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.prices.candidates import quote_candidates
from focuscrawl.prices.candidates.quote_candidates import issuers, offers
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.reading_models import SignModel
from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_drafts import Subject
from focuscrawl.prices.quote_reader import read_document, read_quotes
from focuscrawl.prices.tokens import line_tokens


def found(text: str, title: str = "玉米价格") -> list[list[tuple[str, str]]]:
    document = read_document(text, title, load_aliases().names)
    return [
        [(offer.subject.mention, f"{offer.figure.low:f} {offer.unit.name}") for offer in group]
        for group in offers(document)
    ]


def test_a_figure_without_a_name_is_offered_what_stands_around_it() -> None:
    groups = found("2130元/吨，丰源粮贸收")
    assert len(groups) == 1
    assert {("玉米", "2130 yuan/ton")} <= {*groups[0]}
    assert any(name.startswith("丰源") for name, _ in groups[0])


def test_what_the_rules_chose_is_among_the_offers() -> None:
    text = "吉林长春玉米1690元/吨，四平1700元/吨。"
    document = read_document(text, "", load_aliases().names)
    groups = list(offers(document))
    chosen = [next(o.subject.mention for o in group if o.is_by_rule) for group in groups]
    assert chosen == ["长春", "四平"]
    assert all(len(group) > 1 for group in groups)


def test_a_price_of_two_buyers_is_offered_once_for_each() -> None:
    text = "长春、四平玉米均为1690元/吨。"
    document = read_document(text, "", load_aliases().names)
    names = [draft.subject.mention for draft in document.drafts]
    assert len(names) == 2
    groups = list(offers(document))
    assert [group[0].draft for group in groups] == document.drafts
    for name, other, group in zip(names, names[::-1], groups, strict=True):
        offered = {offer.subject.mention for offer in group}
        assert name in offered
        assert other not in offered


def test_goods_of_a_figure_are_those_around_it() -> None:
    document = read_document("长春玉米1690元/吨，豆粕3050元/吨。", "大豆价格", load_aliases().names)
    goods = [
        {g.commodity.name for g in group[0].goods if g.commodity} for group in offers(document)
    ]
    assert goods == [{"玉米", "大豆", "豆粕"}] * 2
    assert "goods in own segment" in next(iter(offers(document)))[0].goods[0].signs


def test_a_model_takes_other_goods() -> None:
    tree = [["goods of the title", 1, 2, 0.0], ["", 0, 0, -3.0], ["", 0, 0, 3.0]]
    model = PriceModel(0.0, [], 0.0, 0.0, goods=SignModel(0.0, [tree]))
    (quote,) = read_quotes("长春玉米1690元/吨", title="大豆价格", model=model, threshold=0)
    assert quote.commodity == "大豆"


def test_the_unit_of_a_figure_without_one_is_that_of_its_goods() -> None:
    groups = found("老王说一千斤，到手1.05，还行")
    units = {unit for group in groups for _, unit in group}
    assert units <= {"1.05 yuan/jin"}


def test_a_model_takes_another_subject_and_a_figure_left_out() -> None:
    """A choice that prefers what stands behind a price, and takes all figures."""
    tree = [
        ["after run", 1, 2, 0.0],
        ["after firm", 3, 4, 0.0],
        ["", 0, 0, 3.0],
        ["", 0, 0, -3.0],
        ["", 0, 0, 3.0],
    ]
    model = PriceModel(0.0, [tree], 0.0, 0.0)
    text = "2130元/吨，丰源粮贸收"
    (quote,) = read_quotes(text, title="玉米价格", model=model, threshold=0)
    assert quote.mention.startswith("丰源")
    # Of three options, the two others with -3, and no quote with 0.
    assert str(quote.confidence) == "0.95"


def test_figures_of_a_long_paragraph_are_offered_too() -> None:
    text = "今年雨水多，收割比往年晚了十来天。" * 60 + "丰源粮贸2130元/吨，老板说还要看几天。"
    assert [price for group in found(text) for _, price in group[:1]] == ["2130 yuan/ton"]


def test_prices_per_piece_have_a_sign() -> None:
    document = read_document("菜市场一根玉米2元，每斤1.2元", "玉米价格", load_aliases().names)
    piece, weight = offers(document)
    assert all("per piece" in offer.signs for offer in piece)
    assert not any("per piece" in offer.signs for offer in weight)


def test_a_name_with_a_space_inside_is_offered() -> None:
    (first, _) = found("中　粮：2110元/吨\n象　屿：2105元/吨")
    assert "中　粮" in {name for name, _ in first}


def test_the_issuer_of_a_text_is_offered() -> None:
    text = (
        "水分14%：1.336元/斤\n水分15%：1.326元/斤\n咨询电话见公告\n泰安弘兴玉米开发有限公司采购部"
    )
    names = [{name for name, _ in group} for group in found(text, "收购通知")]
    assert len(names) == 2
    assert all("弘兴玉米开发有限公司" in each for each in names)


def test_a_figure_stuck_to_a_name_is_no_price_beside_that_of_its_row() -> None:
    rows = "\n".join(
        f"山东潍坊昌乐县 {name} 水分14 {price}元/吨"
        for name, price in (("昌乐盛泰", 1630), ("英轩0.81", 1630), ("英轩玉米", 1640))
    )
    groups = found(rows, "山东玉米价格")
    prices = {price for group in groups for _, price in group}
    assert "1630 yuan/ton" in prices
    assert "0.81 yuan/jin" not in prices


# Firms that issue a text.

PRICES = "水分14%：1.336元/斤\n水分15%：1.326元/斤\n"
FIRM = "弘兴玉米开发有限公司"


@pytest.mark.parametrize(
    ("title", "text", "where", "mention"),
    [
        (f"泰安{FIRM}收购价格通知", PRICES, "title", FIRM),
        ("", f"中储粮睢阳直属库即日起敞开收购：\n{PRICES}", "introduction", "中储粮睢阳直属库"),
        ("", f"{PRICES}泰安{FIRM}采购部", "closing", FIRM),
    ],
)
def test_a_firm_beside_the_prices(title: str, text: str, where: str, mention: str) -> None:
    document = read_document(text, title, load_aliases().names)
    ((subject, signs),) = issuers(document)
    assert (subject.mention, subject.kind) == (mention, "firm")
    assert signs == [f"issuer of {where}", "issuer firm"]


def test_an_issuer_that_speaks_of_itself() -> None:
    document = read_document(f"我公司调价：\n{PRICES}{FIRM}", "", load_aliases().names)
    ((_, signs),) = issuers(document)
    assert "issuer speaks" in signs


@pytest.mark.parametrize(
    ("before", "text", "day"),
    [
        ("长春1号库玉米1690元/吨。", "长春１號庫玉米1690元/吨。", None),
        ("今日长春2025年1月玉米1690元/吨。", "今日长春2025年1月玉米1690元/吨。", date(2026, 3, 5)),
        ("长春玉米1690元/吨。", "四平淀粉:\n\n长春玉米1690元/吨。", None),
    ],
)
def test_a_line_that_was_read_before_is_offered_alike(
    before: str, text: str, day: date | None
) -> None:
    def offered(text: str, day: date | None) -> list[tuple[Subject, int, tuple[str, ...]]]:
        document = read_document(text, "", load_aliases().names, day)
        return [(o.subject, o.start, o.signs) for group in offers(document) for o in group]

    caches = (line_tokens._read_before, line_tokens._pieces_before, quote_candidates._layout_of)
    for cache in caches:
        cache.cache_clear()
    fresh = offered(text, day)
    for cache in caches:
        cache.cache_clear()
    offered(before, None)
    assert offered(text, day) == fresh


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("今天卖了68头，五块三。\n料钱不够，玉米一块一毛八。", "5.3"),
        ("中午梅花味精降到1.215，伊品1.225。", "1.215"),
        ("铁1.6，黄纸板0.62，单位都是元/斤。", "1.6"),
    ],
)
def test_a_price_that_is_none_of_the_goods_of_the_text_is_offered(text: str, price: str) -> None:
    assert price in {own.split()[0] for group in found(text, "") for _, own in group}


def test_a_maker_of_cement_is_no_snail() -> None:
    document = read_document("海螺在芜湖散装到位335元/吨", "水泥快评", load_aliases().names)
    assert [d.commodity and d.commodity.name for d in document.drafts] == ["水泥"]
