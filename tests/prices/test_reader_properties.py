"""Properties that hold for any text."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focuscrawl.items import Quote
from focuscrawl.prices import READERS, read_quotes
from focuscrawl.prices.tokens.bulletin_words import normalise
from tests.prices.rules_alone import RULES

WORDS = st.sampled_from(
    (
        "玉米 小麦 山东 潍坊 寿光 金玉米 淀粉 公司 收购价 元/斤 元/吨 元/公斤 元 块 毛 厘 涨 跌 至 到 由"
        " 从 比 昨日 水分 以内 % 0.85 2400 15 30 - — ～ / ， 。 ； ： 、 （ ） ( ) [ ] \t \n \u3000 单位"
        " 报价 企业 均价 最高 最低 去年 同比 折合 分别为 每斤 每吨 美元 产 一块 两毛五 八毛 C2405 2017年"
        " 1月 11日 下同 + ↑ ≤ yuan ton port 噸 斤"
    ).split(" ")
)
BULLETINS = st.lists(WORDS, max_size=60).map("".join)
ANY_TEXT = st.one_of(st.text(max_size=200), BULLETINS)


class Strict(logging.Handler):
    """Handler that fails the test if the reader skipped a line."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


@pytest.fixture(autouse=True, scope="module")
def no_line_is_skipped() -> Iterator[None]:
    handler, logger = Strict(), logging.getLogger("focuscrawl.prices.quote_reader")
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)


def check(text: str, quotes: list[Quote]) -> None:
    for quote in quotes:
        assert 0 <= quote.text_start < quote.text_end <= len(text)
        assert Decimal(0) < quote.price_low <= quote.price_high
        assert Decimal(0) < quote.price_yuan_per_ton_low <= quote.price_yuan_per_ton_high
        assert quote.mention
        assert quote.mention == quote.mention.strip()
        assert quote.entity
        assert quote.unit.startswith("yuan/")
        assert quote.price_change_high is None or quote.price_change is not None
        assert "\n" not in quote.span


@pytest.mark.parametrize("reader", sorted(READERS))
@given(text=ANY_TEXT, title=st.text(max_size=20))
@example(text="\ud800" + "玉米0.85元/斤", title="\udfff")
@example(text="\x00玉米0.85元/斤\x85玉米0.86元/斤\u2028", title="")
@example(text="1" * 5000 + "元/斤", title="")
@example(text="（" * 500 + "1元/斤" + "）" * 500, title="")
@settings(max_examples=400, deadline=None)
def test_never_raises_and_stays_consistent(reader: str, text: str, title: str) -> None:
    check(text, READERS[reader](text, title=title, day=date(2017, 1, 11)))


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_normalising_keeps_every_offset_and_is_idempotent(text: str) -> None:
    once = normalise(text)
    assert len(once) == len(text)
    assert normalise(once) == once


@given(BULLETINS)
@settings(max_examples=200, deadline=None)
def test_reading_twice_gives_the_same(text: str) -> None:
    assert read_quotes(text) == read_quotes(text)


@given(
    st.decimals(min_value="0.40", max_value="1.90", places=3),
    st.sampled_from(["寿光金玉米", "诸城兴贸淀粉", "梨树县", "锦州港", "大型饲料企业"]),
    st.sampled_from(["收购价", "报价", "执行", "价格调整为", "：", "，", ""]),
)
def test_a_plain_price_is_read_as_printed(price: Decimal, name: str, verb: str) -> None:
    (quote,) = read_quotes(
        f"{name}{verb}{price}元/斤。", title="玉米价格", threshold=0, model=RULES
    )
    assert (quote.price_low, quote.price_yuan_per_ton_low) == (price, price * 2000)
    assert quote.mention in name
    assert quote.flag == ""


@given(st.integers(1000, 3000), st.integers(10, 300), st.sampled_from("-—~～－至到"))
def test_a_range_is_one_quote(low: int, width: int, dash: str) -> None:
    (quote,) = read_quotes(
        f"长春玉米{low}{dash}{low + width}元/吨", title="玉米价格", threshold=0, model=RULES
    )
    assert (quote.price_low, quote.price_high) == (low, low + width)


@given(
    st.integers(1000, 3000),
    st.sampled_from(["由{0}元/吨上调至{1}元/吨", "从{0}涨到{1}元/吨", "{0}元/吨→{1}元/吨"]),
)
def test_of_a_change_only_the_new_price_is_a_quote(price: int, form: str) -> None:
    (quote,) = read_quotes(
        "长春玉米" + form.format(price, price + 20), title="玉米价格", threshold=0
    )
    assert (quote.price_low, quote.price_high) == (price + 20, price + 20)


@pytest.mark.slow
def test_long_hostile_texts_are_read_in_linear_time() -> None:
    pieces = "1,111 1. 1- （1元/斤 水分15% 和 元/吨 \t1 山东潍坊寿光市 一二三块毛".split(" ")
    for piece in pieces:
        text = piece * (30_000 // len(piece))
        check(text, read_quotes(text))
