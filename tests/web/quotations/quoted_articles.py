"""Articles with quotes whose places in the text are right."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from focuscrawl.items import Article, Quote
from tests.stores.record_examples import article, quote

TEXT = "今日行情平稳。寿光金玉米0.815元/斤，诸城兴贸、昌乐盛泰均为0.83元/斤。\n青岛港5000元/吨。"
FLAG = "与文中其他价格相差过大"


def quote_at(text: str, price: str, **fields: Any) -> Quote:
    """Return a quote whose price is the first ``price`` in a text."""
    start = text.index(price)
    return quote(text_start=start, text_end=start + len(price), **fields)


def quoted(number: int | str = 1, **fields: Any) -> Article:
    """Return an article of four quotes: two share a price, the last one has a flag."""
    jin = {"price_low": Decimal("0.83"), "price_high": Decimal("0.83")}
    ton = dict.fromkeys(("price_low", "price_high"), Decimal(5000))
    tons = dict.fromkeys(("price_yuan_per_ton_low", "price_yuan_per_ton_high"), Decimal(5000))
    quotes = [
        quote_at(TEXT, "0.815元/斤", entity="寿光金玉米", unit="yuan/jin"),
        quote_at(TEXT, "0.83元/斤", entity="诸城兴贸", unit="yuan/jin", **jin),
        quote_at(TEXT, "0.83元/斤", entity="昌乐盛泰", unit="yuan/jin", **jin),
        quote_at(TEXT, "5000元/吨", entity="青岛港", unit="yuan/ton", flag=FLAG, **ton, **tons),
    ]
    return article(number, **({"text": TEXT, "quotes": quotes} | fields))
