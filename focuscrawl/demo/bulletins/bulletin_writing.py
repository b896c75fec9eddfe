"""Sentences and tables of a bulletin, each with its quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from focuscrawl.demo.article_truth import TruthQuote
from focuscrawl.demo.bulletins.buyer_places import (
    FEED_MILL_CITIES,
    TRADER_CITIES,
    TRADITIONAL_PORTS,
    City,
)
from focuscrawl.demo.bulletins.market_prices import Market
from focuscrawl.demo.repeatable_chance import draw, pick

_CONDITIONS = ("水分14%以内，", "水分15%以内、霉变2%以内，", "二等粮，", "")
_VERBS = ("收购价", "挂牌价", "到厂价")
_SMALL_LORRY_DISCOUNT = 10
_FORMULA = "=1+1"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or table as HTML, with its quotes in order."""

    html: str
    quotes: tuple[TruthQuote, ...] = ()


def paragraph(*lines: str) -> str:
    """Return one paragraph with line breaks between the lines."""
    return "<p>" + "<br>\n".join(lines) + "</p>"


def lead(day: date, subject: str) -> Block:
    """Return the opening sentence, which has the date and no price."""
    return Block(paragraph(f"{long_date(day)}，本站收集的{subject}收购行情如下，供参考。"))


def closing(day: date) -> Block:
    """Return the last sentence, with figures that are not prices."""
    lorries = 300 + int(draw("lorries", day) * 900)
    return Block(
        paragraph(
            f"今晨各厂门前到货约{lorries}车。水分超过14%的，每超1个百分点扣重1.2%，超过30%的拒收。"
        )
    )


def firms_of_city(market: Market, city: City, day: date) -> Block:
    """Return a paragraph with one line per firm of the city, in yuan per jin."""
    lines, quotes = [], []
    for firm in city.firms:
        line, found = firm_line(market, firm, day)
        lines.append(city.name + line)
        quotes += found
    return Block(paragraph(*lines), tuple(quotes))


def firm_line(market: Market, firm: str, day: date) -> tuple[str, list[TruthQuote]]:
    """Return the sentence about one firm and its quotes; some firms pay less for small lorries."""
    price, change = market.price(firm, day), market.change(firm, day)
    condition = pick(_CONDITIONS, market.seed, firm, "condition")
    verb = pick(_VERBS, market.seed, firm, day, "verb")
    quotes = [_quote_per_jin(firm, price)]
    small = ""
    if draw(market.seed, firm, "small lorries") < 0.25:
        small_price = price - _SMALL_LORRY_DISCOUNT
        small = f"，10吨以下小车{per_jin(small_price)}"
        quotes.append(_quote_per_jin(firm, small_price))
    return f"{firm}，{condition}{verb}{per_jin(price)}{small}，{change_words(change)}。", quotes


def feed_mills(market: Market, day: date) -> Block:
    """Return a paragraph about the feed mills of some cities, one price each, in yuan per ton."""
    lines, quotes = [], []
    for city in FEED_MILL_CITIES:
        mention = f"{city}地区饲料厂"
        price = _rounded_per_ton(market.price(mention, day)) + 40
        lines.append(f"山东{mention}{market.commodity}收购价{price}元/吨，水分15%以内。")
        quotes.append(TruthQuote(mention, price, price))
    return Block(paragraph(*lines), tuple(quotes))


def traders(market: Market, day: date) -> Block:
    """Return a paragraph about the traders of some cities, with ranges in yuan per ton."""
    lines, quotes = [], []
    for city in TRADER_CITIES:
        mention = f"{city}地区贸易商"
        low = _rounded_per_ton(market.price(mention, day)) - 60
        high = low + pick((10, 20, 30), market.seed, city, day, "width")
        lines.append(f"{mention}{market.commodity}收购价{low}-{high}元/吨，水分16%左右。")
        quotes.append(TruthQuote(mention, low, high))
    return Block(paragraph(*lines), tuple(quotes))


def county_table(
    market: Market, cities: Sequence[City], day: date, *, formula: bool = False
) -> Block:
    """Return a table of counties with the unit in its header; ``formula`` adds a formula as a remark."""
    rows: list[str] = []
    quotes = []
    for city in cities:
        for county in city.counties:
            price = _rounded_per_ton(market.price(county, day)) - 30
            moisture = pick((14, 15, 16), market.seed, county, "moisture")
            remark = _FORMULA if formula and not rows else "自提"
            cells = (city.name, county, market.commodity, f"{moisture}%", price, remark)
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
            quotes.append(TruthQuote(county, price, price))
    names = ("地区", "县市", "品种", "水分", "收购价(元/吨)", "备注")
    header = "<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
    table = '<table class="prices" border="1">\n' + "\n".join([header, *rows]) + "\n</table>"
    return Block(table, tuple(quotes))


def late_report(market: Market, firm: str, day: date) -> Block:
    """Return the paragraph that a correction adds."""
    price = market.price(firm, day)
    text = f"补报：{firm}当日收购价{per_jin(price)}。"
    return Block(paragraph(text), (_quote_per_jin(firm, price),))


def ports_in_traditional(market: Market, day: date) -> tuple[Block, ...]:
    """Return a short bulletin in traditional characters, in yuan per ton."""
    lines, quotes = [], []
    for port in TRADITIONAL_PORTS:
        low = _rounded_per_ton(market.price(port, day)) + 20
        lines.append(f"{port}玉米平艙價{low}-{low + 20}元/噸。")
        quotes.append(TruthQuote(port, low, low + 20))
    opening = f"{long_date(day)}，本站收集的山東港口玉米報價如下，供參考。"
    return Block(paragraph(opening)), Block(paragraph(*lines), tuple(quotes))


def per_jin(price: int) -> str:
    """Format a price in 厘 per jin as yuan per jin without trailing zeros."""
    return f"{price / 1000:.3f}".rstrip("0").rstrip(".") + "元/斤"


def change_words(change: int) -> str:
    """Return a change in 厘 in words."""
    if change == 0:
        return "与昨日持平"
    return f"{'涨' if change > 0 else '落'}{abs(change)}厘"


def long_date(day: date) -> str:
    """Format a date as in bulletins."""
    return f"{day.year}年{day.month}月{day.day}日"


def _quote_per_jin(mention: str, price: int) -> TruthQuote:
    return TruthQuote(mention, 2 * price, 2 * price)


def _rounded_per_ton(price: int) -> int:
    return round(2 * price / 10) * 10
