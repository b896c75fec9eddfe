"""Price bulletins are told from other articles."""

from __future__ import annotations

import pytest

from focuscrawl.prices.quote_reader import have_prices

BULLETIN = (
    "山东玉米价格行情",
    "寿光金玉米收购价2300元/吨，较昨日上涨10元/吨。\n诸城兴贸收购价2290元/吨，稳定。",
)
ONE_PRICE = ("公司新闻", "今年玉米收购价2300元/吨,公司召开年会,表彰先进集体和个人。")
MATHS = (
    "组合数学",
    "设苹果有 3 个,每人分得 2.5 的概率为 1/2,则 f(x)=3x+2 在 [1,4] 上单调。\n$a_1=4096$",
)


@pytest.mark.parametrize(
    ("articles", "expected"),
    [
        ([BULLETIN, BULLETIN, MATHS], True),
        ([BULLETIN, BULLETIN], True),
        ([BULLETIN, ONE_PRICE, MATHS], False),
        ([BULLETIN], False),
        ([MATHS, MATHS, MATHS], False),
        ([ONE_PRICE, ONE_PRICE], False),
        ([], False),
    ],
)
def test_two_bulletins_are_a_price_site(articles: list[tuple[str, str]], expected: bool) -> None:
    assert have_prices(articles) == expected
