"""Records for the store tests, plain ones and arbitrary ones."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import is_dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from focuscrawl.items import (
    Article,
    CrawlRun,
    FoundValue,
    GoneArticle,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    PageVerdict,
    PriceDecision,
    Quote,
    Record,
    Seed,
    TemplateRecord,
)

T = TypeVar("T")
NOW = datetime(2026, 3, 5, 8, 30, 15, 250_000, tzinfo=UTC)
SITE = "demo"


def quote(**fields: Any) -> Quote:
    plain = Quote(
        date=date(2026, 3, 4),
        commodity="玉米",
        mention="潍坊寿光",
        entity="寿光",
        entity_is_known=True,
        region="山东",
        price_low=Decimal("0.815"),
        price_high=Decimal("0.83"),
        unit="元/斤",
        price_yuan_per_ton_low=Decimal(1630),
        price_yuan_per_ton_high=Decimal(1660),
        price_change=Decimal("-0.005"),
        price_change_high=Decimal("0.01"),
        span="寿光0.815-0.83元/斤",
        text_start=3,
        text_end=20,
    )
    return replace(plain, **fields)


def article(number: int | str = 1, **fields: Any) -> Article:
    url = f"http://demo.example/{number}.htm"
    plain: dict[str, Any] = {
        "url": url,
        "site": SITE,
        "title": f"玉米价格行情 {number}",
        "text": f"寿光0.815-0.83元/斤\n第{number}行\t报价",
        "published": date(2026, 3, 4),
        "stamp": "2026-03-04 09:00",
        "page_urls": [url, f"{url}?page=2"],
        "validators": {url: ['"abc"', "Wed, 04 Mar 2026 01:00:00 GMT"]},
        "fetched_at": NOW,
        "quotes": [quote(confidence=Decimal("0.83")), quote(entity="潍坊", date=None)],
    }
    return Article(**(plain | fields))


def price_decision(**fields: Any) -> PriceDecision:
    about = quote(flag="odd")
    plain: dict[str, Any] = {
        **{name: getattr(about, name) for name in ("commodity", "entity", "unit", "span")},
        **{name: getattr(about, name) for name in ("price_low", "price_high")},
        "url": article().url,
        "reader_flag": "odd",
        "verdict": "confirmed",
        "decided_by": "李",
        "decided_at": NOW,
    }
    return PriceDecision(**(plain | fields))


def page_verdict(number: int | str = 1, **fields: Any) -> PageVerdict:
    plain: dict[str, Any] = {
        "topic": "money",
        "url": page(number).url,
        "judge": "李",
        "verdict": "relevant",
        "is_relevant": True,
        "decided_at": NOW,
    }
    return PageVerdict(**(plain | fields))


def crawl_run(number: int, **fields: Any) -> CrawlRun:
    began = NOW + timedelta(days=number)
    plain: dict[str, Any] = {
        "key": f"{number:032}",
        "crawl": "maize-demo",
        "spider": "maize",
        "machine": "玉米",
        "began_at": began,
        "updated_at": began,
        "details": {"arguments": {"site": "demo", "$a.b": None}, "series": [[0, 1.5]]},
    }
    return CrawlRun(**(plain | fields))


def incomplete(number: int | str = 1, **fields: Any) -> Article:
    url = f"http://demo.example/{number}.htm"
    plain: dict[str, Any] = {"page_urls": [url], "missing_urls": [f"{url}?page=2"]}
    return article(number, **(plain | fields))


def gone(number: int | str = 1) -> GoneArticle:
    return GoneArticle(url=article(number).url, site=SITE, gone_at=NOW)


def page(number: int | str = 1, **fields: Any) -> Page:
    plain: dict[str, Any] = {
        "url": f"http://blog.example/{number}.htm",
        "site": "blog.example",
        "topic": "money",
        "title": f"理财笔记 {number}",
        "text": f"基金定投\n第{number}篇",
        "score": 0.1 + 0.2,
        "relevance": 0.93,
        "is_relevant": True,
        "steps": 0,
        "via": "http://blog.example/",
        "fetched_at": NOW,
    }
    return Page(**(plain | fields))


def template_record(number: int = 1, **fields: Any) -> TemplateRecord:
    plain: dict[str, Any] = {
        "crawl": "template-contacts",
        "template": "contacts",
        "url": f"http://firm{number}.example/contact.html",
        "site": f"firm{number}.example",
        "seed": f"http://firm{number}.example/",
        "title": "联系我们",
        "window": 1,
        "region_md5": "a" * 32,
        "values": [
            FoundValue(
                field="name", title="名称", value=f"第{number}公司", raw="第 1 公司", confidence=0.9
            ),
            FoundValue(
                field="phone", title="电话", value="028-5550100", raw="028-5550100", confidence=0.75
            ),
        ],
        "fetched_at": NOW,
    }
    return TemplateRecord(**(plain | fields))


def seed(number: int = 1, **fields: Any) -> Seed:
    plain: dict[str, Any] = {
        "crawl": "template-contacts",
        "url": f"http://firm{number}.example/",
        "title": f"第{number}公司",
        "engine": "demo",
        "query": "四川软件公司",
        "rank": number,
        "window": 1,
        "state": "waiting",
        "listed_at": NOW,
    }
    return Seed(**(plain | fields))


def own(number: int = 1, **fields: Any) -> OwnItem:
    plain: dict[str, Any] = {
        "crawl": "shop",
        "class_name": "Offer",
        "item_key": f"[{number}]",
        "url": f"http://shop.example/{number}",
        "item": json.dumps({"sku": number, "name": "玉米", "$a.b": [2**70, "\0"]}),
        "fetched_at": NOW,
    }
    return OwnItem(**(plain | fields))


SERIES = "http://n.example/article/{n}.htm"


def numbered(number: int = 1, **fields: Any) -> NumberedArticle:
    plain: dict[str, Any] = {
        "url": SERIES.format(n=number),
        "site": "n.example",
        "series": SERIES,
        "number": number,
        "title": f"Python 教程 {number}",
        "description": "怎样抓取网页",
        "tags": ["Python", "爬虫"],
        "author": "李四",
        "published": date(2016, 3, 4),
        "body_html": f"<p>第{number}篇</p>\r\n<pre>a = 1</pre>",
        "body_text": f"第{number}篇\na = 1",
        "extra": {"views": 12, "rating": 4.5, "from": {"name": "脚本"}, "none": None},
        "fetched_at": NOW,
    }
    return NumberedArticle(**(plain | fields))


def missing_number(number: int = 1, **fields: Any) -> MissingNumber:
    plain: dict[str, Any] = {
        "url": SERIES.format(n=number),
        "site": "n.example",
        "series": SERIES,
        "number": number,
        "reason": "404",
        "tries": 1,
        "tried_at": NOW,
        "due_at": NOW + timedelta(days=1),
    }
    return MissingNumber(**(plain | fields))


async def everything(stream: AsyncIterator[T]) -> list[T]:
    return [entry async for entry in stream]


anything = st.text(st.characters(), max_size=40)  # lone surrogates and NUL too
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | anything,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3),
    max_leaves=5,
)
_OF_TYPES: dict[Any, st.SearchStrategy[Any]] = {
    str: anything,
    bool: st.booleans(),
    int: st.integers(0, 2**40),
    float: st.floats(allow_nan=False, allow_infinity=False),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False),
    date: st.dates(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    type(None): st.none(),
    Any: _json,
}


def of_type(hint: Any) -> st.SearchStrategy[Any]:
    """Make values of the type of a record's field."""
    if is_dataclass(hint):
        return any_of(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return st.one_of(map(of_type, parts))
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is dict:
        return st.dictionaries(anything, of_type(parts[1]), max_size=3)
    if origin in (list, tuple):
        return st.lists(of_type(parts[0]), max_size=3).map(origin)
    return _OF_TYPES[hint]


def any_of(kind: Any, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make records of a kind with all their fields."""
    made = {name: of_type(hint) for name, hint in get_type_hints(kind).items()}
    return st.builds(kind, **(made | given))


_GIVEN: dict[Any, dict[str, st.SearchStrategy[Any]]] = {
    NumberedArticle: {"number": st.integers(-(2**63), 2**64)},
    MissingNumber: {"number": st.integers(-(2**63), 2**64)},
    # A link to nothing fails each time; the others are unchanged the second time.
    GoneArticle: {"title": st.none()},
    OwnItem: {"item": st.dictionaries(anything, _json, max_size=3).map(json.dumps) | anything},
}
any_records = st.one_of([any_of(kind, **_GIVEN.get(kind, {})) for kind in get_args(Record)])
