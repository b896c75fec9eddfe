"""The reader against the example texts, quote by quote."""

from __future__ import annotations

import pytest

from focuscrawl.items import Quote
from focuscrawl.prices import read_quotes as read_and_judge
from focuscrawl.prices.prose_quotes import LineReader
from focuscrawl.prices.quote_drafts import Draft
from tests.prices import example_texts as examples
from tests.prices.rules_alone import RULES

SHORT = {"yuan/ton": "t"}
CORPUS = [
    *examples.FIRMS_AND_PORTS,
    *examples.TABLES_AND_HEADINGS,
    *examples.COUNTIES_AND_GRADES,
    *examples.OTHER_GOODS,
    *examples.MOVES_AND_NOTES,
    *examples.LISTS_AND_UNITS,
    *examples.MANY_SITES,
    *examples.MORE_SITES,
    *examples.TABLES_OF_PAGES,
    *examples.NOTATIONS,
    *examples.BUGS_CAUGHT,
]
# Texts of the labelled blocks that the rules alone read in part.
BEYOND_RULES = ("昨日，记者从市粮食局", "玉米进口：11月", "据卓创资讯监测", "长春大成：二等")


def read_quotes(text: str, title: str = "") -> list[Quote]:
    """Return the quotes of the rules alone."""
    return read_and_judge(text, title=title, threshold=0, model=RULES)


def shown(quote: Quote) -> str:
    """Write a quote as the examples do."""
    price = f"{quote.price_low:f}"
    if quote.price_high != quote.price_low:
        price += f"-{quote.price_high:f}"
    parts = [f"{quote.mention} {price}/{SHORT.get(quote.unit, quote.unit.removeprefix('yuan/'))}"]
    parts += [f"@{quote.region}"] if quote.region else []
    parts += [f"~{quote.moisture}"] if quote.moisture else []
    if quote.price_change is not None:
        high = quote.price_change_high
        parts.append(
            f"{quote.price_change:+f}" if high is None else f"{quote.price_change:+f}..{high:+f}"
        )
    parts += ["*"] if not quote.is_primary else []
    parts += ["!"] if quote.flag else []
    return " ".join(parts)


@pytest.mark.parametrize(("title", "text", "expected"), CORPUS)
def test_reads_the_corpus(title: str, text: str, expected: list[str]) -> None:
    """Each quote is read, and its offsets are those of its printed price."""
    quotes = read_quotes(text, title=title)
    if not text.startswith(BEYOND_RULES):
        assert [shown(quote) for quote in quotes] == expected
    for quote in quotes:
        printed = text[quote.text_start : quote.text_end]
        assert printed == printed.strip()
        assert any(char.isdigit() or char in "一二两三四五六七八九十毛块" for char in printed)
        assert "".join(printed.split()) in "".join(quote.span.split())


def test_a_buyer_named_after_a_product_buys_what_the_title_names() -> None:
    text = "山东菏泽鄄城县 玉米淀粉 水分14 1810元/吨\n阜康酒精 1.02元/斤。"
    quotes = read_quotes(text, title="山东玉米价格")
    assert [quote.commodity for quote in quotes] == ["玉米", "玉米"]
    (starch,) = read_quotes("山东菏泽鄄城县 玉米淀粉 2810元/吨", title="玉米淀粉价格")
    assert starch.commodity == "玉米淀粉"


def test_a_line_that_fails_costs_its_own_quotes_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = LineReader.read

    def fails_on_sorghum(line: LineReader) -> list[Draft]:
        if any(token.text == "高粱" for token in line.tokens):
            raise ValueError
        return read(line)

    monkeypatch.setattr(LineReader, "read", fails_on_sorghum)
    quotes = read_quotes("锦州港玉米2310元/吨。\n赤峰高粱1.3元/斤。\n四平玉米2200元/吨。")
    assert [quote.mention for quote in quotes] == ["锦州港", "四平"]
    assert "赤峰高粱" in caplog.text


def test_flags_are_chinese() -> None:
    texts = ["玉米16元/斤。", "锦州玉米2300元/吨，大连2310，营口2305，丹东2295，沈阳3900元/吨。"]
    flags = [q.flag for text in texts for q in read_quotes(text, title="玉米价格") if q.flag]
    assert flags == [
        "超出玉米合理价格（700-4200 元/吨）",
        "与文中其他价格相差过大（中位数 2305 元/吨）",
    ]


def test_what_one_buyer_buys_is_not_what_the_next_one_buys() -> None:
    text = "隆尧丰华面业收小麦1.25元/斤。宁晋润泽0.82元/斤。石羊饲料0.85元/斤。\n二、高粱。赤峰1.3元/斤。"
    quotes = read_quotes(text, title="河北玉米价格")
    assert [quote.commodity for quote in quotes] == ["小麦", "玉米", "玉米", "高粱"]


def test_an_unlisted_sort_is_what_the_list_is_about() -> None:
    quotes = read_quotes("大麦：法麦南通2420元/吨，澳麦广东2460元/吨。", title="高粱价格")
    assert [quote.commodity for quote in quotes] == ["大麦", "大麦"]


def test_a_contract_is_about_what_its_code_says() -> None:
    (quote,) = read_quotes("棉籽市场平稳，CF2405收15800元/吨。")
    assert (quote.commodity, quote.flag) == ("棉花", "")


CONDITIONS = [
    ("地区\t玉米（元/吨）\t豆粕（元/吨）\n吉林\t2150\t3050", ["", "豆粕"]),
    ("品种\t规格\t单位\t本周价\n玉米\t三等，干粮，入库价\t元/吨\t2290", ["三等，干粮，入库"]),
    (
        "2023年玉米最高2.5元/公斤，均价2.4元/公斤；二等以上散粮2.6元/公斤。",
        ["2023年，最高", "均价", "二等以上散粮"],
    ),
    ("通化玉米最高价2440元/吨，最低价2400元/吨，均价2438元/吨。", ["最高", "最低", "均价"]),
    ("面粉厂小麦收购价2.5元/公斤，销售价2.6元/公斤。", ["收购", "销售"]),
    ("玉米出库价：四平2210元/吨，通化2220元/吨。", ["出库", "出库"]),
    (
        "蓬莱纸袋红富士80#以上一二级3.2元/斤，75#通货2.1元/斤。",
        ["纸袋红富士80#以上一二级", "75#通货"],
    ),
    ("湛江43%蛋白豆粕3050元/吨，46%蛋白3160元/吨。", ["43%蛋白", "46%蛋白"]),
    ("鄂尔多斯动力煤640元/吨，4500大卡480元/吨。", ["动力煤", "4500大卡"]),
    ("刚卖完粮，寿光潮粮0.81元/斤。", ["潮粮"]),
    ("潍坊玉米淀粉2750元/吨，长春DDGS2100元/吨。", ["", ""]),
    ("老张送到诸城兴贸1.12元/斤。", [""]),
    ("动力煤坑口价：神木640元/吨，府谷630元/吨。", ["动力煤，坑口", "动力煤，坑口"]),
    (
        "Corn ex-warehouse: Jilin RMB 980 /ton. On board, Dalian port: RMB 1060 /ton.",
        ["ex-warehouse", "On board"],
    ),
]


@pytest.mark.parametrize(("text", "conditions"), CONDITIONS)
def test_conditions(text: str, conditions: list[str]) -> None:
    assert [quote.goods_condition for quote in read_quotes(text)] == conditions
