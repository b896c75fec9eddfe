"""Invented quotes: a year and more of prices that rise, fall and sometimes miss a day."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from focuscrawl.items import Quote
from focuscrawl.stored_records import ArticleSummary, StoredQuote

PLANTS = {
    "寿光金玉米": "山东",
    "诸城兴贸": "山东",
    "西王淀粉": "山东",
    "嘉吉生化": "吉林",
    "长春大成": "吉林",
    "公主岭黄龙": "吉林",
    "龙江阜丰": "黑龙江",
    "绥化象屿": "黑龙江",
    "秦皇岛骊骅": "河北",
    "锦州港": "辽宁",
}


def make_quote(day: date | None = date(2026, 3, 2), price: int = 2300, **fields: Any) -> Quote:
    values: dict[str, Any] = {
        "commodity": "玉米",
        "mention": "金玉米",
        "entity": "寿光金玉米",
        "entity_is_known": True,
        "region": "山东",
        "price_low": Decimal(price) / 2000,
        "price_high": Decimal(price + 20) / 2000,
        "unit": "元/斤",
        "price_yuan_per_ton_low": Decimal(price),
        "price_yuan_per_ton_high": Decimal(price + 20),
        "moisture": "14%",
        "span": "金玉米1.15-1.16元/斤",
    }
    return Quote(date=day, **{**values, **fields})


def make_stored(quote: Quote, **fields: str) -> StoredQuote:
    day = quote.date or "无日期"
    values = {
        "article_url": f"http://127.0.0.1/{day}.html",
        "article_title": f"{day} 全国玉米收购价格汇总",
        "site": "demo",
    }
    return StoredQuote(quote=quote, **{**values, **fields})


def make_article(number: int, **fields: Any) -> ArticleSummary:
    url = f"http://127.0.0.1/{number}.html"
    values: dict[str, Any] = {
        "url": url,
        "site": "demo",
        "title": f"第{number}期玉米价格",
        "published": date(2026, 3, 2),
        "page_urls": [url],
        "missing_urls": [],
        "is_complete": True,
        "is_gone": False,
        "first_seen": datetime(2026, 3, 2, 4, tzinfo=UTC),
    }
    return ArticleSummary(**{**values, **fields})


def invented_quotes(days: int = 430, last: date = date(2026, 3, 2)) -> Iterator[StoredQuote]:
    """Yield quotes by date; plants differ in level, in rhythm and in the days that they skip."""
    for back in range(days, -1, -1):
        day = last - timedelta(days=back)
        for number, (plant, region) in enumerate(PLANTS.items()):
            if (back * (number + 3)) % 11 < number:
                continue
            wave = 120 * math.sin((days - back) / 40 + number / 3) + (days - back) * 0.5
            quote = make_quote(
                day, 2150 + 25 * number + round(wave), entity=plant, mention=plant, region=region
            )
            yield make_stored(replace(quote, price_change=Decimal("0.005") * ((back % 5) - 2)))
